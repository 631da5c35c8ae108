package spec

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/spec/place"
)

// ownKinds are the backends that need no table: a model names them directly.
func ownKinds() []string {
	return []string{string(backends.Local), string(backends.Encoder), string(backends.BART), string(backends.Simulated), string(backends.Replay)}
}

// backend is a [backends.NAME] table.
type backend struct {
	file *file
	at   string // backends.NAME
	name string
	raw  *rawBackend

	used   bool
	seen   bool // checked, and what was wrong with it reported
	lacked bool // its missing urls were reported

	// What its models have in common, by its kind.
	openAI      *backends.OpenAIConfig
	huggingFace *backends.HuggingFaceConfig
}

// tables lists the [backends] tables by name. The study's own replace those of
// catalogs, so that a catalog can be used with other servers than its own.
func (l *loader) tables() map[string]*backend {
	out := map[string]*backend{}
	for _, f := range l.ranked() {
		for _, name := range slices.Sorted(maps.Keys(f.raw.Backends)) {
			b := &backend{file: f, at: place.Join("backends", name), name: name, raw: f.raw.Backends[name]}
			if fault := NameFault(name); fault != "" {
				l.wrongName(b, fmt.Sprintf("the name %q %s", name, fault), "letters, digits and . _ + - , a letter or digit first")
				continue
			}
			if slices.Contains(ownKinds(), name) {
				l.wrongName(b, fmt.Sprintf("%q is a backend of its own", name), "give the table another name, and its models that one")
				continue
			}
			before, again := out[name]
			switch {
			case !again:
				out[name] = b
			case before.file.over && !f.over:
				f.named = true
			case !before.file.study:
				l.wrongName(b, fmt.Sprintf("the backend %q is in the catalog %s too", name, before.file.name), "write [backends."+name+"] in the study itself: it replaces both")
			}
		}
	}
	return out
}

// wrongName reports a table by the place of its name.
func (l *loader) wrongName(b *backend, message, hint string) {
	l.problems.Add(b.file.text.Problem(b.file.text.Key(b.at), b.at, message, hint))
}

// backendOf finds what a model names as its backend: a table, or nil for a
// kind that needs none. It returns "" after a problem.
func (l *loader) backendOf(d *definition, name string) (backends.Kind, *backend) {
	if slices.Contains(ownKinds(), name) {
		return backends.Kind(name), nil
	}
	if b, ok := l.backends[name]; ok {
		b.used = true
		if b.raw.Kind == nil {
			if !b.seen {
				l.missing(b.file, b.at, "kind", "want one of "+strings.Join(kindNames(), ", "))
			}
			b.seen = true
			return "", nil
		}
		return backends.Kind(*b.raw.Kind), b
	}
	key := d.at + ".backend"
	known := append(ownKinds(), slices.Sorted(maps.Keys(l.backends))...)
	switch {
	case name == string(backends.Lexical):
		l.bad(d.file, key, "lexical embeds texts and answers nothing", "[embedder] kind = \"lexical\" names it; there are "+strings.Join(known, ", "))
	case slices.Contains(kindNames(), name):
		l.bad(d.file, key, fmt.Sprintf("%q is a kind of backend, and needs to be told where it is", name),
			fmt.Sprintf("write [backends.my-server] with kind = %q and urls = [\"http://host:8000/v1\"], and backend = \"my-server\" here", name))
	case place.Nearest(name, known) != "":
		l.bad(d.file, key, fmt.Sprintf("no backend is named %q", name), fmt.Sprintf("did you mean %q? there are %s", place.Nearest(name, known), strings.Join(known, ", ")))
	default:
		l.bad(d.file, key, fmt.Sprintf("no backend is named %q", name), fmt.Sprintf("there are %s; others are tables: [backends.%s]", strings.Join(known, ", "), name))
	}
	return "", nil
}

func kindNames() []string {
	var names []string
	for _, k := range tableKinds() {
		names = append(names, string(k))
	}
	return names
}

// keys reports, once, the keys of a table that its kind does not have.
func (l *loader) keys(b *backend) {
	v := reflect.ValueOf(*b.raw)
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		kinds := tag.Get("kinds")
		if f := v.Field(i); f.IsNil() || kinds == "" || slices.Contains(strings.Split(kinds, ","), string(*b.raw.Kind)) {
			continue
		}
		key := place.Join(b.at, tag.Get("toml"))
		l.problems.Add(b.file.text.Problem(b.file.text.Key(key), key, fmt.Sprintf("this key is not for kind %q", *b.raw.Kind), "it is for "+strings.ReplaceAll(kinds, ",", " and ")))
	}
}

// check checks a table by itself, once; what its models make of it comes
// later.
func (l *loader) check(b *backend, s *Study) {
	if b.seen {
		return
	}
	b.seen = true
	l.keys(b)
	switch backends.Kind(*b.raw.Kind) {
	case backends.OpenAI:
		l.openAI(b, s)
	case backends.HuggingFace:
		l.huggingFace(b, s)
	}
}

// unnamed checks the study's own tables that no model names, and warns of
// them.
func (l *loader) unnamed(s *Study) {
	for _, name := range slices.Sorted(maps.Keys(l.backends)) {
		b := l.backends[name]
		if b.used || !b.file.study {
			continue
		}
		if b.raw.Kind == nil {
			l.missing(b.file, b.at, "kind", "want one of "+strings.Join(kindNames(), ", "))
			continue
		}
		l.check(b, s)
		l.warn(b.file, b.at, fmt.Sprintf("the backend %q is not used", name), "no model names it")
	}
}
