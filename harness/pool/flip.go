package pool

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"sort"

	"infnet/harness/calc"
	"infnet/metrics/infer"
)

// Fully is up to where Nearest tries every number.
const Fully = 200

// Nearest returns the smallest k from 1 to most for which flips is true; 0 = for none. Beyond Fully it tries every
// thirtieth of k, and then halves the gap.
func Nearest(most int, flips func(k int) bool) int {
	no, yes := 0, min(1, most)
	for ; no < most && !flips(yes); yes = min(most, yes+max(1, (yes-Fully)/30)) {
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
	Records []int // whose grades change
	Wrong   bool  // right answers are graded wrong, or else wrong answers right
	Verdict Verdict
}

// Regraded tries a number of grades: whether so many flip the verdict, and which.
type Regraded func(k int) (Grades, bool)

// mixed is the most mixtures of kinds of records that are tried for one number of grades: all of up to four of four
// kinds.
const mixed = 40

// Grades finds the fewest grades of one model that flip the verdict, as Regraded tries them.
func (t *Trial) Grades(rs *infer.Resamples, models, answers []int) (Grades, bool) {
	most, flips := t.Regraded(rs, models, answers)
	k := Nearest(most, func(k int) bool {
		_, ok := flips(k)
		return ok
	})
	if k == 0 {
		return Grades{}, false
	}
	return flips(k)
}

// Regraded tries up to most grades of one model. answers holds, by record, the model whose answer
// counts. Records are alike where the same model's answer counts and the models err alike, and those of one kind are
// changed in their order. Few are changed in all mixtures of kinds; of more, those of one kind come first, then the
// others. Other records of a kind may do with one or two fewer. Only grades of 0 and 1 are changed. rs are the claim's
// resamples.
func (t *Trial) Regraded(rs *infer.Resamples, models, answers []int) (most int, flips Regraded) {
	var all [][][]int // the records by kind, of each model and error
	for _, m := range models {
		for err := range 2 { // an error of 0 is a right answer
			kinds := t.kinds(m, models, float64(err), answers)
			all, most = append(all, kinds), max(most, len(slices.Concat(kinds...)))
		}
	}
	return most, func(k int) (Grades, bool) {
		for of, kinds := range all {
			m, wrong := models[of/2], of%2 == 0
			for records := range chosen(kinds, k) {
				if v := t.regraded(rs, m, wrong, records, answers); v != t.Now {
					return Grades{m, slices.Clone(records), wrong, v}, true
				}
			}
		}
		return Grades{}, false
	}
}

// kinds are the records where model m has this error, those that are alike in these models' errors together.
func (t *Trial) kinds(m int, models []int, err float64, answers []int) (out [][]int) {
	type kind struct {
		counts bool // its answer does
		others string
	}
	at := map[kind]int{}
	for i := range answers {
		if t.x.claim.Models[m].Error[i] != err {
			continue
		}
		of := kind{counts: answers[i] == m}
		for _, o := range models {
			of.others += fmt.Sprint(t.x.claim.Models[o].Error[i], " ")
		}
		k, ok := at[of]
		if !ok {
			k, out = len(out), append(out, nil)
			at[of] = k
		}
		out[k] = append(out[k], i)
	}
	return out
}

// chosen are the choices of k records that are tried.
func chosen(kinds [][]int, k int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		if ways(len(kinds), k) <= mixed {
			mixtures(kinds, nil, k, yield)
			return
		}
		for first := range kinds {
			order := slices.Clone(kinds[first])
			for other := range kinds {
				if other != first {
					order = append(order, kinds[other]...)
				}
			}
			if len(order) >= k && !yield(order[:k]) {
				return
			}
		}
	}
}

// ways is how many mixtures of some kinds have k records.
func ways(kinds, k int) int {
	out := 1
	for i := 1; i < kinds; i++ {
		out = out * (k + i) / i
	}
	return out
}

// mixtures are all ways of taking k records of some kinds, beside others; false = no more are wanted.
func mixtures(kinds [][]int, beside []int, k int, yield func([]int) bool) bool {
	if k == 0 {
		return yield(beside)
	}
	if len(kinds) == 0 {
		return true
	}
	for c := min(k, len(kinds[0])); c >= 0; c-- {
		if !mixtures(kinds[1:], slices.Concat(beside, kinds[0][:c]), k-c, yield) {
			return false
		}
	}
	return true
}

