package compare

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/accept"
	"infnet/harness/result"
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

// models says which models and servers are others.
func (c *comparing) models() {
	for i := range c.now.Models {
		now := &c.now.Models[i]
		at := slices.IndexFunc(c.old.Models, func(m result.Model) bool { return m.Name == now.Name })
		if at < 0 {
			c.cause(Cause{Kind: OfModel, Model: now.Name, Text: now.Name + ": a model that the other run has not"})
			continue
		}
		old := &c.old.Models[at]
		c.field(OfModel, now.Name, "id", old.ID, now.ID)
		c.field(OfModel, now.Name, "revision", short(old.Revision), short(now.Revision))
		c.field(OfModel, now.Name, "backend", old.Backend, now.Backend)
		c.field(OfServer, now.Name, "the name it is asked for by", old.Served, now.Served)
		c.field(OfServer, now.Name, "how labels are asked", old.LabelMode, now.LabelMode)
		c.field(OfServer, now.Name, "server", servers(old), servers(now))
		c.field(OfServer, now.Name, "the name it answers under", responders(old), responders(now))
	}
}

// field says that something about a model differs.
func (c *comparing) field(kind Kind, model, what, old, now string) {
	if old != now {
		c.cause(Cause{Kind: kind, Model: model, Key: what, Old: old, New: now,
			Text: fmt.Sprintf("%s, %s: %s → %s", model, what, orNone(old), orNone(now))})
	}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// short is the beginning of a hash, which is longer than what a reader compares.
func short(hash string) string {
	if len(hash) > 16 {
		return hash[:16]
	}
	return hash
}

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

// answers says which models answer otherwise, by what their answers say.
func (c *comparing) answers() {
	for _, now := range c.now.Answers {
		at := slices.IndexFunc(c.old.Answers, func(a result.AnswersContent) bool {
			return a.Model == now.Model && a.Dataset == now.Dataset
		})
		if at < 0 || c.old.Answers[at].Hash == now.Hash {
			continue
		}
		x := Cause{Kind: OfAnswers, Model: now.Model, Dataset: now.Dataset, Old: c.old.Answers[at].Hash, New: now.Hash}
		other, known, all := c.otherAnswers(now.Model, now.Dataset)
		if other == 0 && (known || c.has(OfData, "", now.Dataset) || c.old.Answers[at].Answers != now.Answers) {
			continue // the same answers to the records of both; others were asked about
		}
		x.Count = other
		what := fmt.Sprintf("%s answers %s otherwise", now.Model, now.Dataset)
		switch {
		case known:
			what += fmt.Sprintf(" on %d of %d records", other, all)
		case other == 0:
			what = fmt.Sprintf("the answers of %s to %s have another hash; none turned right or wrong", now.Model,
				now.Dataset)
		}
		x.Text = what + c.why(now.Model, now.Dataset)
		c.cause(x)
	}
}

// otherAnswers counts the records that a model answers otherwise; known says that answers were compared, and not only
// what is right, costs and scores.
func (c *comparing) otherAnswers(model, dataset string) (other int, known bool, all int) {
	for _, s := range c.subjects {
		at := slices.IndexFunc(s.now.m.Models, func(a accept.Answered) bool { return a.Model == model })
		if s.now.m.Dataset != dataset || at < 0 || at >= len(s.old.m.Models) {
			continue
		}
		old, now := &s.old.m.Models[at], &s.now.m.Models[at]
		known = old.Said != nil && now.Said != nil && slices.Equal(s.old.data.Labels, s.now.data.Labels)
		for i, k := range s.of.of {
			if k < 0 || lost(old, k) || lost(now, i) {
				continue
			}
			all++
			other += tell(known && old.Said[k] != now.Said[i] || !known && old.Right[k] != now.Right[i])
		}
		return other, known, all
	}
	return 0, false, 0
}

func lost(a *accept.Answered, record int) bool { return a.Lost != nil && a.Lost[record] }

// why says what explains other answers, if anything of the inputs does.
func (c *comparing) why(model, dataset string) string {
	switch {
	case c.has(OfModel, model, ""):
		return ": it is another model or revision"
	case c.has(OfSpec, "", dataset):
		return ": it was asked otherwise"
	case c.has(OfSpec, model, ""):
		return ": its settings are others"
	case c.has(OfServer, model, ""):
		return ": another server or version"
	}
	return ", though its name, revision and server are the same: other weights behind the same name, or a server that " +
		"does not repeat itself"
}

// has reports whether there is a cause of a kind about a model, or about a dataset.
func (c *comparing) has(kind Kind, model, dataset string) bool {
	return slices.ContainsFunc(c.Causes, func(x Cause) bool {
		return x.Kind == kind && x.Model == model && x.Dataset == dataset
	})
}

// missing says which records lost an answer, or have one now.
func (c *comparing) missing() {
	seen := map[string]bool{}
	for _, s := range c.subjects {
		for m := range s.now.m.Models {
			now := &s.now.m.Models[m]
			name := now.Model + " " + s.now.m.Dataset
			if seen[name] || m >= len(s.old.m.Models) {
				continue
			}
			seen[name] = true
			old := &s.old.m.Models[m]
			var gone, back []string
			for i, k := range s.of.of {
				if k < 0 {
					continue
				}
				if was, is := lost(old, k), lost(now, i); is && !was {
					gone = append(gone, s.now.data.IDs[i])
				} else if was && !is {
					back = append(back, s.now.data.IDs[i])
				}
			}
			x := Cause{Kind: OfMissing, Model: now.Model, Dataset: s.now.m.Dataset}
			if x.Count = len(gone); x.Count > 0 {
				x.Text = fmt.Sprintf("%s, %s: %s (%s)", s.now.m.Dataset, now.Model,
					count(len(gone), "record has no answer now", "records have no answer now"), some(gone))
				c.cause(x)
			}
			if x.Count = len(back); x.Count > 0 {
				x.Text = fmt.Sprintf("%s, %s: %s (%s)", s.now.m.Dataset, now.Model,
					count(len(back), "record without an answer has one now", "records without an answer have one now"), some(back))
				c.cause(x)
			}
		}
	}
}

// scorers says where the same answers to the same records get other scores: embeddings and scores
// of pairs of texts come from models, too.
func (c *comparing) scorers() {
	seen := map[string]bool{}
	for _, s := range c.subjects {
		for m := range s.now.m.Models {
			now := &s.now.m.Models[m]
			if m >= len(s.old.m.Models) || c.has(OfAnswers, now.Model, s.now.m.Dataset) {
				continue
			}
			for _, metric := range slices.Sorted(maps.Keys(now.Scores)) {
				x, y := s.old.m.Models[m].Scores[metric], now.Scores[metric]
				other := 0
				for _, p := range s.pairs {
					other += tell(len(x) == len(s.old.test) && math.Float64bits(x[p[0]]) != math.Float64bits(y[p[1]]))
				}
				if name := now.Model + " " + s.now.m.Dataset + " " + metric; other > 0 && !seen[name] {
					seen[name] = true
					c.cause(Cause{Kind: OfScorer, Model: now.Model, Dataset: s.now.m.Dataset, Key: metric, Count: other,
						Text: fmt.Sprintf("%s scores the same answers of %s to %s otherwise, on %d of %d records: another embedder, "+
							"scorer or rule", metric, now.Model, s.now.m.Dataset, other, len(s.pairs))})
				}
			}
		}
	}
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
