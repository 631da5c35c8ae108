package published

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/spec"
	"infnet/metrics/infer"
	"infnet/sufficiency"
)

// Against compares a study's results with a published table. Every printed row is
// in it, whether or not the study has a row to compare it with. For each group it
// lists how the study differs; where it does, there is no verdict.
func Against(b *Book, t *result.Published, s *spec.Study, r *result.Results) *result.Published {
	out := &result.Published{Table: t.Table}
	for _, g := range t.Groups {
		a := newComparison(b, s, r, g)
		if none := Row(&g, None); none != nil {
			a.none = none.Saved
		}
		if v, wrong := b.stated("implied-saved", t.Table, g.Dataset); wrong { // the random row contradicts the printed one
			implied := strconv.FormatFloat(v, 'f', 2, 64)
			a.note(note.Say("misprint", "The None row is printed as %s and implied by the Random row as %s, which deferred "+
				"shares are computed with.", a.none.Printed, implied))
			a.none = result.Compare{Printed: implied, Value: v}
		}
		a.group.Rows, a.group.Tests = slices.Clone(g.Rows), slices.Clone(g.Tests)
		for i := range a.group.Rows {
			a.row(&a.group.Rows[i])
		}
		for i := range a.group.Tests {
			a.test(&a.group.Tests[i])
		}
		out.Groups = append(out.Groups, a.group)
	}
	return out
}

type comparison struct {
	book    *Book
	study   *spec.Study
	all     *result.Results
	cascade *result.Cascade // nil = the study has none
	ours    *result.Dataset // likewise
	set     *spec.Dataset
	none    result.Compare // saving of the None row
	group   result.PublishedGroup
}

func newComparison(b *Book, s *spec.Study, r *result.Results, g result.PublishedGroup) *comparison {
	d := b.Dataset(g.Dataset)
	a := &comparison{book: b, study: s, all: r, group: g}
	for i := range r.Cascades {
		c := &r.Cascades[i]
		named := c.Written
		if named == nil {
			named = c.Models
		}
		at := slices.IndexFunc(c.Datasets, func(x result.Dataset) bool { return x.Name == g.Dataset })
		if at >= 0 && slices.Equal(named, []string{g.Student, g.Master}) {
			a.cascade, a.ours, a.group.Cascade = c, &c.Datasets[at], c.Name
			break
		}
	}
	if a.ours == nil {
		a.differ("absent", "The study has no cascade of %s and %s on %s.", g.Student, g.Master, g.Dataset)
		return a
	}
	a.set, _ = s.Dataset(g.Dataset)
	a.compareModels()
	a.compareRows(d)
	a.compareTask(d)
	a.group.Alike = len(a.group.Differs) == 0
	for _, x := range b.Statements {
		if x.Quantity == "direction" && x.Dataset == g.Dataset && x.Value != d.Direction {
			a.note(note.Say("text", "The paper's text says %s; the authors' program translates %s, and so the printed numbers "+
				"are.", way(x.Value), way(d.Direction)))
		}
	}
	return a
}

func (a *comparison) differ(kind note.Kind, format string, args ...any) {
	a.group.Differs = append(a.group.Differs, note.Say(kind, format, args...))
}

func (a *comparison) note(c note.Note) { a.group.Notes = append(a.group.Notes, c) }

// find returns our row of a printed policy, of several identifiers the first that the study has. Of a policy that
// learns, the row as released comes first, and a longer identifier counts where the plain one is not there.
func (a *comparison) find(policy string) *result.Row {
	if a.ours == nil {
		return nil
	}
	b, known := baseline.ByPrint(policy)
	ids := []string{string(b.Kind)}
	if !known {
		ids = []string{"multi", "single"}
	} else if b.Rows != nil {
		ids = b.Rows
	}
	for _, id := range ids {
		longer := func(row string) bool { return b.Learns != nil && strings.HasPrefix(row, id+"-") }
		for _, fits := range []func(row string) bool{
			func(row string) bool { return longer(row) && strings.HasSuffix(row, "-released") },
			func(row string) bool { return row == id },
			longer,
		} {
			i := slices.IndexFunc(a.ours.Rows, func(r result.Row) bool { return r.Compared == nil && fits(r.Policy) })
			if i >= 0 {
				return &a.ours.Rows[i]
			}
		}
	}
	return nil
}