// regraded judges with other grades of a model on some records.
func (t *Trial) regraded(rs *infer.Resamples, m int, wrong bool, of, answers []int) Verdict {
	sign := 1.0
	if !wrong {
		sign = -1
	}
	own := slices.DeleteFunc(slices.Clone(of), func(i int) bool { return answers[i] != m })
	return t.after(func(x *Contest) {
		for at, records := range map[int][]int{atModels + 2*m + 1: of, atOurError: own} {
			counts := tally{float64(len(records))}
			if len(x.tallies[at]) > 1 {
				counts = append(counts, rs.Counts(records)...)
			}
			x.tallies[at] = x.tallies[at].plus(sign, counts)
		}
	})
}

func (x tally) plus(factor float64, y tally) tally {
	out := make(tally, len(x))
	for b := range out {
		out[b] = x[b] + float64(factor*y[b])
	}
	return out
}

// Ratio finds the nearest ratio of the first model's price to the last's that flips the answer, to a thousandth and up
// to a thousandfold. It is 0 where none does, where a price is 0, and where what the policy pays other models is not
// known. The prices of the claim's Moved models move together.
func (t *Trial) Ratio() (now, ratio float64, verdict Verdict) {
	moved, base := t.x.claim.Moved, t.x.claim.Base
	if moved == nil {
		base = len(t.x.claim.Models) - 1
		for m := range base {
			moved = append(moved, m)
		}
	}
	now = priceRatio(t.x.tallies[atModels+2*moved[0]][0], t.x.tallies[atModels+2*base][0])
	if t.x.claim.Last == nil || now == 0 || math.IsInf(now, 1) {
		return now, 0, ""
	}
	priced := t.priced()
	factor, verdict := NearestFactor(1000, t.Now, func(factor float64) Verdict {
		return priced.after(func(x *Contest) {
			for _, m := range moved {
				at := atModels + 2*m
				x.tallies[at] = x.tallies[at].plus(factor-1, x.tallies[at])
			}
			rest := x.tallies[atOurCost].plus(-1, x.tallies[atLastCost])
			x.tallies[atOurCost] = x.tallies[atLastCost].plus(factor, rest)
		})
	})
	return now, now * factor, verdict
}

// NearestFactor finds the factor nearest to 1, up to most or down to its reciprocal, that flips an answer; 0 = none
// does. It is looked for in steps of 2 %, and then to a twentieth of one.
func NearestFactor[T comparable](most float64, now T, answer func(factor float64) T) (factor float64, to T) {
	const coarse, fine = 0.02, 20
	steps := int(calc.Log(most) / coarse)
	way := func(k int) (sign, distance float64) { // up, down, up, …
		return float64(2*(k%2) - 1), float64(coarse * float64((k+1)/2))
	}
	for k := 1; k <= 2*steps; k++ {
		sign, far := way(k)
		if answer(calc.Exp(sign*far)) == now {
			continue
		}
		at := func(j int) float64 {
			return calc.Exp(sign * (far - coarse + float64(coarse*float64(j)/fine)))
		}
		j := 1 + sort.Search(fine-1, func(j int) bool { return answer(at(j+1)) != now })
		return at(j), answer(at(j))
	}
	return 0, to
}

// Records finds how many test records, or clusters of them, would flip the verdict at the same estimates, up to a
// hundredfold and to one percent; 0 = no such number. Sums over resamples then differ from those over the records by
// the root of their number.
func (t *Trial) Records() (records int, verdict Verdict) {
	units := func(factor float64) int { return int(math.Round(factor * float64(t.Units))) }
	factor, verdict := NearestFactor(100, t.Now, func(factor float64) Verdict {
		root := math.Sqrt(factor)
		return t.after(func(x *Contest) {
			x.clusters = units(factor)
			for k, sums := range x.tallies {
				if k == atFirst || k == atLast {
					continue
				}
				x.tallies[k] = make(tally, len(sums))
				for b, v := range sums {
					x.tallies[k][b] = sums[0] + (v-sums[0])/root
				}
			}
		})
	})
	return units(factor), verdict
}
