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
	others []int // the depth of each resample in what does not change: the other claims; nil = there are none
	prices bool  // prices alone change: the errors of x are among what does not
	ask    func(t *Trial, x Contest) Verdict
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
		t.Now, t.ask = t.Verdict, (*Trial).verdict
		out = append(out, t)
	}
	return out
}

// IsWorth is a trial of whether the claim is worth it, whatever it is else.
func (t *Trial) IsWorth() *Trial {
	out := *t
	out.ask = func(t *Trial, x Contest) Verdict {
		// First the records themselves, then the errors, which need no search for the rival.
		most := outside(len(x.each[0]), x.level) + 1
		if point := x.whole().held().grounds(1); !point.cheaper || !point.within ||
			!x.compared(true, false).within(most) || t.verdict(x) != WorthIt {
			return NotShown
		}
		return WorthIt
	}
	out.Now = out.ask(&out, *t.x)
	return &out
}

// Whom is a trial of which models the rival asks, by their names. It needs no resamples.
func (t *Trial) Whom(names []string) *Trial {
	out, x := *t, t.x.whole()
	out.x, out.ask = &x, func(_ *Trial, x Contest) Verdict {
		c := x.held().coin
		if c.Single() {
			return Verdict(names[c.First])
		}
		return Verdict(names[min(c.First, c.Second)] + " + " + names[max(c.First, c.Second)])
	}
	out.Now = out.ask(&out, x)
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

// priced is a trial in which prices alone change.
func (t *Trial) priced() *Trial {
	out := *t
	if len(t.x.tallies[0].each) == 0 { // nothing is resampled
		return &out
	}
	_, depth := ranked(t.x.each[1:], t.x.level)
	if t.others != nil {
		depth = least([][]int{depth, t.others})
	}
	out.others, out.prices = depth, true
	return &out
}

// verdict is that of judged, without resamples or without ranking them where the verdict does not hang on it: see
// bounds.
func (t *Trial) verdict(x Contest) Verdict {
	may := x.whole().held().grounds(1) // an interval holds the estimate
	if v, ok := (grounds{}).upTo(may, &x); ok {
		return v
	}
	low, high := t.bounds(&x)
	if t.prices {
		sure, most := t.x.grounds(low), t.x.grounds(high)
		sure.cheaper, sure.dearer, most.cheaper, most.dearer = false, false, may.cheaper, may.dearer
		if v, ok := sure.upTo(most, &x); ok {
			return v
		}
	}
	held := x.compared(!t.prices, true)
	if v, ok := held.grounds(low).upTo(held.grounds(high), &x); ok {
		return v
	}
	each := held.each
	if t.prices {
		each = each[:1]
	}
	_, depth := ranked(each, x.level)
	if t.others != nil {
		depth = least([][]int{depth, t.others})
	}
	return held.grounds(held.cut(tailOf(depth, x.level))).verdict(&x.claim, x.clusters)
}

// bounds are how many resamples lie beyond the end of an interval, at least and at most as far as grounds look. Of each
// statistic that changes at most 2d resamples lie at a depth up to d, beside those of what does not change, beyond
// whose depth no interval goes. And where more lie beyond a limit than may lie outside, they all have a depth of at
// most their number, and so the interval passes the limit.
func (t *Trial) bounds(x *Contest) (low, high int) {
	n, change := len(x.each[0]), len(x.each)
	if t.prices {
		change = 1
	}
	most := outside(n, x.level)
	beside := func(d int) (count int) {
		for _, o := range t.others {
			if o <= d {
				count++
			}
		}
		return count
	}
	least := 1 + most/(2*change)
	for least > 1 && 2*change*(least-1)+beside(least-1) > most {
		least--
	}
	high = most + 1
	if t.others != nil && beside(most) > most {
		high = min(high, x.cut(tailOf(t.others, x.level)))
	}
	return x.cut(float64(least) / float64(n)), high
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
	return t.ask(t, x)
}
