package pool

import (
	"math"
	"slices"

	"infnet/harness/calc"
	"infnet/metrics/infer"
)

// Trial changes a judged claim to find what flips its verdict. What is not changed stays as it is: the policy, and the
// claims that it is judged with.
type Trial struct {
	Worth
	x      *Contest
	others []int // the depth of each resample in the other claims; nil = there are none
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
		out = append(out, t)
	}
	return out
}

func (t *Trial) judged(x Contest) Worth {
	held := x.held()
	sorted, depth := ranked(held.each, x.level)
	if t.others != nil {
		depth = least([][]int{depth, t.others})
	}
	return held.worth(sorted, tailOf(depth, x.level))
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
	return t.judged(x).Verdict
}

// Nearest returns the smallest k from 1 to most for which flips is true, if it is true from there on; 0 = for none. It
// doubles k, and then halves the gap.
func Nearest(most int, flips func(k int) bool) int {
	no, yes := 0, 1
	for ; no < most && !flips(yes); yes = min(most, 2*yes) {
		no = yes
	}
	if no >= most {
		return 0
	}
	for yes-no > 1 {
		if k := (no + yes) / 2; flips(k) {
			yes = k
		} else {
			no = k
		}
	}
	return yes
}

// Grades are grades of one model that are changed.
type Grades struct {
	Model   int
	Count   int
	Wrong   bool // right answers are graded wrong, or else wrong answers right
	Verdict Verdict
}

// Grades finds the fewest grades of one model that flip the verdict. answers holds, by record, the model whose answer
// counts. Records are alike where the same model's answer counts and the models err alike: those of one kind are
// changed first, in their order, then the others. So many suffice; a mixture of kinds, or other records of a kind, may
// do with one or two fewer. Only grades of 0 and 1 are changed. rs are the claim's resamples.
func (t *Trial) Grades(rs *infer.Resamples, models, answers []int) (best Grades, ok bool) {
	for _, m := range models {
		for from, wrong := range []bool{true, false} { // an error of 0 is a right answer
			for _, order := range t.orders(m, float64(from), answers) {
				verdict := func(k int) Verdict { return t.regraded(rs, m, wrong, order[:k], answers) }
				flips := func(k int) bool { return verdict(k) != t.Verdict }
				most := len(order)
				if ok {
					most = min(most, best.Count-1)
				}
				if most == 0 || ok && !flips(most) {
					continue
				}
				if count := Nearest(most, flips); count > 0 {
					best, ok = Grades{m, count, wrong, verdict(count)}, true
				}
			}
		}
	}
	return best, ok
}

// orders are the orders in which the records are changed where model m has this error.
func (t *Trial) orders(m int, err float64, answers []int) (out [][]int) {
	type kind struct {
		counts bool // its answer does
		others float64
	}
	alike, kinds := map[kind][]int{}, []kind(nil)
	for i := range answers {
		if t.x.claim.Models[m].Error[i] != err {
			continue
		}
		of := kind{counts: answers[i] == m}
		for _, x := range t.x.claim.Models {
			of.others += x.Error[i]
		}
		if alike[of] == nil {
			kinds = append(kinds, of)
		}
		alike[of] = append(alike[of], i)
	}
	for _, first := range kinds {
		order := slices.Clone(alike[first])
		for _, of := range kinds {
			if of != first {
				order = append(order, alike[of]...)
			}
		}
		out = append(out, order)
	}
	return out
}

// regraded judges with other grades of a model on some records.
func (t *Trial) regraded(rs *infer.Resamples, m int, wrong bool, of, answers []int) Verdict {
	sign := 1.0
	if !wrong {
		sign = -1
	}
	own := slices.DeleteFunc(slices.Clone(of), func(i int) bool { return answers[i] != m })
	x := t.changed()
	for at, records := range map[int][]int{atModels + 2*m + 1: of, atOurError: own} {
		x.tallies[at] = x.tallies[at].plus(sign, tally{float64(len(records)), rs.Counts(records)})
	}
	return t.judged(x).Verdict
}

// plus adds a factor times another tally.
func (x tally) plus(factor float64, y tally) tally {
	out := tally{x.whole + float64(factor*y.whole), make([]float64, len(x.each))}
	for b := range out.each {
		out.each[b] = x.each[b] + float64(factor*y.each[b])
	}
	return out
}

// Ratio finds the nearest ratio of the first model's price to the last's that flips the verdict, to a thousandth and up
// to a thousandfold. It is 0 where none does, where a price is 0, and where what the policy pays the last model is not
// known. The prices of all models but the last move together.
func (t *Trial) Ratio() (now, ratio float64, verdict Verdict) {
	last := atModels + 2*(len(t.x.claim.Models)-1)
	now = priceRatio(t.x.tallies[atModels].whole, t.x.tallies[last].whole)
	if t.x.claim.Last == nil || now == 0 || math.IsInf(now, 1) {
		return now, 0, ""
	}
	factor, verdict := t.nearest(func(factor float64) Verdict {
		x := t.changed()
		for at := atModels; at < last; at += 2 {
			x.tallies[at] = x.tallies[at].plus(factor-1, x.tallies[at])
		}
		rest := x.tallies[atOurCost].plus(-1, x.tallies[atLastCost])
		x.tallies[atOurCost] = x.tallies[atLastCost].plus(factor, rest)
		return t.judged(x).Verdict
	}, 1000, 0.001)
	return now, now * factor, verdict
}

// nearest finds the factor nearest to 1, up to most or down to its reciprocal in steps of that ratio, that flips the
// verdict; 0 = none does.
func (t *Trial) nearest(verdict func(factor float64) Verdict, most, step float64) (factor float64, to Verdict) {
	steps := int(calc.Log(most) / step)
	for _, sign := range []float64{1, -1} {
		k := Nearest(steps, func(k int) bool { return verdict(calc.Exp(sign*step*float64(k))) != t.Verdict })
		if k > 0 {
			steps, factor = k-1, calc.Exp(sign*step*float64(k))
			to = verdict(factor)
		}
	}
	return factor, to
}

// Records finds how many test records, or clusters of them, would flip the verdict at the same estimates, up to a
// hundredfold and to one percent; 0 = no such number. Sums over resamples then differ from those over the records by
// the root of their number.
func (t *Trial) Records() (records int, verdict Verdict) {
	units := func(factor float64) int { return int(math.Round(factor * float64(t.Units))) }
	factor, verdict := t.nearest(func(factor float64) Verdict {
		x, root := t.changed(), math.Sqrt(factor)
		x.clusters = units(factor)
		for k, sums := range x.tallies {
			if k != atFirst && k != atLast {
				x.tallies[k] = sums.towards(root)
			}
		}
		return t.judged(x).Verdict
	}, 100, 0.01)
	return units(factor), verdict
}

// towards divides the distance of the sums over resamples from that over the records.
func (x tally) towards(root float64) tally {
	out := tally{x.whole, make([]float64, len(x.each))}
	for b, v := range x.each {
		out.each[b] = x.whole + (v-x.whole)/root
	}
	return out
}
