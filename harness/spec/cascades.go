package spec

import (
	"fmt"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/spec/place"
)

// cascadeCheck resolves the names in the cascades and other tables of a study, and marks the
// definitions that they use.
type cascadeCheck struct {
	main     *file
	models   definitions
	datasets definitions
	whole    bool // every file was read
	stand    *standIns
	chains   []Cascade
	pooled   []Pool
}

// cascades checks the chains.
func (c *cascadeCheck) cascades() []Cascade {
	main := c.main
	if main.raw.Cascades == nil && main.raw.Pools == nil {
		main.missing("", "cascades", "[[cascades]] with models = [\"student\", \"master\"], cheapest first")
	} else if main.raw.Cascades != nil && len(main.raw.Cascades) == 0 {
		main.wrong("cascades", "the list is empty", "[[cascades]] with models = [\"student\", \"master\"], cheapest first")
	}
	seen := map[string]int{}
	for i, r := range main.raw.Cascades {
		at := place.Element("cascades", i)
		chain := c.cascade(at, at+".models", r)
		folded := strings.ToLower(chain.Name)
		if j, again := seen[folded]; again && folded != "" {
			main.wrong(place.Join(at, "name"), fmt.Sprintf("the cascade %q is there already, as cascades[%d]", chain.Name, j),
				"give one of them another name")
		}
		seen[folded] = i
		c.chains = append(c.chains, chain)
	}
	return c.chains
}

// cascade checks one chain, whose models are listed at a key.
func (c *cascadeCheck) cascade(at, models string, r rawCascade) Cascade {
	main, out := c.main, Cascade{Name: strings.Join(r.Models, "+")}
	if r.Name != nil {
		out.Name = main.nameOf(at, "name", r.Name, "")
	}
	asked := c.stand.cascade(r.Models, out.Name)
	if !slices.Equal(asked, r.Models) {
		out.Written = r.Models
		c.pick(models, r.Models, c.models, "model", false)
	}
	out.Models = c.pick(models, asked, c.models, "model", true)
	switch n := len(r.Models); {
	case r.Models == nil:
		main.missing(at, "models", "models = [\"student\", \"master\"], cheapest first")
	case n < 2:
		main.wrong(models, fmt.Sprintf("a cascade of %d: it takes a student and a master", n),
			"name two models or more, cheapest first")
	case n > mostModels:
		main.wrong(models, fmt.Sprintf("a cascade of %d models: it has at most %d", n, mostModels),
			"every pair of them is analysed too; leave some out")
	}
	out.Datasets = c.measuredOn(at, r.Datasets)
	return out
}

// pick finds the named definitions and marks those that are used. It returns
// the names as written.
func (c *cascadeCheck) pick(key string, written []string, all definitions, what string, use bool) []string {
	var out []string
	for i, name := range written {
		at := place.Element(key, i)
		d := all.find(name)
		switch {
		case d == nil && c.whole:
			hint := "there is none; define it"
			if known := all.names(); len(known) > 0 {
				hint = place.Suggest(name, known)
			}
			c.main.wrong(at, fmt.Sprintf("no %s is named %q", what, name), hint)
		case d == nil:
		case slices.Contains(out, name):
			c.main.wrong(at, fmt.Sprintf("the %s %q twice", what, name), "name it once")
		default:
			d.used = d.used || use
			if d.absent == "" {
				out = append(out, name)
			}
		}
	}
	return out
}

// measuredOn lists the datasets of a cascade: those it names, else the
// study's own, else the catalogs'.
func (c *cascadeCheck) measuredOn(at string, written []string) []string {
	main, all := c.main, c.datasets
	if written == nil && main.text.Has(at+".datasets") {
		return nil // a list was written, and is wrong
	}
	if written == nil {
		own := slices.ContainsFunc(all, func(d *definition) bool { return d.own })
		for _, d := range all {
			if d.name != "" && d.own == own && !slices.Contains(written, d.name) { // a doubled name is reported where it is
				written = append(written, d.name)
			}
		}
	} else if len(written) == 0 {
		main.wrong(at+".datasets", "the list is empty", "leave datasets out to use all of the study's own")
	}
	out := c.pick(at+".datasets", written, all, "dataset", true)
	if len(written) > 0 && len(out) == 0 &&
		slices.ContainsFunc(all, func(d *definition) bool { return d.used && d.absent != "" }) {
		main.wrong(at, "none of its datasets is used on this machine: the variables of their if_set are not set",
			"set one, or add a dataset that every machine has")
	}
	return out
}

// embedder finds the model that [embedder] names, and marks it; the model
// itself is checked with the others. It returns nil where there is none.
func (c *cascadeCheck) embedder(s *Study) *definition {
	const key = "embedder.model"
	r := or(c.main.raw.Embedder, rawEmbedder{})
	s.Embedder = Embedder{Kind: backends.Lexical}
	name := c.stand.embedder(r)
	if name == "" {
		return nil
	}
	s.Embedder.Kind = "" // until the model says
	if c.answers(name) && c.models.find(name) != nil {
		c.main.wrong(key, fmt.Sprintf("%s is part of a cascade: it answers, and cannot embed", name),
			"write a [[models]] entry of its own for the embedder")
		return nil
	}
	return c.serving(key, name)
}

// scorer finds the model that [scorer] names, and marks it; the model itself is
// checked with the others. It returns nil where there is none.
func (c *cascadeCheck) scorer() *definition {
	const key = "scorer.model"
	r := c.main.raw.Scorer
	if r == nil {
		return nil
	}
	if r.Model == nil {
		c.main.missing("scorer", "model", "the name of a model whose backend is bart")
		return nil
	}
	name := c.stand.scorer(*r.Model)
	if name == "" {
		return nil
	}
	if d := c.models.find(name); d != nil && c.answers(name) {
		// A scorer that cannot answer is reported with the cascade.
		if b := d.model().Backend; b == nil || *b != string(backends.BART) {
			c.main.wrong(key, fmt.Sprintf("%s is part of a cascade: it answers, and cannot score", name),
				"write a [[models]] entry of its own for the scorer")
		}
		return nil
	}
	return c.serving(key, name)
}

// answers reports whether a cascade or a pool names the model.
func (c *cascadeCheck) answers(name string) bool {
	return slices.ContainsFunc(c.chains, func(r Cascade) bool { return slices.Contains(r.Models, name) }) ||
		slices.ContainsFunc(c.pooled, func(p Pool) bool { return slices.Contains(p.Models, name) })
}

// serving marks the model that embeds or scores; nil if there is none.
func (c *cascadeCheck) serving(key, name string) *definition {
	d := c.models.find(name)
	if d == nil {
		c.unknown(key, name)
		return nil
	}
	d.serves = true
	return d
}

// unknown reports a model that no file defines.
func (c *cascadeCheck) unknown(key, name string) {
	if c.whole {
		c.main.wrong(key, fmt.Sprintf("no model is named %q", name), place.Suggest(name, c.models.names()))
	}
}
