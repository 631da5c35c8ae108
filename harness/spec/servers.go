package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/spec/place"
	"infnet/harness/task"
)

// openAI checks a table of a server that speaks the OpenAI protocol, and keeps
// what its models have in common.
func (l *loader) openAI(b *backend, s *Study) {
	r, f := b.raw, b.file
	in := func(key string) string { return place.Join(b.at, key) }
	l.addresses(b)
	b.openAI = &backends.OpenAIConfig{
		APIKeyEnv:       l.variable(b, in("api_key_env"), or(r.APIKeyEnv, ""), r.APIKeyEnv != nil),
		Labels:          or(r.Labels, backends.LabelsAuto),
		Match:           or(r.Match, backends.MatchPrefix),
		WholeLabels:     or(r.WholeLabels, false),
		TopLogprobs:     int(l.whole(f, in("top_logprobs"), r.TopLogprobs, defaultTop, 1, 10_000)),
		NoLogprobs:      or(r.NoLogprobs, false),
		MaxTokensField:  l.oneOf(b, "max_tokens_field", r.MaxTokensField, "max_tokens", "max_completion_tokens"),
		StructuredField: l.oneOf(b, "structured_field", r.StructuredField, "structured_outputs", "guided_choice"),
		Extra:           l.extra(b),
		EmbedBatch:      int(l.given(f, in("batch"), r.Batch, 4096)),
		Timeout:         l.duration(f, in("timeout"), r.Timeout, s.Collect.Timeout),
		Concurrency:     l.parallel(b, s),
		Adaptive:        or(r.Adaptive, false),
		CoolDown:        l.duration(f, in("cool_down"), r.CoolDown, defaultCoolDown),
		MaxBody:         l.whole(f, in("max_body"), r.MaxBody, defaultMaxBody, 1<<10, 1<<30),
	}
	for _, header := range slices.Sorted(maps.Keys(r.HeadersEnv)) {
		key := place.Join(in("headers_env"), header)
		if strings.ContainsFunc(header, func(r rune) bool { return r >= 0x80 || !alphanumeric(byte(r)) && r != '-' && r != '_' }) || header == "" {
			l.bad(f, key, fmt.Sprintf("%q is no name of a header", header), "letters, digits and - make one")
		}
		l.variable(b, key, r.HeadersEnv[header], true)
	}
	if c := b.openAI; c.NoLogprobs && c.Labels != backends.LabelsAuto && c.Labels != backends.LabelsText {
		l.bad(f, in("no_logprobs"), fmt.Sprintf("labels = %q reads log-probabilities, and no_logprobs asks for none", c.Labels), "leave one of them out")
	}
	if c := b.openAI; c.WholeLabels && c.Labels != backends.LabelsEcho {
		l.bad(f, in("whole_labels"), fmt.Sprintf("labels = %q scores first tokens alone", c.Labels), "set labels = \"echo\", or leave whole_labels out")
	}
}

// parallel is the number of calls in flight of a server's model.
func (l *loader) parallel(b *backend, s *Study) int {
	otherwise := int64(defaultServed)
	if c := l.files[0].raw.Collect; c != nil && c.Concurrency != nil {
		otherwise = int64(s.Collect.Concurrency)
	}
	return int(l.whole(b.file, place.Join(b.at, "concurrency"), b.raw.Concurrency, otherwise, 1, 1024))
}

// addresses checks all URLs of a table.
func (l *loader) addresses(b *backend) {
	l.checkURLs(b, place.Join(b.at, "urls"), b.raw.URLs)
	for _, model := range slices.Sorted(maps.Keys(b.raw.URLsOf)) {
		key := place.Join(place.Join(b.at, "urls_of"), model)
		l.checkURLs(b, key, b.raw.URLsOf[model])
		if known := l.modelNames(); !slices.Contains(known, model) {
			l.bad(b.file, key, fmt.Sprintf("no model is named %q", model), place.Suggest(model, known))
		}
	}
}

// urlsOf returns the URLs of a model, without looking at them again, and the
// key where they are.
func (b *backend) urlsOf(model string) (urls []string, key string) {
	written, key := b.raw.URLs, place.Join(b.at, "urls")
	if own, ok := b.raw.URLsOf[model]; ok {
		written, key = own, place.Join(place.Join(b.at, "urls_of"), model)
	}
	for _, u := range written {
		urls = append(urls, strings.TrimRight(strings.TrimSpace(u), "/"))
	}
	return urls, key
}

