package spec

import (
	"fmt"
	"maps"
	"slices"

	"infnet/backends"
	"infnet/harness/choice"
	"infnet/harness/spec/place"
)

// backend is a [backends.NAME] table.
type backend struct {
	file *file
	at   string // backends.NAME
	name string
	raw  *rawBackend

	models []string // of all files, for urls_of
	main   *file    // the study
	used   bool
	seen   bool // checked, and what was wrong with it reported
	lacked bool // its missing urls were reported

	// What its models share, once it is checked:
	calls   backends.Access
	started *backends.Launch // nil = the servers run
	fields  map[string]any   // of every request; nil values remove fields
}

func (b *backend) key(key string) string { return b.at + "." + key }

// listBackends lists the [backends] tables by name. The study's own tables replace those of
// catalogs, so that a catalog can be used with other servers; those of a file over the study replace
// both, and those of an earlier such file. A table is replaced as a whole.
func listBackends(in *sources) map[string]*backend {
	out := map[string]*backend{}
	models := in.models()
	for _, f := range in.ranked() {
		for _, name := range slices.Sorted(maps.Keys(f.raw.Backends)) {
			at := place.Join("backends", name)
			b := &backend{file: f, at: at, name: name, raw: f.raw.Backends[name], models: models, main: in.main()}
			if fault := NameFault(name); fault != "" {
				f.misplaced(at, fmt.Sprintf("the name %q %s", name, fault), legalName)
				continue
			}
			if slices.Contains(ownKinds(), name) {
				f.misplaced(at, fmt.Sprintf("%q is a backend of its own", name),
					"give the table another name, and its models that one")
				continue
			}
			before, again := out[name]
			switch {
			case !again:
				out[name] = b
			case before.file.over:
				f.named = true
			case !before.file.study:
				f.misplaced(at, fmt.Sprintf("the backend %q is in the catalog %s too", name, before.file.name),
					"write [backends."+name+"] in the study itself: it replaces both")
			}
		}
	}
	return out
}

// kind returns the kind of a table; nil, after a problem, if it has none.
func (b *backend) kind() *kind {
	if b.raw.Kind != nil {
		return kindOf(backends.Kind(*b.raw.Kind))
	}
	if b.launched() {
		return kindOf(backends.OpenAI) // engines speak its protocol
	}
	if !b.seen {
		b.file.missing(b.at, "kind", "want one of "+choice.List(tableKinds()))
	}
	b.seen = true
	return nil
}

// check checks a table by itself, once; its models are checked later.
func (b *backend) check(k *kind, s *Study) {
	if b.seen {
		return
	}
	b.seen = true
	k.keys(b.file, b.at, b.raw)
	if k.open == nil {
		return
	}
	b.calls = b.raw.Access
	b.calls.Timeout, b.calls.URLs = s.Collect.Timeout, nil
	if b.calls.Concurrency == 0 {
		if b.calls.Concurrency = 16; b.main.text.Has("collect.concurrency") {
			b.calls.Concurrency = s.Collect.Concurrency
		}
	}
	if key := b.key("api_key_env"); b.file.text.Has(key) {
		b.file.variable(key, b.raw.APIKeyEnv)
	}
	b.checkURLs(b.key("urls"), b.raw.URLs, k.address)
	for _, model := range slices.Sorted(maps.Keys(b.raw.URLsOf)) {
		key := place.Join(b.key("urls_of"), model)
		b.checkURLs(key, b.raw.URLsOf[model], k.address)
		if !slices.Contains(b.models, model) {
			b.file.wrong(key, fmt.Sprintf("no model is named %q", model), place.Suggest(model, b.models))
		}
	}
	if k.table != nil {
		k.table(b)
	}
}

// checkUnused checks the study's own tables that no model names, and warns of
// them.
func checkUnused(servers map[string]*backend, s *Study) {
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		b := servers[name]
		if b.used || !b.file.study {
			continue
		}
		if k := b.kind(); k != nil {
			b.check(k, s)
			b.file.warn(b.at, fmt.Sprintf("the backend %q is not used", name), "no model names it")
		}
	}
}