func (a *comparison) row(out *result.PublishedRow) {
	out.Deferred = result.Compare{Value: (a.none.Value - out.Saved.Value) / 100,
		Slack: (a.none.Slack + out.Saved.Slack) / 100, Difference: unknown}
	if out.Policy == None || out.Policy == All {
		out.Deferred.Value, out.Deferred.Slack = 0, 0
		if out.Policy == All {
			out.Deferred.Value = 1
		}
	}
	add := func(kind note.Kind, format string, args ...any) {
		out.Notes = append(out.Notes, note.Say(kind, format, args...))
	}
	ours := a.find(out.Policy)
	if ours == nil {
		if a.ours != nil {
			add("absent", "The study has no %s row.", out.Policy)
		}
		return
	}
	out.Row = ours.Policy
	b, _ := baseline.ByPrint(out.Policy)
	verdict := a.learnedAlike(ours, b.Learns, add) && a.group.Alike
	out.Scores = slices.Clone(out.Scores)
	for i, metric := range a.group.Metrics {
		n, ok := ours.Metrics[metric]
		if first, also := ours.Metrics[metric+"-first"]; also { // against the first reference, as published
			n, ok = first, true
		}
		if ok {
			out.Scores[i] = against(out.Scores[i], n, verdict)
		}
	}
	saved, summary := a.saved(ours)
	out.Summary = summary
	charge := a.book.Protocol["hybridllm_charge"]
	charged := b.Learns == nil || !b.Learns.Quality || ours.Charge == charge
	if !charged {
		add("charging", "Published as charged like a %s; ours is charged as a %s, so that the savings cannot be compared.",
			charge, ours.Charge)
	}
	out.Saved = against(out.Saved, saved, verdict && charged && summary == a.book.Protocol["summary"])
	out.Deferred = against(out.Deferred, ours.Deferred, verdict)
	if out.Policy == Random && ours.Policy != baseline.PublishedDraw {
		add("draw", "Published is one draw, ours the expectation.")
	}
}

// learnedAlike says how a learned row differs from the published one, and reports whether
// the two can be compared. learns is nil for rows that learn nothing.
func (a *comparison) learnedAlike(ours *result.Row, learns *baseline.Learning,
	add func(kind note.Kind, format string, args ...any)) bool {
	comparable := true
	if learns == nil {
		return true
	}
	if quality := a.book.Protocol["hybridllm_quality"]; learns.Quality {
		const learned = "Published, the router learned which answer has the larger %s, here which "
		switch {
		case a.set.Task == "classification":
			add("quality", learned+"is right: the same but where both are wrong.", quality)
		case a.study.Scorer == nil:
			add("quality", learned+"has the larger token F1: no verdict.", quality)
			comparable = false
		case slices.ContainsFunc(a.study.StandIns, func(x spec.StandIn) bool { return x.Part == spec.ScorerRole }):
			add("quality", "Another scorer than the study's tells which answer has the larger %s: no verdict.", quality)
			comparable = false
		}
	}
	if want := a.book.Protocol["learner"]; !strings.Contains(ours.Policy, want) {
		add("learner", "Another learner than the published one, which is a fine-tuned %s: no verdict.", want)
		comparable = false
	}
	return comparable
}

// saved is our row's saving by the published summary of costs, where that is
// defined for both models, else by our own. Either follows from the deferred
// share.
func (a *comparison) saved(r *result.Row) (infer.Interval, string) {
	want := a.book.Protocol["summary"]
	if a.cascade.Summary == want {
		return r.Saved, want
	}
	costs := map[string]float64{}
	for _, c := range a.ours.Costs {
		costs[c.Model] = c.Signature
	}
	student, master := costs[a.cascade.Models[0]], costs[a.cascade.Models[1]]
	if student <= 0 || master <= 0 || r.Charge != "cascade" && r.Charge != "router" {
		return r.Saved, a.cascade.Summary
	}
	alone := float64(100 * (1 - student/master))
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

func (a *comparison) test(out *result.PublishedTest) {
	if a.ours == nil {
		return
	}
	add := func(kind note.Kind, format string, args ...any) {
		out.Notes = append(out.Notes, note.Say(kind, format, args...))
	}
	const untested = "The study does not test this."
	q := a.ours.Sufficiency
	if q == nil {
		add("absent", untested)
		return
	}
	verdict := a.group.Alike
	if out.Extra == "embeddings" {
		want := a.book.Protocol["embedder"]
		if a.set.Direction != "" {
			want = a.book.Protocol["embedder_of_translated"]
		}
		if ours := a.embedder(); !sameEmbedder(ours, want) {
			add("embeddings", "The inputs are embedded by %s, published by %s.", ours, want)
			verdict = false
		}
	}
	stated, ok := a.book.stated("permutations", "", "")
	if ok && (float64(q.Permutations) != stated || q.Method != sufficiency.Plain.String()) {
		tested := fmt.Sprintf("%d at most", q.Permutations)
		if q.Permutations == 0 {
			tested = fmt.Sprintf("the covariance measures, on %d random halves, which shuffles nothing", sufficiency.Splits)
		}
		add("permutations", "Published: %g shuffles of J, anywhere, on all records. Ours: %s, on the fit part.", stated,
			tested)
	}
	i := slices.IndexFunc(q.Rows, func(r sufficiency.Row) bool { return r.Set == out.Extra && r.Null == sufficiency.Beta })
	if i < 0 {
		add("absent", untested)
		return
	}
	r := &q.Rows[i]
	if !r.Measured() {
		add("absent", "Ours is not tested: %s.", r.State)
		return
	}
	at := func(v float64) infer.Interval { return infer.Interval{Value: v, Low: v, High: v, N: q.Records} }
	p := at(r.P)
	if r.Permutation != nil {
		p = r.Permutation.Test.Chance
	}
	out.Null, out.Full = against(out.Null, at(r.MSENull.Mean), false), against(out.Full, at(r.MSEFull.Mean), false)
	out.Delta, out.P = against(out.Delta, r.Gain, verdict), against(out.P, p, false)
	if r.State == sufficiency.Undecided {
		add("fit", "Ours cannot decide: the regression of Δ on β does not fit.")
	}
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
