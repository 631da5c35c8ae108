package spec

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/choice"
)

// modelCheck checks the models of a study.
type modelCheck struct {
	files   *sources
	servers map[string]*backend
	builtin fs.FS // the built-in models; nil = there are none
	study   *Study
}

// model checks one model.
func (c *modelCheck) model(d *definition) Model {
	r := d.model()
	m := Model{
		Name:     d.name,
		Mode:     backends.Mode(or(r.Mode, rawMode(defaultMode))),
		PriceIn:  or(r.PriceIn, 0),
		PriceOut: or(r.PriceOut, 0),
		Priced:   r.PriceIn != nil && r.PriceOut != nil,
		Currency: or(r.Currency, defaultCurrency),
		Params:   or(r.Params, 0), PriceCached: r.PriceCached, Fixed: r.FixedCost,
		System: or(r.System, ""),
	}
	m.Config.Model = backends.ModelID{ID: or(r.ID, d.name)}
	for _, k := range []struct {
		key string
		p   *string
	}{{"id", r.ID}, {"currency", r.Currency}, {"served", r.Served}, {"system", r.System}} {
		if k.p != nil && *k.p == "" {
			d.wrong(k.key, "the text is empty", "leave the key out")
		}
	}
	if r.Backend == nil && r.Answers == nil {
		d.missing("backend", "want one of local, simulated, or the name of a [backends] table; or answers = "+
			"\"file.jsonl\" for answers recorded elsewhere")
		return m
	}
	checkRevision(d, &m)
	k, b := c.backend(d, or(r.Backend, string(backends.Replay)))
	if k == nil {
		return m
	}
	m.Config.Model.Kind = k.name
	k.strays(d.file, d.at, r)
	if b != nil {
		b.check(k, c.study)
	}
	if r.Shape != nil {
		checkShape(d, &m)
	}
	if r.Samples != nil {
		checkSamples(d, &m, b)
	}
	k.model(c, d, &m, b)
	return m
}

// checkSamples checks how a model's answers are drawn.
func checkSamples(d *definition, m *Model, b *backend) {
	s, at := d.model().Samples, d.at+".samples"
	if s.N == nil {
		d.file.missing(at, "n", "samples = { n = 5, temperature = 0.7 }")
	}
	if s.Temperature == nil {
		d.file.missing(at, "temperature", "samples = { n = 5, temperature = 0.7 }")
	}
	if b != nil {
		for _, field := range []string{"temperature", "top_p", "seed"} {
			if _, set := b.raw.Extra[field]; set {
				d.wrong("samples", fmt.Sprintf("the model's backend sets %s for every request (extra), which its samples decide",
					field), "leave it out there")
			}
			if slices.Contains(b.raw.Drop, field) && field == "temperature" {
				d.wrong("samples", "the model's backend leaves temperature out of every request (drop), and samples need it",
					"name a backend that sends it")
			}
		}
	}
	m.Samples = &Samples{N: or(s.N, 2), Sampling: backends.Sampling{Temperature: or(s.Temperature, 1), TopP: s.TopP}}
}

// backend resolves a model's backend: a kind, and its table if it has one. The kind is nil after a
// problem.
func (c *modelCheck) backend(d *definition, name string) (*kind, *backend) {
	if slices.Contains(ownKinds(), name) {
		return kindOf(backends.Kind(name)), nil
	}
	if b, ok := c.servers[name]; ok {
		b.used = true
		return b.kind(), b
	}
	known := append(ownKinds(), slices.Sorted(maps.Keys(c.servers))...)
	all, near := strings.Join(known, ", "), choice.Nearest(name, known)
	switch {
	case name == string(backends.Lexical):
		d.wrong("backend", "lexical embeds texts and answers nothing",
			"[embedder] kind = \"lexical\" names it; there are "+all)
	case slices.Contains(kindNames(), name):
		d.wrong("backend", fmt.Sprintf("%q is a kind of backend that needs an address", name),
			fmt.Sprintf("write [backends.my-server] with kind = %q and urls = [\"http://host:8000/v1\"], and backend = "+
				"\"my-server\" here", name))
	case near != "":
		d.wrong("backend", fmt.Sprintf("no backend is named %q", name),
			fmt.Sprintf("did you mean %q? there are %s", near, all))
	default:
		d.wrong("backend", fmt.Sprintf("no backend is named %q", name),
			fmt.Sprintf("there are %s; others are tables: [backends.%s]", all, name))
	}
	return nil, nil
}

// checkRevision checks the version of a model's weights.
func checkRevision(d *definition, m *Model) {
	r := d.model()
	if r.Revision == nil {
		return
	}
	m.Config.Model.Revision = *r.Revision
	fault := ""
	switch {
	case *r.Revision == "":
		fault = "the text is empty"
	case len(*r.Revision) > longestRevision:
		fault = fmt.Sprintf("a revision of more than %d characters", longestRevision)
	case strings.ContainsFunc(*r.Revision, func(c rune) bool { return c <= ' ' || c >= 0x7f || c == '<' || c == '>' }):
		fault = fmt.Sprintf("the revision %q has a character that revisions must not have", *r.Revision)
	default:
		return
	}
	d.wrong("revision", fault, "the hub's commit, such as dcc83ea841ab6100d6b47a070329e1ba4cf78752, or a word of "+
		"yours; no blanks")
}

const longestRevision = 200
