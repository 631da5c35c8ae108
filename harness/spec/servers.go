package spec

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/spec/place"
)

// served checks a model behind servers, and says how to open it.
func (k *kind) served(d *definition, m *Model, b *backend) {
	a := b.calls
	switch urls, key := b.urlsOf(d.name); {
	case b.launched():
	case len(urls) == 0 && k.urls != "":
		if !b.lacked {
			b.file.missing(b.at, "urls", strings.ReplaceAll(k.urls, "backends.NAME", b.at))
		}
		b.lacked = true
	case len(urls) > 1 && k.single.message != "":
		b.file.wrong(key, fmt.Sprintf("%d URLs: %s", len(urls), k.single.message), k.single.hint)
	default:
		a.URLs = urls
	}
	if k.mode != "" && m.Mode != k.mode && d.has("mode") {
		d.wrong("mode", k.modal, "leave mode out")
	}
	m.Mode, a.Served = cmp.Or(k.mode, m.Mode), cmp.Or(m.Served, m.Config.Model.ID)
	m.Config.Settings = k.open(b, d, m, a)
	if r, own := m.Config.Settings.(interface{ Revision(weights string) string }); own {
		m.Config.Model.Revision = r.Revision(m.Config.Model.Revision)
	}
	if r, _ := m.Config.Remote(); !d.has("revision") && (r.Launch == nil || !r.Launch.Content) {
		d.file.warn(d.at, fmt.Sprintf("the model %q states no revision: its answers cannot be told apart from those of "+
			"another version behind the same name", d.name),
			"revision = \"<commit>\", as the server was started with, or any word of yours that changes when the weights do")
	}
}

// urlsOf returns the URLs of a model, without looking at them again, and the
// key where they are.
func (b *backend) urlsOf(model string) (urls []string, key string) {
	written, key := b.raw.URLs, b.key("urls")
	if own, ok := b.raw.URLsOf[model]; ok {
		written, key = own, place.Join(b.key("urls_of"), model)
	}
	for _, u := range written {
		urls = append(urls, strings.TrimRight(strings.TrimSpace(u), "/"))
	}
	return urls, key
}

func checkOpenAI(b *backend) {
	b.started = b.launch()
	b.fields = b.extra([]string{"model", "messages", "prompt", "stream", "n", "logprobs", "top_logprobs", "max_tokens",
		"max_completion_tokens", "echo"}, "servers that give no log-probabilities: no_logprobs = true; another limit: "+
		"max_tokens_field")
	for _, header := range slices.Sorted(maps.Keys(b.raw.HeadersEnv)) {
		key := place.Join(b.key("headers_env"), header)
		if strings.ContainsFunc(header,
			func(r rune) bool { return r >= 0x80 || !alphanumeric(byte(r)) && r != '-' && r != '_' }) || header == "" {
			b.file.wrong(key, fmt.Sprintf("%q is no name of a header", header), "letters, digits and - make one")
		}
		b.file.variable(key, b.raw.HeadersEnv[header])
	}
}

func openOpenAI(b *backend, d *definition, m *Model, a backends.Access) any {
	c := &backends.OpenAIConfig{Access: a, OpenAIOptions: b.raw.OpenAIOptions, EmbedBatch: b.raw.Batch, Extra: b.fields,
		Effort: m.Effort}
	if b.launched() {
		c.Launch = launchModel(d, m, b.started)
	} else if m.Path != "" {
		d.wrong("path", "a model behind a server has no folder here",
			"leave it out, or set backend = \"local\"; the model's name on the server is served = …")
	}
	const field = "reasoning_effort"
	switch _, set := b.raw.Extra[field]; {
	case c.Effort == "":
	case m.Mode != backends.Chat:
		d.wrong("effort", "mode raw has no thoughts apart from the text, and the protocol no effort", "set mode = \"chat\" "+
			"for the model, or leave effort out")
	case set || slices.Contains(b.raw.Drop, field):
		d.wrong("effort", "the model's backend decides on "+field+" for every request (extra, drop)", "leave it out there")
	}
	m.HeadersEnv = b.raw.HeadersEnv
	m.Config.Model.Revision += variant(c)
	return c
}

// variant distinguishes models whose answers differ by backend settings: "+" and a hash of the
// settings that differ from their defaults, "" if none does.
func variant(c *backends.OpenAIConfig) string {
	changes := map[string]any{}
	for o := range options(reflect.ValueOf(&c.OpenAIOptions).Elem()) {
		if !o.usual() && o.key != "max_tokens_field" { // which changes no answer
			changes[o.key] = o.Interface()
		}
	}
	if len(c.Extra) > 0 {
		changes["extra"] = c.Extra
	}
	return mark(changes, len(changes))
}

