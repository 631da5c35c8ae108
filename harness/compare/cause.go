package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/accept"
	"infnet/harness/result"
)

// list names what differs between the inputs of the two runs, in the order in which it acts.
func (c *comparing) list() {
	c.specs()
	for _, d := range c.now.Data {
		if m := c.matches[d.Name]; m != nil && !m.hashed {
			text, n := m.words()
			c.cause(Cause{Kind: OfData, Dataset: d.Name, Old: m.old.Hash, New: m.now.Hash, Count: n}, "%s: %s", d.Name, text)
		}
	}
	c.splits()
	c.models()
	for _, now := range c.now.Answers {
		old := find(c.old.Answers, func(a *result.AnswersContent) bool {
			return a.Model == now.Model && a.Dataset == now.Dataset
		})
		if old != nil && old.Hash != now.Hash {
			c.otherwise(old, &now)
		}
	}
	c.missing()
	c.scorers()
	if x, y := c.old.Program, c.now.Program; x != y {
		c.cause(Cause{Kind: OfProgram, Old: x, New: y}, "another infnet: %s, now %s", x, y)
	}
}

// cause adds a cause, in words.
func (c *comparing) cause(x Cause, format string, args ...any) {
	x.Text = fmt.Sprintf(format, args...)
	c.out.Causes = append(c.out.Causes, x)
}

// has reports whether there is a cause of a kind about a model, or about a dataset.
func (c *comparing) has(kind Kind, model, dataset string) bool {
	return slices.ContainsFunc(c.out.Causes, func(x Cause) bool {
		return x.Kind == kind && x.Model == model && x.Dataset == dataset
	})
}

