package pool

import (
	"slices"

	"infnet/metrics/infer"
)

// Trial changes a judged claim to find what flips its verdict, or another answer. What is not changed stays as it is:
// the policy, and the claims that it is judged with.
type Trial struct {
	Worth
	Now    Verdict // the answer that is to change
	x      *Contest
	others []int // the depth of each resample in the other claims; nil = there are none
	// the answer where the estimates alone tell it, and where they do not
	estimated func(x *Contest) (v Verdict, ok bool)
	ask       func(x *Contest) Verdict
}

// Trials are of claims that are judged together.
func Trials(list []*Contest) (out []*Trial) {
	depths := make([][]int, len(list))
	for k, x := range list {
		_, depths[k] = ranked(x.each, x.level)
	}
	for k, x := range list {
		t := &Trial{x: x}
		if others := slices.Delete(slices.Clone(depths), k, k+1); len(others) > 0 {
			t.others = least(others)
		}
		t.Worth = t.judged(x)
		t.Now = t.Verdict
		t.estimated = func(x *Contest) (Verdict, bool) { return x.point().upTo(x) }
		t.ask = func(x *Contest) Verdict { return t.judged(x).Verdict }
		out = append(out, t)
	}
	return out
}

// IsWorth is a trial of whether the claim is worth it, whatever it is else.
func (t *Trial) IsWorth() *Trial {
	out := *t
	out.estimated = func(x *Contest) (Verdict, bool) {
		point := x.point()
		return NotShown, !point.cheaper || !point.within
	}
	out.ask = func(x *Contest) Verdict {
		if t.judged(x).Verdict != WorthIt {
			return NotShown
		}
		return WorthIt
	}
	out.Now = out.after(func(*Contest) {})
	return &out
}

// Whom is a trial of which models the rival asks, by their names. It needs no resamples.
func (t *Trial) Whom(names []string) *Trial {
	out := *t
	out.estimated = func(x *Contest) (Verdict, bool) {
		c := x.coin
		if c.Single() {
			return Verdict(names[c.First]), true
		}
		return Verdict(names[min(c.First, c.Second)] + " + " + names[max(c.First, c.Second)]), true
	}
	out.Now = out.after(func(*Contest) {})
	return &out
}

// after is the answer after a change of the tallies, which is made to the sums over the records, and again to those
// over resamples where they are needed.
func (t *Trial) after(change func(x *Contest)) Verdict {
	whole, x := *t.x, *t.x
	whole.tallies, x.tallies = slices.Clone(x.tallies), slices.Clone(x.tallies)
	for k := range whole.tallies {
		whole.tallies[k].each = nil
	}
	change(&whole)
	if v, ok := t.estimated(whole.held()); ok {
		return v
	}
	change(&x)
	return t.ask(x.held())
}

func (t *Trial) judged(x *Contest) Worth {
	sorted, depth := ranked(x.each, x.level)
	if t.others != nil {
		depth = least([][]int{depth, t.others})
	}
	return x.worth(sorted, tailOf(depth, x.level))
}

// Policy judges another policy in the place of the claim's, on the same resamples; single is the model whose answer
// counts on every record, or None.
func (t *Trial) Policy(rs *infer.Resamples, ours Measured, single int) Verdict {
	return t.after(func(x *Contest) {
		x.claim.Ours, x.claim.Single = ours, single
		if x.tallies[atCount].each == nil {
			x.tallies[atOurCost].whole, x.tallies[atOurError].whole = sum(ours.Cost), sum(ours.Error)
			return
		}
		copy(x.tallies[atOurCost:], tallied(rs, ours.Cost, ours.Error))
	})
}
