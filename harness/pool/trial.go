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
	others []int  // the depth of each resample in what does not change: the other claims; nil = there are none
	prices bool   // prices alone change: the errors of x are among what does not
	limits [2]int // bounds of the claim as it is
	// the answer where the estimates alone tell it, and where they do not
	estimated func(x *Contest) (Verdict, bool)
	ask       func(t *Trial, x Contest) Verdict
}

// Trials are of claims that are judged together.
func Trials(list []*Contest) (out []*Trial) {
	worth, depths := judged(list)
	for k, x := range list {
		t := &Trial{Worth: worth[k], Now: worth[k].Verdict, x: x, ask: (*Trial).verdict}
		if others := slices.Delete(slices.Clone(depths), k, k+1); len(others) > 0 {
			t.others = least(others)
		}
		t.limits = t.bounds(x)
		t.estimated = func(x *Contest) (Verdict, bool) { return (grounds{}).upTo(x.grounds(1), x) }
		out = append(out, t)
	}
	return out
}

// IsWorth is a trial of whether the claim is worth it, whatever it is else.
func (t *Trial) IsWorth() *Trial {
	out := *t
	out.estimated = func(x *Contest) (Verdict, bool) {
		point := x.grounds(1)
		return NotShown, !point.cheaper || !point.within
	}
	out.ask = func(t *Trial, x Contest) Verdict {
		most := outside(len(x.tallies[0])-1, x.level) + 1
		if !x.compared(true, false).within(most) || t.verdict(x) != WorthIt { // errors need no search for the rival
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
	x := t.x.whole()
	change(&x)
	if v, ok := t.estimated(x.held()); ok {
		return v
	}
	x = *t.x
	x.tallies = slices.Clone(x.tallies)
	change(&x)
	return t.ask(t, x)
}

// depth is that of each resample in some statistics, and in what does not change.
func (t *Trial) depth(list []tally) []int {
	_, depth := ranked(list, t.x.level)
	if t.others != nil {
		depth = least([][]int{depth, t.others})
	}
	return depth
}

// priced is a trial in which prices alone change.
func (t *Trial) priced() *Trial {
	out := *t
	out.others, out.prices = t.depth(t.x.values[1:]), true
	out.limits = out.bounds(t.x)
	return &out
}

// verdict is that of Judge, without resamples or without ranking them where the verdict does not hang on it: see
// bounds.
func (t *Trial) verdict(x Contest) Verdict {
	limits := t.limits
	if x.clusters != t.x.clusters {
		limits = t.bounds(&x)
	}
	low, high := limits[0], limits[1]
	if t.prices {
		may := x.whole().held().grounds(1) // an interval holds the estimate
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
	change := held.values
	if t.prices {
		change = change[:1]
	}
	return held.grounds(held.cut(tailOf(t.depth(change), x.level))).verdict(&x.claim, x.clusters)
}

// bounds are how many resamples lie beyond the end of an interval, at least and at most as far as grounds look. Of each
// statistic that changes at most 2d resamples lie at a depth up to d, beside those of what does not change, beyond
// whose depth no interval goes. And where more lie beyond a limit than may lie outside, they all have a depth of at
// most their number, and so the interval passes the limit.
func (t *Trial) bounds(x *Contest) [2]int {
	n, change := len(x.tallies[0])-1, len(x.values)
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
	high := most + 1
	if t.others != nil && beside(most) > most {
		high = min(high, x.cut(tailOf(t.others, x.level)))
	}
	return [2]int{x.cut(float64(least) / float64(n)), high}
}

// whole is the contest on the records themselves, without resamples.
func (x Contest) whole() Contest {
	x.tallies = slices.Clone(x.tallies)
	for k := range x.tallies {
		x.tallies[k] = x.tallies[k][:1]
	}
	return x
}

// Policy judges another policy in the place of the claim's, on the same resamples; single is the model whose answer
// counts on every record, or None.
func (t *Trial) Policy(rs *infer.Resamples, ours Measured, single int) Verdict {
	return t.after(func(x *Contest) {
		x.claim.Ours, x.claim.Single = ours, single
		if len(x.tallies[atCount]) == 1 {
			x.tallies[atOurCost], x.tallies[atOurError] = tally{sum(ours.Cost)}, tally{sum(ours.Error)}
			return
		}
		copy(x.tallies[atOurCost:], tallied(rs, ours.Cost, ours.Error))
	})
}
