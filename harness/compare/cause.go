package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/accept"
	"infnet/harness/result"
)

// causes is a comparison whose causes are looked for.
type causes comparing

// list names what differs between the inputs of the two runs, in the order in which it acts.
func (c *causes) list() {
	c.specs()
	for _, d := range c.now.Data {
		if m := c.matches[d.Name]; m != nil && !m.hashed {
			c.cause(Cause{Kind: OfData, Dataset: d.Name, Old: m.old.Hash, New: m.now.Hash,
				Count: len(m.changed) + len(m.added) + len(m.removed) + len(m.renamed), Text: d.Name + ": " + m.words()})
		}
	}
	c.splits()
	c.models()
	c.answers()
	c.missing()
	c.scorers()
	if c.old.Program != c.now.Program {
		c.cause(Cause{Kind: OfProgram, Old: c.old.Program, New: c.now.Program,
			Text: fmt.Sprintf("another infnet: %s, now %s", c.old.Program, c.now.Program)})
	}
}

func (c *causes) cause(x Cause) { c.out.Causes = append(c.out.Causes, x) }

// specs names the keys of the study that differ.
func (c *causes) specs() {
	if c.old.Spec == c.now.Spec {
		return
	}
	if c.old.Settings == nil || c.now.Settings == nil {
		c.cause(Cause{Kind: OfSpec, Text: "the study differs, and which keys do is not known: one of the two runs was " +
			"made by a version that did not write them down"})
		return
	}
	keys := slices.AppendSeq(slices.Collect(maps.Keys(c.old.Settings)), maps.Keys(c.now.Settings))
	slices.SortFunc(keys, func(x, y string) int { // the seed first: other settings may follow from it
		return cmp.Or(tell(y == "seed")-tell(x == "seed"), strings.Compare(x, y))
	})
	for _, key := range slices.Compact(keys) {
		old, now := c.old.Settings[key], c.now.Settings[key]
		revision := strings.HasPrefix(key, "models.") && strings.HasSuffix(key, ".revision") // models says it
		if old == now || key == "study" || revision || c.oneSided(key) {
			continue
		}
		x := Cause{Kind: OfSpec, Key: key, Old: old, New: now,
			Text: fmt.Sprintf("%s: %s → %s", key, said(old), said(now))}
		if key == "seed" {
			x.Kind = OfSeed
		}
		of := func(kind, name string) bool { return strings.HasPrefix(key, kind+"."+name+".") }
		if d := find(c.now.Data, func(d *accept.Data) bool { return of("datasets", d.Name) }); d != nil {
			x.Dataset = d.Name
		}
		if m := find(c.now.Models, func(m *result.Model) bool { return of("models", m.Name) }); m != nil {
			x.Model = m.Name
		}
		c.cause(x)
	}
}

// said is a setting as a sentence has it.
func said(value string) string {
	const long = 60
	if value == "" {
		return "(none)"
	}
	if r := []rune(value); len(r) > long {
		value = string(r[:long]) + "…"
	}
	return strconv.Quote(value)
}

// oneSided reports whether a key is of a dataset that one run lacks, or lists the datasets: that is said elsewhere.
func (c *causes) oneSided(key string) bool {
	rest, ok := strings.CutPrefix(key, "datasets.")
	if !ok {
		return strings.HasPrefix(key, "cascades.") && strings.HasSuffix(key, ".datasets") || key == "left_out"
	}
	for _, d := range slices.Concat(c.old.Data, c.now.Data) {
		if strings.HasPrefix(rest, d.Name+".") && (dataOf(c.old, d.Name) == nil || dataOf(c.now, d.Name) == nil) {
			return true
		}
	}
	return false
}

// splits says which records changed sides.
func (c *causes) splits() {
	seen := map[string]bool{}
	for _, s := range c.subjects {
		moved := 0
		s.of.each(func(k, i int) {
			x, y := s.old.m.Part[k], s.now.m.Part[i]
			moved += tell(x != y && x != accept.Unused && y != accept.Unused)
		})
		if name := s.now.m.Dataset; moved > 0 && !seen[name] {
			seen[name] = true
			c.cause(Cause{Kind: OfSplit, Dataset: name, Count: moved, Text: fmt.Sprintf(
				"%s: %s between the fit part and the test part; %d of %d test records are those of before", name,
				Plural(moved, "record moved", "records moved"), len(s.pairs), len(s.now.test))})
		}
	}
}

// models says which models and servers are others.
func (c *causes) models() {
	for i := range c.now.Models {
		now := &c.now.Models[i]
		old := find(c.old.Models, func(m *result.Model) bool { return m.Name == now.Name })
		if old == nil {
			c.cause(Cause{Kind: OfModel, Model: now.Name, Text: now.Name + ": a model that the other run has not"})
			continue
		}
		for _, f := range []struct {
			kind Kind
			what string
			of   func(m *result.Model) string
		}{
			{OfModel, "id", func(m *result.Model) string { return m.ID }},
			{OfModel, "revision", func(m *result.Model) string { return short(m.Revision) }},
			{OfServer, "backend", func(m *result.Model) string { return m.Backend }},
			{OfServer, "the name it is asked for by", func(m *result.Model) string { return m.Served }},
			{OfServer, "how labels are asked", func(m *result.Model) string { return m.LabelMode }},
			{OfServer, "server", servers},
			{OfServer, "the name it answers under", responders},
		} {
			if x, y := f.of(old), f.of(now); x != y {
				c.cause(Cause{Kind: f.kind, Model: now.Name, Key: f.what, Old: x, New: y, Text: fmt.Sprintf("%s, %s: %s → %s",
					now.Name, f.what, cmp.Or(x, "none"), cmp.Or(y, "none"))})
			}
		}
	}
}

// short is the beginning of a hash, which is longer than what a reader compares.
func short(hash string) string { return hash[:min(len(hash), 16)] }

// servers describes what answered for a model: name, version and fingerprint.
func servers(m *result.Model) string {
	var out []string
	for _, s := range m.Servers {
		out = append(out, strings.TrimSpace(s.Name+" "+s.Version)+" ("+short(s.Fingerprint)+")")
	}
	return strings.Join(out, ", ")
}

func responders(m *result.Model) string {
	var out []string
	for _, r := range m.AnsweredBy {
		out = append(out, r.Name)
	}
	return strings.Join(out, ", ")
}

// has reports whether there is a cause of a kind about a model, or about a dataset.
func (c *causes) has(kind Kind, model, dataset string) bool {
	return slices.ContainsFunc(c.out.Causes, func(x Cause) bool {
		return x.Kind == kind && x.Model == model && x.Dataset == dataset
	})
}

// touching lists the kinds of causes that a quantity may have moved by.
func (c *causes) touching(q *Quantity, s *subject) (kinds []Kind) {
	models := s.now.cascade.Models
	switch q.Policy {
	case accept.None:
		models = models[:1]
	case accept.All:
		models = models[len(models)-1:]
	}
	for _, x := range c.out.Causes {
		switch {
		case x.Dataset != "" && x.Dataset != q.Dataset,
			x.Kind == OfMissing && !slices.Contains(s.now.cascade.Models, x.Model), // a record counts where all models answered
			x.Kind != OfMissing && x.Model != "" && !slices.Contains(models, x.Model),
			x.Kind == OfSpec && strings.HasPrefix(x.Key, "collect."),
			slices.Contains(kinds, x.Kind):
		default:
			kinds = append(kinds, x.Kind)
		}
	}
	return kinds
}
