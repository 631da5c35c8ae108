package compare

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"infnet/harness/accept"
	"infnet/harness/result"
)

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