// mark is "+" and a hash of n settings; "" = there is none.
func mark(settings any, n int) string {
	if n == 0 {
		return ""
	}
	text, err := json.Marshal(settings) // keys come sorted
	if err != nil {
		panic("spec: checked settings have no JSON: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return "+" + hex.EncodeToString(sum[:4])
}

func hostedAddress(u *url.URL) remark {
	usual := new(backends.HostedConfig).Address()
	if strings.HasSuffix(u.Path, "/messages") {
		return remark{"the URL names one route", "give the base URL, as in " + usual}
	}
	if own, err := url.Parse(usual); err == nil && u.Host == own.Host && strings.TrimRight(u.Path, "/") != own.Path {
		return remark{"this is the provider's host, and its routes begin elsewhere", "leave urls out, or write " + usual}
	}
	return remark{}
}

func checkHosted(b *backend) {
	if r := b.raw; r.Provider != "" && r.APIKeyEnv == "" && len(r.URLs) == 0 && len(r.URLsOf) == 0 {
		b.file.missing(b.at, "api_key_env",
			fmt.Sprintf("%s wants a key: api_key_env = \"%s\", the name of the variable that holds it",
				r.Provider, strings.ToUpper(string(r.Provider))+"_API_KEY"))
	}
	b.fields = b.extra(b.raw.Provider.OwnedFields(), "leave it in")
}

func openHosted(b *backend, _ *definition, _ *Model, a backends.Access) any {
	return &backends.HostedConfig{Provider: b.raw.Provider, Access: a, Extra: b.fields}
}

func openHuggingFace(b *backend, _ *definition, _ *Model, a backends.Access) any {
	a.Served = "" // endpoints know their model by no name
	return &backends.HuggingFaceConfig{HuggingFaceOptions: b.raw.HuggingFaceOptions, Access: a}
}

// openDecisions opens a decision model. It writes nothing, so its output needs no price.
func openDecisions(b *backend, d *definition, m *Model, a backends.Access) any {
	m.Priced = m.Priced || d.has("price_in")
	return &backends.DecisionsConfig{Access: a}
}

// extra returns the fields that are added to every request or replace ours; nil values remove fields. None may be of
// those that the request decides; inPlace says what to set in place of leaving one out.
func (b *backend) extra(owned []string, inPlace string) map[string]any {
	if len(b.raw.Extra) == 0 && len(b.raw.Drop) == 0 {
		return nil
	}
	out := maps.Clone(b.raw.Extra)
	if out == nil {
		out = map[string]any{}
	}
	for _, field := range slices.Sorted(maps.Keys(out)) {
		if slices.Contains(owned, field) {
			b.file.wrong(place.Join(b.key("extra"), field), fmt.Sprintf("%s is decided by the request", field), "leave it out")
		}
	}
	for i, field := range b.raw.Drop {
		at := place.Element(b.key("drop"), i)
		switch _, added := out[field]; {
		case slices.Contains(owned, field):
			b.file.wrong(at, fmt.Sprintf("%s is decided by the request", field), inPlace)
		case added:
			b.file.wrong(at, fmt.Sprintf("%s is in extra, or here already", field), "name it once")
		}
		out[field] = nil
	}
	return out
}

// checkURLs checks base URLs. No message repeats a part that may be a secret.
func (b *backend) checkURLs(key string, written []string, refused func(*url.URL) remark) {
	if written != nil && len(written) == 0 {
		b.file.wrong(key, "the list is empty", "urls = [\"http://host:8000/v1\"]")
	}
	const like = "want one like http://host:8000/v1"
	var seen []string
	for i, text := range written {
		u, err := url.Parse(strings.TrimSpace(text))
		var r remark
		switch {
		case err != nil:
			r = remark{"this is no URL", like}
		case u.User != nil:
			r = remark{"the URL holds a user or a password",
				"put the key into an environment variable and name it: api_key_env = \"MY_KEY\""}
		case u.Scheme != "http" && u.Scheme != "https":
			r = remark{"the URL does not begin with http:// or https://", like}
		case u.Hostname() == "":
			r = remark{"the URL names no host", like}
		case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
			r = remark{"the URL holds a query or a fragment",
				"give the base URL alone, as in http://host:8000/v1; keys go into environment variables"}
		case refused != nil && refused(u).message != "":
			r = refused(u)
		case strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/completions"):
			r = remark{"the URL names one route", "give the base URL, which ends before /chat/completions"}
		default:
			base := strings.TrimRight(u.String(), "/")
			if slices.Contains(seen, base) {
				r = remark{"the same URL twice", "name it once"}
			}
			seen = append(seen, base)
		}
		if r.message != "" {
			b.file.wrong(place.Element(key, i), r.message, r.hint)
		}
	}
}
