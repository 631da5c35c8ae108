package published

import (
	"math"
	"slices"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/spec"
	"infnet/metrics/infer"
)

// Against compares a study's results with a published table. Every printed row is
// in it, whether or not the study has a row to compare it with. For each group it
// lists how the study differs; where it does, there is no verdict.
func Against(b *Book, t *Printed, s *spec.Study, r *result.Results) *result.Published {
	out := &result.Published{Table: t.Label}
	implied := map[*Group]Number{} // None rows, where the random ones contradict them
	if all, err := b.Draws(); err == nil {
		for i := range all {
			if !all[i].Fits {
				implied[all[i].Group] = all[i].Likely()
			}
		}
	}
	for i := range t.Groups {
		g := &t.Groups[i]
		a := newComparison(b, s, r, g.Dataset, g.Student, g.Master)
		if v, wrong := implied[g]; wrong {
			none, _ := g.Row(None)
			a.implied = &v
			a.note(note.Misprint{Printed: none.Saved.Text, Implied: v.Text})
		}
		for _, row := range g.Rows {
			a.group.Rows = append(a.group.Rows, a.row(g, row))
		}
		out.Groups = append(out.Groups, a.group)
	}
	var last *comparison
	for _, x := range t.Tests {
		if last == nil || last.group.Dataset != x.Dataset || last.group.Student != x.Student ||
			last.group.Master != x.Master {
			if last != nil {
				out.Groups = append(out.Groups, last.group)
			}
			last = newComparison(b, s, r, x.Dataset, x.Student, x.Master)
		}
		last.group.Tests = append(last.group.Tests, last.test(x))
	}
	if last != nil {
		out.Groups = append(out.Groups, last.group)
	}
	return out
}

// comparison is one group of a published table and what the study has of it.
type comparison struct {
	book    *Book
	study   *spec.Study
	all     *result.Results
	cascade *result.Cascade // nil = the study has none
	ours    *result.Dataset // likewise
	set     *spec.Dataset
	implied *Number // saving of the None row, where the printed one is contradicted
	group   result.PublishedGroup
}

func newComparison(b *Book, s *spec.Study, r *result.Results, dataset, student, master string) *comparison {
	d := b.Dataset(dataset)
	a := &comparison{book: b, study: s, all: r,
		group: result.PublishedGroup{Dataset: dataset, Student: student, Master: master, Metrics: d.Metrics[:]}}
	for i := range r.Cascades {
		c := &r.Cascades[i]
		named := c.Written
		if named == nil {
			named = c.Models
		}
		at := slices.IndexFunc(c.Datasets, func(x result.Dataset) bool { return x.Name == dataset })
		if at >= 0 && slices.Equal(named, []string{student, master}) {
			a.cascade, a.ours, a.group.Cascade = c, &c.Datasets[at], c.Name
			break
		}
	}
	if a.ours == nil {
		a.differ(note.Absent{Student: student, Master: master, Dataset: dataset})
		return a
	}
	a.set, _ = s.Dataset(dataset)
	a.compareModels()
	a.compareRows(d)
	a.compareTask(d)
	a.group.Alike = len(a.group.Differs) == 0
	for _, x := range b.Statements {
		if x.Quantity == "direction" && x.Dataset == dataset && x.Value != d.Direction {
			a.note(note.TextDirection{Text: x.Value, Program: d.Direction})
		}
	}
	return a
}

func (a *comparison) differ(c note.Caveat) {
	a.group.Differs = append(a.group.Differs, result.NewNote(c))
}

func (a *comparison) note(c note.Caveat) { a.group.Notes = append(a.group.Notes, result.NewNote(c)) }

// identifiers are those of our rows that match a printed policy; the first that
// the study has is compared with it.
func identifiers(policy string) []string {
	b, known := baseline.ByPrint(policy)
	switch {
	case !known:
		return []string{"multi", "single"}
	case b.Rows != nil:
		return b.Rows
	}
	return []string{string(b.Kind)} // as released, where the study has that
}

// learning is what a printed policy does that learns; nil = it does not learn.
func learning(policy string) *baseline.Learning {
	b, _ := baseline.ByPrint(policy)
	return b.Learns
}

// find returns our row of a printed policy; a longer identifier of the same
// family counts where the plain one is not there.
func (a *comparison) find(policy string) *result.Row {
	if a.ours == nil {
		return nil
	}
	learned := learning(policy) != nil
	for _, id := range identifiers(policy) {
		for _, fits := range []func(string) bool{
			func(row string) bool {
				return learned && strings.HasPrefix(row, id+"-") && strings.HasSuffix(row, "-released")
			},
			func(row string) bool { return row == id },
			func(row string) bool { return learned && strings.HasPrefix(row, id+"-") },
		} {
			for i := range a.ours.Rows {
				if r := &a.ours.Rows[i]; r.Compared == nil && fits(r.Policy) {
					return r
				}
			}
		}
	}
	return nil
}

