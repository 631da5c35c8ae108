package published

import (
	"infnet/harness/result"
	"infnet/harness/result/note"
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
	add := func(c note.Caveat) { out.Notes = append(out.Notes, result.NewNote(c)) }
	if a.ours.Sufficiency == nil {
		add(note.Untested{})
		return out
	}
	q := a.ours.Sufficiency
	verdict := a.group.Alike
	if x.Extra == "embeddings" {
		want := a.book.Protocol["embedder"]
		if a.set.Direction != "" {
			want = a.book.Protocol["embedder_of_translated"]
		}
		if ours := a.embedder(); !sameEmbedder(ours, want) {
			add(note.OtherEmbedder{Ours: ours, Published: want})
			verdict = false
		}
	}
	if stated, ok := a.book.Stated("permutations"); ok &&
		(float64(q.Permutations) != stated || q.Method != sufficiency.Plain.String()) {
		add(note.OtherTest{Published: stated, Method: q.Method, Permutations: q.Permutations, Splits: q.Splits})
	}
	for i := range q.Rows {
		r := &q.Rows[i]
		if r.Set != x.Extra || r.Null != sufficiency.Beta {
			continue
		}
		if !r.Measured() {
			add(note.Untested{State: string(r.State)})
			return out
		}
		at := func(v float64) infer.Interval { return infer.Interval{Value: v, Low: v, High: v, N: q.Records} }
		out.Null = against(out.Null, at(r.MSENull.Mean), false)
		out.Full = against(out.Full, at(r.MSEFull.Mean), false)
		out.Delta = against(out.Delta, r.Gain, verdict)
		p := at(r.P)
		if r.Permutation != nil {
			p = r.Permutation.Test.Chance
		}
		out.P = against(out.P, p, false)
		if r.State == sufficiency.Undecided {
			add(note.Undecided{})
		}
		return out
	}
	add(note.Untested{})
	return out
}
