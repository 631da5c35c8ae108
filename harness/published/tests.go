package published

import (
	"fmt"

	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/sufficiency"
)

// test compares one line of the sufficiency table.
func (a *comparison) test(x Test) result.PublishedTest {
	out := result.PublishedTest{Extra: x.Extra, Null: alone(x.Null), Full: alone(x.Full), Delta: alone(x.Delta),
		P: alone(x.P)}
	if a.ours == nil {
		return out
	}
	absent := func(text string) result.PublishedTest {
		out.Notes = append(out.Notes, result.Note{Kind: "absent", Text: text})
		return out
	}
	if a.ours.Sufficiency == nil {
		return absent("The study does not test this.")
	}
	q := a.ours.Sufficiency
	verdict := a.group.Alike
	if x.Extra == "embeddings" {
		want := a.book.Protocol["embedder"]
		if a.set.Direction != "" {
			want = a.book.Protocol["embedder_of_translated"]
		}
		if ours := a.embedder(); !sameEmbedder(ours, want) {
			out.Notes, verdict = append(out.Notes, result.Note{Kind: "embeddings",
				Text: fmt.Sprintf("The inputs are embedded by %s, published by %s.", ours, want)}), false
		}
	}
	if stated, ok := a.book.Stated("permutations"); ok &&
		(float64(q.Permutations) != stated || q.Method != sufficiency.Plain.String()) {
		out.Notes = append(out.Notes, result.Note{Kind: "permutations",
			Text: fmt.Sprintf("Published: %g shuffles of J, anywhere, on all records. Ours: %s, on the fit part.", stated,
				protocol(q))})
	}
	for i := range q.Rows {
		r := &q.Rows[i]
		if r.Set != x.Extra || r.Null != sufficiency.Beta {
			continue
		}
		if !r.Measured() {
			return absent(fmt.Sprintf("Ours is not tested: %s.", r.State))
		}
		at := func(v float64) infer.Interval { return infer.Interval{Value: v, Low: v, High: v, N: q.Records} }
		out.Null = against(out.Null, at(r.MSENull.Mean), false)
		out.Full = against(out.Full, at(r.MSEFull.Mean), false)
		out.Delta = against(out.Delta, r.Gain, verdict)
		p := at(r.P)
		if r.Shuffle != nil {
			p = r.Shuffle.Test.Chance
		}
		out.P = against(out.P, p, false)
		if r.State == sufficiency.Undecided {
			out.Notes = append(out.Notes, result.Note{Kind: "fit",
				Text: "Ours cannot decide: the regression of Δ on β does not fit."})
		}
		return out
	}
	return absent("The study does not test this.")
}

// protocol says how a study tested.
func protocol(q *result.Sufficiency) string {
	switch q.Method {
	case sufficiency.Plain.String():
		return fmt.Sprintf("%d at most", q.Permutations)
	case sufficiency.Conditional.String():
		return fmt.Sprintf("%d at most, among neighbours in β", q.Permutations)
	}
	return fmt.Sprintf("the projected covariance measure on %d random halves, which shuffles nothing", q.Splits)
}
