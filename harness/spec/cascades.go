package spec

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/policy"
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
	asked    [][]string // the models of each cascade and pool
}

// cascades checks the chains, the pools, and the cascades of the grid, which are measured on what the study's are.
func (c *cascadeCheck) cascades(s *Study) {
	raw := &c.main.raw
	const need = "[[cascades]] with models = [\"student\", \"master\"], cheapest first"
	if raw.Cascades == nil && raw.Pools == nil {
		c.main.missing("", "cascades", need)
	} else if raw.Cascades != nil && len(raw.Cascades) == 0 {
		c.main.wrong("cascades", "the list is empty", need)
	}
	named := map[string]string{}
	for i, r := range raw.Cascades {
		at := place.Element("cascades", i)
		s.Cascades = append(s.Cascades, c.cascade(at, at+".models", r))
		c.distinct(named, "cascade", at, s.Cascades[i].Name)
	}
	clear(named)
	for i, p := range raw.Pools {
		at := place.Element("pools", i)
		if !c.main.text.Has(at + ".name") {
			p.Name = strings.Join(p.Models, "+")
		}
		c.distinct(named, "pool", at, p.Name)
		c.sized(at+".models", "pool", len(p.Models), mostPooled)
		p.Models, p.Datasets = c.pick(at+".models", p.Models, c.models, "model", true), c.measuredOn(at, p.Datasets)
		c.asked = append(c.asked, p.Models)
		if s.Policy.Setting == policy.Oracle {
			c.main.wrong(at, "a pool in the oracle setting: there the last model is always right, and a pool has no last "+
				"model", "leave policy.setting out, or the pool")
		}
		s.Pools = append(s.Pools, p)
	}
	if s.Grid != nil && len(s.Cascades) == 0 && raw.Cascades == nil {
		c.main.wrong("grid", "there is no cascade whose settings could be varied", "add [[cascades]]: pools have no grid")
	}
}

// distinct refuses a name that another cascade, or another pool, has.
func (c *cascadeCheck) distinct(named map[string]string, what, at, name string) {
	folded := strings.ToLower(name)
	if before, again := named[folded]; again && folded != "" {
		c.main.wrong(place.Join(at, "name"), fmt.Sprintf("the %s %q is there already, as %s", what, name, before),
			"give one of them another name")
	}
	named[folded] = at
}

func (c *cascadeCheck) sized(key, what string, n, most int) {
	switch {
	case n == 0 && !c.main.text.Has(key): // reported
	case n < 2:
		c.main.wrong(key, fmt.Sprintf("a %s of %d: there is nothing to choose from", what, n), "name two models or more")
	case n > most:
		c.main.wrong(key, fmt.Sprintf("a %s of %d models: it has at most %d", what, n, most),
			"all pairs are analysed too; leave some out")
	}
}

// cascade checks one chain, whose models are listed at a key.
func (c *cascadeCheck) cascade(at, models string, x Cascade) Cascade {
	if !c.main.text.Has(at + ".name") {
		x.Name = strings.Join(x.Models, "+")
	}
	c.sized(models, "cascade", len(x.Models), mostModels)
	asked := c.stand.cascade(x.Models, x.Name)
	if !slices.Equal(asked, x.Models) {
		x.Written = x.Models
		c.pick(models, x.Models, c.models, "model", false)
	}
	x.Models, x.Datasets = c.pick(models, asked, c.models, "model", true), c.measuredOn(at, x.Datasets)
	c.asked = append(c.asked, x.Models)
	return x
}

// pick finds the named definitions and marks those that are used. It returns
// the names as written.
func (c *cascadeCheck) pick(key string, written []string, all definitions, what string, use bool) []string {
	var out []string
	for i, name := range written {
		at := place.Element(key, i)
		d := all.find(name)
		switch {
		case d == nil:
			c.unknown(at, what, name, all)
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

func (c *cascadeCheck) unknown(key, what, name string, all definitions) {
	hint := "there is none; define it"
	if known := all.names(); len(known) > 0 {
		hint = place.Suggest(name, known)
	}
	if c.whole {
		c.main.wrong(key, fmt.Sprintf("no %s is named %q", what, name), hint)
	}
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

// serving finds the model that [embedder], [scorer] or [judge] names, and marks it; the model itself is checked with
// the others. It returns nil where there is none.
func (c *cascadeCheck) serving(table, name, why string) *definition {
	key, d := table+".model", c.models.find(name)
	switch {
	case name == "":
		return nil
	case d == nil:
		c.unknown(key, "model", name, c.models)
		return nil
	case slices.ContainsFunc(c.asked, func(models []string) bool { return slices.Contains(models, name) }):
		c.main.wrong(key, fmt.Sprintf("%s is part of a cascade: %s", name, why),
			"write a [[models]] entry of its own for the "+table)
		return nil
	}
	d.serves = true
	return d
}