// lacks reports, once, a table without URLs for one of its models.
func (l *loader) lacks(b *backend, hint string) {
	if !b.lacked {
		b.lacked = true
		l.missing(b.file, b.at, "urls", hint)
	}
}

// unversioned warns of a server's model without a revision.
func (l *loader) unversioned(d *definition, r *rawModel) {
	if r.Revision == nil && !d.file.text.Has(d.at+".revision") {
		l.warn(d.file, d.at, fmt.Sprintf("the model %q states no revision: its answers cannot be told apart from those of another version behind the same name", d.name),
			"revision = \"<commit>\", as the server was started with, or any word of yours that changes when the weights do")
	}
}

// modelNames lists the models of all files.
func (l *loader) modelNames() []string {
	var out []string
	for _, f := range l.files {
		for _, m := range f.raw.Models {
			out = append(out, or(m.Name, ""))
		}
	}
	return out
}

// checkURLs checks base URLs. No message repeats a part that may be a secret.
func (l *loader) checkURLs(b *backend, key string, written []string) {
	if written != nil && len(written) == 0 {
		l.bad(b.file, key, "the list is empty", "urls = [\"http://host:8000/v1\"]")
	}
	var seen []string
	for i, text := range written {
		at := place.Element(key, i)
		u, err := url.Parse(strings.TrimSpace(text))
		switch {
		case err != nil:
			l.bad(b.file, at, "this is no URL", "want one like http://host:8000/v1")
		case u.User != nil:
			l.bad(b.file, at, "the URL holds a user or a password", "put the key into an environment variable and name it: api_key_env = \"MY_KEY\"")
		case u.Scheme != "http" && u.Scheme != "https":
			l.bad(b.file, at, "the URL does not begin with http:// or https://", "want one like http://host:8000/v1")
		case u.Hostname() == "":
			l.bad(b.file, at, "the URL names no host", "want one like http://host:8000/v1")
		case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
			l.bad(b.file, at, "the URL holds a query or a fragment", "give the base URL alone, as in http://host:8000/v1; keys go into environment variables")
		case b.raw.Kind != nil && *b.raw.Kind == rawKind(backends.HuggingFace) && u.Hostname() == "api-inference.huggingface.co":
			l.bad(b.file, at, "this host answers no more", "name a dedicated endpoint, or https://router.huggingface.co/hf-inference/models/OWNER/NAME")
		case strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/completions"):
			l.bad(b.file, at, "the URL names one route", "give the base URL, which ends before /chat/completions")
		default:
			base := strings.TrimRight(u.String(), "/")
			if slices.Contains(seen, base) {
				l.bad(b.file, at, "the same URL twice", "name it once")
			}
			seen = append(seen, base)
		}
	}
}

// variable checks the name of an environment variable. What it holds is not
// looked at here.
func (l *loader) variable(b *backend, key, name string, written bool) string {
	switch {
	case !written:
		return ""
	case place.IsSecret(name):
		l.bad(b.file, key, "this looks like a secret itself", "export it under a name, and write the name here: MY_KEY; a key that stood in a file should be replaced")
	case !place.IsVariable(name):
		l.bad(b.file, key, "this is no name of an environment variable", "letters, digits and _ make one: MY_KEY; the secret itself never stands in a spec")
	}
	return name
}

// oneOf checks a name of the protocol against the few there are; the first is
// the default.
func (l *loader) oneOf(b *backend, key string, p *string, names ...string) string {
	if p == nil {
		return names[0]
	}
	if !slices.Contains(names, *p) {
		l.bad(b.file, place.Join(b.at, key), fmt.Sprintf("unknown field %q", *p), "want one of "+strings.Join(names, ", "))
	}
	return *p
}

// extra is what every request holds beside or instead of our fields.
func (l *loader) extra(b *backend) map[string]any {
	owned := []string{"model", "messages", "prompt", "stream", "n", "logprobs", "top_logprobs", "max_tokens", "max_completion_tokens", "echo"}
	if len(b.raw.Extra) == 0 && len(b.raw.Drop) == 0 {
		return nil
	}
	out := maps.Clone(b.raw.Extra)
	if out == nil {
		out = map[string]any{}
	}
	for _, field := range slices.Sorted(maps.Keys(out)) {
		if slices.Contains(owned, field) {
			l.bad(b.file, place.Join(b.at+".extra", field), fmt.Sprintf("%s is decided by the request", field), "leave it out")
		}
	}
	for i, field := range b.raw.Drop {
		at := place.Element(b.at+".drop", i)
		switch _, added := out[field]; {
		case slices.Contains(owned, field):
			l.bad(b.file, at, fmt.Sprintf("%s is decided by the request", field), "servers that give no log-probabilities: no_logprobs = true; another limit: max_tokens_field")
		case added:
			l.bad(b.file, at, fmt.Sprintf("%s is in extra, or here already", field), "name it once")
		}
		out[field] = nil
	}
	return out
}

