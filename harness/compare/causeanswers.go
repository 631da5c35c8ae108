package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"infnet/harness/accept"
	"infnet/harness/result"
)

// lists reports whether a subject is the one by which a model's answers to a dataset are listed.
func (s *subject) lists(dataset, model string) bool {
	return s.now.m.Dataset == dataset &&
		slices.ContainsFunc(s.models, func(m int) bool { return s.now.m.Models[m].Model == model })
}

// answers says which models answer otherwise, by what their answers say.
func (c *causes) answers() {
	for _, now := range c.now.Answers {
		old := find(c.old.Answers, func(a *result.AnswersContent) bool {
			return a.Model == now.Model && a.Dataset == now.Dataset
		})
		if old == nil || old.Hash == now.Hash {
			continue
		}
		other, known, all := c.otherAnswers(now.Model, now.Dataset)
		if other == 0 && (known || c.has(OfData, "", now.Dataset) || old.Answers != now.Answers) {
			continue // the same answers to the records of both; others were asked about
		}
		what := fmt.Sprintf("%s answers %s otherwise", now.Model, now.Dataset)
		switch {
		case known:
			what += fmt.Sprintf(" on %d of %d records", other, all)
		case other == 0:
			what = fmt.Sprintf("the answers of %s to %s have another hash; none turned right or wrong", now.Model,
				now.Dataset)
		}
		c.cause(Cause{Kind: OfAnswers, Model: now.Model, Dataset: now.Dataset, Old: old.Hash, New: now.Hash, Count: other,
			Text: what + c.why(now.Model, now.Dataset)})
	}
}

// otherAnswers counts the records that a model answers otherwise; known says that answers were compared, and not only
// what is right, costs and scores.
func (c *causes) otherAnswers(model, dataset string) (other int, known bool, all int) {
	for _, s := range c.subjects {
		if !s.lists(dataset, model) {
			continue
		}
		at := slices.IndexFunc(s.now.m.Models, func(a accept.Answered) bool { return a.Model == model })
		old, now := &s.old.m.Models[at], &s.now.m.Models[at]
		known = old.Said != nil && now.Said != nil && slices.Equal(s.old.data.Labels, s.now.data.Labels)
		s.of.each(func(k, i int) {
			if lost(old, k) || lost(now, i) {
				return
			}
			all++
			other += tell(known && old.Said[k] != now.Said[i] || !known && old.Right[k] != now.Right[i])
		})
	}
	return other, known, all
}

func lost(a *accept.Answered, record int) bool { return a.Lost != nil && a.Lost[record] }

// why says what explains other answers, if anything of the inputs does.
func (c *causes) why(model, dataset string) string {
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
func (c *causes) missing() {
	for _, s := range c.subjects {
		for _, m := range s.models {
			old, now := &s.old.m.Models[m], &s.now.m.Models[m]
			var gone, back []string
			s.of.each(func(k, i int) {
				if was, is := lost(old, k), lost(now, i); is && !was {
					gone = append(gone, s.now.data.IDs[i])
				} else if was && !is {
					back = append(back, s.now.data.IDs[i])
				}
			})
			say := func(list []string, one, many string) {
				if n := len(list); n > 0 {
					c.cause(Cause{Kind: OfMissing, Model: now.Model, Dataset: s.now.m.Dataset, Count: n, Text: fmt.Sprintf(
						"%s, %s: %s (%s)", s.now.m.Dataset, now.Model, Plural(n, one, many), some(list))})
				}
			}
			say(gone, "record has no answer now", "records have no answer now")
			say(back, "record without an answer has one now", "records without an answer have one now")
		}
	}
}

// scorers says where the same answers to the same records get other scores: embeddings and scores
// of pairs of texts come from models, too.
func (c *causes) scorers() {
	for _, now := range c.now.Data {
		if old := dataOf(c.old, now.Name); old != nil && old.Grader != now.Grader {
			c.cause(Cause{Kind: OfScorer, Dataset: now.Name, Key: "grader", Old: old.Grader, New: now.Grader,
				Text: fmt.Sprintf("%s: another program or judge grades, or its files or template changed: %s → %s", now.Name,
					cmp.Or(short(old.Grader), "none"), cmp.Or(short(now.Grader), "none"))})
		}
	}
	for _, s := range c.subjects {
		for _, m := range s.models {
			old, now := &s.old.m.Models[m], &s.now.m.Models[m]
			if c.has(OfAnswers, now.Model, s.now.m.Dataset) {
				continue
			}
			for _, metric := range slices.Sorted(maps.Keys(now.Scores)) {
				x, y, other := old.Scores[metric], now.Scores[metric], 0
				for _, p := range s.pairs {
					other += tell(len(x) == 1 && len(y) == 1 && math.Float64bits(x[0][p[0]]) != math.Float64bits(y[0][p[1]]))
				}
				if other > 0 {
					c.cause(Cause{Kind: OfScorer, Model: now.Model, Dataset: s.now.m.Dataset, Key: metric, Count: other,
						Text: fmt.Sprintf("%s scores the same answers of %s to %s otherwise, on %d of %d records: another embedder, "+
							"scorer or rule", metric, now.Model, s.now.m.Dataset, other, len(s.pairs))})
				}
			}
		}
	}
}
