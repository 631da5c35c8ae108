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
	ask    func(x Contest) Verdict
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
		t.Worth = t.judged(*x)
		t.Now, t.ask = t.Verdict, t.verdict
		out = append(out, t)
	}
	return out
}

// IsWorth is a trial of whether the claim is worth it, whatever it is else.
func (t *Trial) IsWorth() *Trial {
	out := *t
	out.ask = func(x Contest) Verdict {
		// First the records themselves, then the errors, which need no search for the rival.
		most := outside(len(x.each[0]), x.level) + 1
		if point := x.whole().held().grounds(1); !point.cheaper || !point.within ||
			!x.compared(false).within(most) || t.verdict(x) != WorthIt {
			return NotShown
		}
		return WorthIt
	}
	out.Now = out.ask(*t.x)
	return &out
}

// Whom is a trial of which models the rival asks, by their names. It needs no resamples.
func (t *Trial) Whom(names []string) *Trial {
	out, x := *t, t.x.whole()
	out.x, out.ask = &x, func(x Contest) Verdict {
		c := x.held().coin
		if c.Single() {
			return Verdict(names[c.First])
		}
		return Verdict(names[min(c.First, c.Second)] + " + " + names[max(c.First, c.Second)])
	}
	out.Now = out.ask(x)
	return &out
}

func (t *Trial) judged(x Contest) Worth {
	held := x.held()
	sorted, depth := ranked(held.each, x.level)
	if t.others != nil {
		depth = least([][]int{depth, t.others})
	}
	return held.worth(sorted, tailOf(depth, x.level))
}

// verdict is that of judged, without ranking the resamples where the verdict does not hang on it: see bounds.
func (t *Trial) verdict(x Contest) Verdict {
	held := x.held()
	low, high := t.bounds(held)
	sure, may := held.grounds(low), held.grounds(high)
	if sure == may {
		return sure.verdict(&x.claim, x.clusters)
	}
	return t.judged(x).Verdict
}

// bounds are how many resamples lie beyond the end of an interval, at least and at most as far as grounds look. Of each
// statistic at most 2d resamples lie at a depth up to d. And where more lie beyond a limit than may lie outside, they
// all have a depth of at most their number, and so the interval passes the limit.
func (t *Trial) bounds(x *Contest) (low, high int) {
	n := len(x.each[0])
	most := outside(n, x.level)
	beside := func(d int) (count int) {
		for _, o := range t.others {
			if o <= d {
				count++
			}
		}
		return count
	}
	least := 1 + most/(2*len(x.each))
	for least > 1 && 2*len(x.each)*(least-1)+beside(least-1) > most {
		least--
	}
	return x.cut(float64(least) / float64(n)), most + 1
}

// whole is the contest on the records themselves, without resamples.
func (x Contest) whole() Contest {
	x.tallies = slices.Clone(x.tallies)
	for k := range x.tallies {
		x.tallies[k].each = nil
	}
	return x
}

// changed is the contest to be changed: its tallies are a copy.
func (t *Trial) changed() Contest {
	x := *t.x
	x.tallies = slices.Clone(x.tallies)
	return x
}

// Policy judges another policy in the place of the claim's, on the same resamples; single is the model whose answer
// counts on every record, or None.
func (t *Trial) Policy(rs *infer.Resamples, ours Measured, single int) Verdict {
	x := t.changed()
	x.claim.Ours, x.claim.Single = ours, single
	copy(x.tallies[atOurCost:], tallied(rs, ours.Cost, ours.Error))
	return t.ask(x)
}