// row compares one policy.
func (a *comparison) row(g *Group, p Row) result.PublishedRow {
	out := result.PublishedRow{Policy: p.Policy}
	none, known := g.Row(None)
	base := none.Saved
	if a.implied != nil {
		base = *a.implied
	}
	deferred := result.Compare{Value: (base.Value - p.Saved.Value) / 100, Slack: (base.Half() + p.Saved.Half()) / 100,
		Difference: unknown}
	if p.Policy == None {
		deferred.Value, deferred.Slack = 0, 0
	} else if p.Policy == All {
		deferred.Value, deferred.Slack = 1, 0
	}
	ours := a.find(p.Policy)
	verdict := a.group.Alike
	if ours == nil {
		for i := range g.Rows[0].Scores {
			out.Scores = append(out.Scores, alone(p.Scores[i]))
		}
		out.Saved, out.Deferred = alone(p.Saved), deferred
		if a.ours != nil {
			out.Notes = append(out.Notes, result.NewNote(note.NoRow{Policy: p.Policy}))
		}
		return out
	}
	out.Row = ours.Policy
	learns := learning(p.Policy)
	notes, comparable := a.learnedAlike(ours, learns)
	out.Notes = append(out.Notes, notes...)
	verdict = verdict && comparable
	for i, metric := range a.group.Metrics {
		n, ok := ours.Metrics[metric]
		if first, also := ours.Metrics[metric+"-first"]; also { // against the first reference, as published
			n, ok = first, true
		}
		if !ok {
			out.Scores = append(out.Scores, alone(p.Scores[i]))
			continue
		}
		out.Scores = append(out.Scores, compare(p.Scores[i], n, verdict))
	}
	saved, summary := a.saved(ours)
	out.Summary = summary
	charge := a.book.Protocol["hybridllm_charge"]
	charged := learns == nil || !learns.Quality || ours.Charge == charge
	if !charged {
		out.Notes = append(out.Notes, result.NewNote(note.OtherCharge{Ours: ours.Charge, Published: charge}))
	}
	out.Saved = compare(p.Saved, saved, verdict && charged && summary == a.book.Protocol["summary"])
	if known {
		out.Deferred = against(deferred, ours.Deferred, verdict)
	}
	if p.Policy == Random && ours.Policy != baseline.PublishedDraw {
		out.Notes = append(out.Notes, result.NewNote(note.OneDraw{}))
	}
	return out
}

// learnedAlike says how a learned row differs from the published one, and whether
// the two can be compared. learns is nil for rows that learn nothing.
func (a *comparison) learnedAlike(ours *result.Row, learns *baseline.Learning) (notes []result.Note, comparable bool) {
	comparable = true
	if learns == nil {
		return nil, true
	}
	if learns.Quality {
		quality := note.OtherQuality{Published: a.book.Protocol["hybridllm_quality"]}
		switch {
		case a.set.Task == "classification":
			quality.Ours = note.IsRight
		case a.study.Scorer == nil:
			quality.Ours = note.TokenF1
		case slices.ContainsFunc(a.study.StandIns, func(x spec.StandIn) bool { return x.Part == spec.ScorerRole }):
			quality.Ours = note.StandIn
		}
		if quality.Ours != "" {
			notes, comparable = append(notes, result.NewNote(quality)), quality.Ours == note.IsRight
		}
	}
	if want := a.book.Protocol["learner"]; !strings.Contains(ours.Policy, want) {
		notes, comparable = append(notes, result.NewNote(note.OtherLearner{Published: want})), false
	}
	return notes, comparable
}

// saved is our row's saving by the published summary of costs, where that is
// defined for both models, else by our own. Either follows from the deferred
// share.
func (a *comparison) saved(r *result.Row) (infer.Interval, string) {
	want := a.book.Protocol["summary"]
	if a.cascade.Summary == want {
		return r.Saved, want
	}
	var costs [2]float64
	for _, c := range a.ours.Costs {
		for i, m := range a.cascade.Models {
			if c.Model == m && i < 2 {
				costs[i] = c.Signature
			}
		}
	}
	if costs[0] <= 0 || costs[1] <= 0 || r.Charge != "cascade" && r.Charge != "router" {
		return r.Saved, a.cascade.Summary
	}
	alone := float64(100 * (1 - costs[0]/costs[1]))
	of := func(deferred float64) float64 {
		if r.Charge == "router" {
			return (1 - deferred) * alone
		}
		return alone - float64(100*deferred)
	}
	v := r.Deferred
	v.Value, v.Low, v.High = of(r.Deferred.Value), of(r.Deferred.High), of(r.Deferred.Low)
	return v, want
}

var unknown = result.Float(math.NaN())

// alone is a printed number without ours.
func alone(n Number) result.Compare {
	return result.Compare{Printed: n.Text, Value: n.Value, Slack: n.Half(), Difference: unknown}
}

// compare compares our value with a printed number.
func compare(n Number, ours infer.Interval, verdict bool) result.Compare {
	return against(alone(n), ours, verdict)
}

// against completes a comparison. The verdict is whether our interval, widened
// by what rounding may have taken from the printed number, holds it.
func against(c result.Compare, ours infer.Interval, verdict bool) result.Compare {
	c.Ours = ours
	if ours.N == 0 || math.IsNaN(ours.Value) {
		return c
	}
	c.Difference = result.Float(ours.Value - c.Value)
	if verdict {
		c.Within = "no"
		if c.Value >= ours.Low-c.Slack-1e-12 && c.Value <= ours.High+c.Slack+1e-12 {
			c.Within = "yes"
		}
	}
	return c
}
