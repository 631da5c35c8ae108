package spec

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/spec/place"
)

// access is how the servers of a table are called, and the name of the variable that holds their key.
func (b *backend) access(s *Study) backends.Access {
	a := backends.Access{Timeout: cmp.Or(b.raw.Timeout, s.Collect.Timeout), Concurrency: 16, APIKeyEnv: b.raw.APIKeyEnv}
	if b.main.text.Has("collect.concurrency") {
		a.Concurrency = s.Collect.Concurrency
	}
	a.Concurrency = cmp.Or(b.raw.Concurrency, a.Concurrency)
	if b.file.text.Has(b.key("api_key_env")) {
		b.file.variable(b.key("api_key_env"), a.APIKeyEnv)
	}
	return a
}

// checkAddresses checks all URLs of a table. refused says what is wrong with an
// address of the kind, "" for nothing; nil = nothing ever.
func (b *backend) checkAddresses(refused func(*url.URL) remark) {
	b.checkURLs(b.key("urls"), b.raw.URLs, refused)
	for _, model := range slices.Sorted(maps.Keys(b.raw.URLsOf)) {
		key := place.Join(b.key("urls_of"), model)
		b.checkURLs(key, b.raw.URLsOf[model], refused)
		if !slices.Contains(b.models, model) {
			b.file.wrong(key, fmt.Sprintf("no model is named %q", model), place.Suggest(model, b.models))
		}
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

// lacksURLs reports, once, a table without URLs for one of its models.
func (b *backend) lacksURLs(hint string) {
	if !b.lacked {
		b.lacked = true
		b.file.missing(b.at, "urls", hint)
	}
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

// warnUnversioned warns of a server's model without a revision.
func warnUnversioned(d *definition) {
	if !d.has("revision") {
		d.file.warn(d.at, fmt.Sprintf("the model %q states no revision: its answers cannot be told apart from those of "+
			"another version behind the same name", d.name),
			"revision = \"<commit>\", as the server was started with, or any word of yours that changes when the weights do")
	}
}

// checkURLs checks base URLs. No message repeats a part that may be a secret.
func (b *backend) checkURLs(key string, written []string, refused func(*url.URL) remark) {
	if written != nil && len(written) == 0 {
		b.file.wrong(key, "the list is empty", "urls = [\"http://host:8000/v1\"]")
	}
	var seen []string
	for i, text := range written {
		at := place.Element(key, i)
		u, err := url.Parse(strings.TrimSpace(text))
		switch {
		case err != nil:
			b.file.wrong(at, "this is no URL", "want one like http://host:8000/v1")
		case u.User != nil:
			b.file.wrong(at, "the URL holds a user or a password",
				"put the key into an environment variable and name it: api_key_env = \"MY_KEY\"")
		case u.Scheme != "http" && u.Scheme != "https":
			b.file.wrong(at, "the URL does not begin with http:// or https://", "want one like http://host:8000/v1")
		case u.Hostname() == "":
			b.file.wrong(at, "the URL names no host", "want one like http://host:8000/v1")
		case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
			b.file.wrong(at, "the URL holds a query or a fragment",
				"give the base URL alone, as in http://host:8000/v1; keys go into environment variables")
		case refused != nil && refused(u).message != "":
			b.file.wrong(at, refused(u).message, refused(u).hint)
		case strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/completions"):
			b.file.wrong(at, "the URL names one route", "give the base URL, which ends before /chat/completions")
		default:
			base := strings.TrimRight(u.String(), "/")
			if slices.Contains(seen, base) {
				b.file.wrong(at, "the same URL twice", "name it once")
			}
			seen = append(seen, base)
		}
	}
}
