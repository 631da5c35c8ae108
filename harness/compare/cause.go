package compare

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/accept"
)

// causes lists what differs between the inputs of the two runs, in the order in which it acts.
func (c *comparing) causes() {
	c.specs()
	c.data()
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

func (c *comparing) cause(x Cause) { c.Causes = append(c.Causes, x) }

// specs names the keys of the study that differ.
func (c *comparing) specs() {
	if c.old.Spec == c.now.Spec {
		return
	}
	if c.old.Settings == nil || c.now.Settings == nil {
		c.cause(Cause{Kind: OfSpec, Text: "the study differs, and which keys do is not known: one of the two runs was " +
			"made by " +
			"a version that did not write them down"})
		return
	}
	keys := map[string]bool{}
	for _, side := range []map[string]string{c.old.Settings, c.now.Settings} {
		for key := range side {
			keys[key] = true
		}
	}
	for _, key := range seedFirst(slices.Sorted(maps.Keys(keys))) {
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
		if rest, ok := strings.CutPrefix(key, "datasets."); ok {
			x.Dataset = c.named(rest, c.datasets())
		}
		if rest, ok := strings.CutPrefix(key, "models."); ok {
			x.Model = c.named(rest, c.modelNames())
		}
		c.cause(x)
	}
}

// seedFirst puts the seed in front: other settings may follow from it.
func seedFirst(keys []string) []string {
	if i := slices.Index(keys, "seed"); i > 0 {
		copy(keys[1:i+1], keys[:i])
		keys[0] = "seed"
	}
	return keys
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

// named finds whose setting a key is.
func (c *comparing) named(key string, names []string) string {
	for _, name := range names {
		if strings.HasPrefix(key, name+".") {
			return name
		}
	}
	return ""
}

func (c *comparing) datasets() (out []string) {
	for _, d := range c.now.Data {
		out = append(out, d.Name)
	}
	return out
}

func (c *comparing) modelNames() (out []string) {
	for _, m := range c.now.Models {
		out = append(out, m.Name)
	}
	return out
}

// oneSided reports whether a key is of a dataset that one run lacks, or lists the datasets: that is said elsewhere.
func (c *comparing) oneSided(key string) bool {
	rest, ok := strings.CutPrefix(key, "datasets.")
	if !ok {
		return strings.HasPrefix(key, "cascades.") && strings.HasSuffix(key, ".datasets") || key == "left_out"
	}
	for _, r := range [][2]*accept.Run{{c.old, c.now}, {c.now, c.old}} {
		for _, d := range r[0].Data {
			if dataOf(r[1], d.Name) == nil && strings.HasPrefix(rest, d.Name+".") {
				return true
			}
		}
	}
	return false
}

// data says which rows differ.
func (c *comparing) data() {
	for _, d := range c.now.Data {
		m := c.matches[d.Name]
		if m == nil || !m.differs() {
			continue
		}
		c.cause(Cause{Kind: OfData, Dataset: d.Name, Old: m.old.Hash, New: m.now.Hash,
			Count: len(m.changed) + len(m.added) + len(m.removed) + len(m.renamed), Text: d.Name + ": " + m.words()})
	}
}

// splits says which records changed sides.
func (c *comparing) splits() {
	seen := map[string]bool{}
	for _, s := range c.subjects {
		moved := 0
		for i, k := range s.of.of {
			if k < 0 {
				continue
			}
			x, y := s.old.m.Part[k], s.now.m.Part[i]
			moved += tell(x != y && x != accept.Unused && y != accept.Unused)
		}
		if name := s.now.m.Dataset; moved > 0 && !seen[name] {
			seen[name] = true
			c.cause(Cause{Kind: OfSplit, Dataset: name, Count: moved, Text: fmt.Sprintf(
				"%s: %s between the fit part and the test part; %d of %d test records are those of before", name,
				count(moved, "record moved", "records moved"), len(s.pairs), len(s.now.test))})
		}
	}
}

// has reports whether there is a cause of a kind about a model, or about a dataset.
func (c *comparing) has(kind Kind, model, dataset string) bool {
	return slices.ContainsFunc(c.Causes, func(x Cause) bool {
		return x.Kind == kind && x.Model == model && x.Dataset == dataset
	})
}

// touching lists the kinds of causes that a quantity may have moved by.
func (c *comparing) touching(q *Quantity, s *subject) (kinds []Kind) {
	models := s.now.cascade.Models
	switch q.Policy {
	case accept.None:
		models = models[:1]
	case accept.All:
		models = models[len(models)-1:]
	}
	for _, x := range c.Causes {
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