// specs names the keys of the study that differ.
func (c *comparing) specs() {
	if c.old.Spec == c.now.Spec {
		return
	}
	if c.old.Settings == nil || c.now.Settings == nil {
		c.cause(Cause{Kind: OfSpec}, "the study differs, and which keys do is not known: one of the two runs was made by a "+
			"version that did not write them down")
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
		x := Cause{Kind: OfSpec, Key: key, Old: old, New: now}
		if key == "seed" {
			x.Kind = OfSeed
		}
		for _, d := range c.now.Data {
			if strings.HasPrefix(key, "datasets."+d.Name+".") {
				x.Dataset = cmp.Or(x.Dataset, d.Name)
			}
		}
		for _, m := range c.now.Models {
			if strings.HasPrefix(key, "models."+m.Name+".") {
				x.Model = cmp.Or(x.Model, m.Name)
			}
		}
		c.cause(x, "%s: %s → %s", key, said(old), said(now))
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
func (c *comparing) oneSided(key string) bool {
	rest, ok := strings.CutPrefix(key, "datasets.")
	if !ok {
		return strings.HasPrefix(key, "cascades.") && strings.HasSuffix(key, ".datasets") || key == "left_out"
	}
	return slices.ContainsFunc(slices.Concat(c.old.Data, c.now.Data), func(d accept.Data) bool {
		return strings.HasPrefix(rest, d.Name+".") && (dataOf(c.old, d.Name) == nil || dataOf(c.now, d.Name) == nil)
	})
}

// splits says which records changed sides.
func (c *comparing) splits() {
	for _, s := range c.subjects {
		moved := 0
		s.of.each(func(k, i int) {
			x, y := s.old.m.Part[k], s.now.m.Part[i]
			moved += tell(x != y && x != accept.Unused && y != accept.Unused)
		})
		if name := s.now.m.Dataset; moved > 0 && !c.has(OfSplit, "", name) {
			c.cause(Cause{Kind: OfSplit, Dataset: name, Count: moved},
				"%s: %s between the fit part and the test part; %d of %d test records are those of before", name,
				Plural(moved, "record moved", "records moved"), len(s.pairs), len(s.now.test))
		}
	}
}

// models says which models and servers are others.
func (c *comparing) models() {
	for i := range c.now.Models {
		now := &c.now.Models[i]
		old := find(c.old.Models, func(m *result.Model) bool { return m.Name == now.Name })
		if old == nil {
			c.cause(Cause{Kind: OfModel, Model: now.Name}, "%s: a model that the other run has not", now.Name)
			continue
		}
		for _, f := range []struct {
			kind     Kind
			what     string
			old, now string
		}{
			{OfModel, "id", old.ID, now.ID},
			{OfModel, "revision", short(old.Revision), short(now.Revision)},
			{OfServer, "backend", old.Backend, now.Backend},
			{OfServer, "the name it is asked for by", old.Served, now.Served},
			{OfServer, "how labels are asked", old.LabelMode, now.LabelMode},
			{OfServer, "server", servers(old), servers(now)},
			{OfServer, "the name it answers under", responders(old), responders(now)},
		} {
			if f.old != f.now {
				c.cause(Cause{Kind: f.kind, Model: now.Name, Key: f.what, Old: f.old, New: f.now}, "%s, %s: %s → %s", now.Name,
					f.what, cmp.Or(f.old, "none"), cmp.Or(f.now, "none"))
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

// otherwise says that a model answers otherwise, by what its answers say, and what of the inputs explains it.
func (c *comparing) otherwise(old, now *result.AnswersContent) {
	model, dataset := now.Model, now.Dataset
	other, all, known := 0, 0, false // known: answers were compared, and not only what is right, costs and scores
	if a := c.answered(model, dataset); a != nil {
		known = a.old.Said != nil && a.now.Said != nil && slices.Equal(a.of.old.data.Labels, a.of.now.data.Labels)
		a.of.of.each(func(k, i int) {
			if !lost(a.old, k) && !lost(a.now, i) {
				all++
				other += tell(known && a.old.Said[k] != a.now.Said[i] || !known && a.old.Right[k] != a.now.Right[i])
			}
		})
	}
	what := fmt.Sprintf("%s answers %s otherwise", model, dataset)
	switch {
	case other == 0 && (known || c.has(OfData, "", dataset) || old.Answers != now.Answers):
		return // the same answers to the records of both; others were asked about
	case known:
		what += fmt.Sprintf(" on %d of %d records", other, all)
	case other == 0:
		what = fmt.Sprintf("the answers of %s to %s have another hash; none turned right or wrong", model, dataset)
	}
	why := ", though its name, revision and server are the same: other weights behind the same name, or a server that " +
		"does not repeat itself"
	switch {
	case c.has(OfModel, model, ""):
		why = ": it is another model or revision"
	case c.has(OfSpec, "", dataset):
		why = ": it was asked otherwise"
	case c.has(OfSpec, model, ""):
		why = ": its settings are others"
	case c.has(OfServer, model, ""):
		why = ": another server or version"
	}
	c.cause(Cause{Kind: OfAnswers, Model: model, Dataset: dataset, Old: old.Hash, New: now.Hash, Count: other}, "%s%s",
		what, why)
}

func lost(a *accept.Answered, record int) bool { return a.Lost != nil && a.Lost[record] }

// missing says which records lost an answer, or have one now.
func (c *comparing) missing() {
	for _, a := range c.answers {
		var moved [2][]string // gone, and back
		a.of.of.each(func(k, i int) {
			if is := lost(a.now, i); is != lost(a.old, k) {
				way := tell(!is)
				moved[way] = append(moved[way], a.of.now.data.IDs[i])
			}
		})
		for way, words := range [][2]string{{"record has no answer now", "records have no answer now"},
			{"record without an answer has one now", "records without an answer have one now"}} {
			if n := len(moved[way]); n > 0 {
				c.cause(Cause{Kind: OfMissing, Model: a.now.Model, Dataset: a.dataset(), Count: n}, "%s, %s: %s (%s)", a.dataset(),
					a.now.Model, Plural(n, words[0], words[1]), some(moved[way]))
			}
		}
	}
}

// scorers says where the same answers to the same records get other scores: embeddings and scores
// of pairs of texts come from models, too.
func (c *comparing) scorers() {
	for _, now := range c.now.Data {
		if old := dataOf(c.old, now.Name); old != nil && old.Grader != now.Grader {
			c.cause(Cause{Kind: OfScorer, Dataset: now.Name, Key: "grader", Old: old.Grader, New: now.Grader},
				"%s: another program or judge grades, or its files or template changed: %s → %s", now.Name,
				cmp.Or(short(old.Grader), "none"), cmp.Or(short(now.Grader), "none"))
		}
	}
	for _, a := range c.answers {
		if c.has(OfAnswers, a.now.Model, a.dataset()) {
			continue
		}
		for _, metric := range slices.Sorted(maps.Keys(a.now.Scores)) {
			x, y, other := a.old.Scores[metric], a.now.Scores[metric], 0
			for _, p := range a.of.pairs {
				other += tell(len(x) == 1 && len(y) == 1 && math.Float64bits(x[0][p[0]]) != math.Float64bits(y[0][p[1]]))
			}
			if other > 0 {
				c.cause(Cause{Kind: OfScorer, Model: a.now.Model, Dataset: a.dataset(), Key: metric, Count: other},
					"%s scores the same answers of %s to %s otherwise, on %d of %d records: another embedder, scorer or rule",
					metric, a.now.Model, a.dataset(), other, len(a.of.pairs))
			}
		}
	}
}

// touching lists the kinds of causes that a quantity may have moved by.
func (c *comparing) touching(h *hypothesis) (kinds []Kind) {
	all := h.s.now.cascade.Models
	models := all
	switch h.q.Policy {
	case accept.None:
		models = models[:1]
	case accept.All:
		models = models[len(models)-1:]
	}
	for _, x := range c.out.Causes {
		of := models
		if x.Kind == OfMissing { // a record counts where all models answered
			of = all
		}
		if (x.Dataset == "" || x.Dataset == h.q.Dataset) && (x.Model == "" || slices.Contains(of, x.Model)) &&
			!(x.Kind == OfSpec && strings.HasPrefix(x.Key, "collect.")) && !slices.Contains(kinds, x.Kind) {
			kinds = append(kinds, x.Kind)
		}
	}
	return kinds
}