// server checks a model behind a server, and says how to open it.
func (l *loader) server(d *definition, r *rawModel, b *backend, m *Model, s *Study) {
	l.check(b, s)
	c := *b.openAI
	c.Served = or(r.Served, m.Config.Model.ID)
	if c.URLs, _ = b.urlsOf(d.name); len(c.URLs) == 0 {
		l.lacks(b, "urls = [\"http://host:8000/v1\"]")
	}
	m.Config.OpenAI, m.HeadersEnv = &c, b.raw.HeadersEnv
	l.unversioned(d, r)
	m.Config.Model.Revision += variant(c)
}

// variant tells models apart whose answers differ by the settings of their
// backends: "+" and a hash of those that are not at their defaults, "" where
// all are.
func variant(c backends.OpenAIConfig) string {
	changes := map[string]any{}
	note := func(key string, v any, changed bool) {
		if changed {
			changes[key] = v
		}
	}
	note("labels", c.Labels, c.Labels != backends.LabelsAuto)
	note("match", c.Match, c.Match != backends.MatchPrefix)
	note("whole_labels", c.WholeLabels, c.WholeLabels)
	note("top_logprobs", c.TopLogprobs, c.TopLogprobs != defaultTop)
	note("no_logprobs", c.NoLogprobs, c.NoLogprobs)
	note("extra", c.Extra, len(c.Extra) > 0)
	if len(changes) == 0 {
		return ""
	}
	text, err := json.Marshal(changes) // keys come sorted
	if err != nil {
		panic("spec: checked settings have no JSON: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return "+" + hex.EncodeToString(sum[:4])
}

// students refuses models without confidence where one is needed: anywhere in
// a cascade but at its end.
func (l *loader) students(s *Study) {
	main := l.files[0]
	for i, c := range s.Cascades {
		l.echoes(s, i)
		for _, name := range c.Models[:max(0, len(c.Models)-1)] {
			m, ok := s.Model(name)
			if !ok || m.Config.OpenAI == nil {
				continue
			}
			at := place.Element(place.Element("cascades", i)+".models", slices.Index(main.raw.Cascades[i].Models, name))
			const fix = "put it last, or serve it where log-probabilities are offered"
			switch {
			case m.Config.OpenAI.NoLogprobs:
				l.bad(main, at, fmt.Sprintf("%s gives no log-probabilities (its backend says no_logprobs), so there is no confidence to decide by", name), fix+" and leave no_logprobs out")
			case m.Config.OpenAI.Labels == backends.LabelsText && l.classifies(s, c):
				l.bad(main, at, fmt.Sprintf("%s answers classifications without probabilities (its backend says labels = \"text\"), so there is no confidence to decide by", name), fix+" and leave labels out")
			}
		}
	}
}

// echoes refuses chats whose classifications would be asked by echo.
func (l *loader) echoes(s *Study, cascade int) {
	main, c := l.files[0], s.Cascades[cascade]
	if !l.classifies(s, c) {
		return
	}
	for _, name := range c.Models {
		if m, ok := s.Model(name); ok && m.Config.OpenAI != nil && m.Config.OpenAI.Labels == backends.LabelsEcho && m.Mode == backends.Chat {
			at := place.Element(place.Element("cascades", cascade)+".models", slices.Index(main.raw.Cascades[cascade].Models, name))
			l.bad(main, at, fmt.Sprintf("%s is asked in chats, and its backend says labels = \"echo\": no server echoes a chat with its log-probabilities", name), "set mode = \"raw\" for the model, or labels = \"auto\"")
		}
	}
}

// classifies reports whether a cascade is measured on a classification.
func (l *loader) classifies(s *Study, c Cascade) bool {
	return slices.ContainsFunc(c.Datasets, func(name string) bool {
		d, ok := s.Dataset(name)
		return ok && d.Task == task.Classification
	})
}
