package pool

import (
	"math"
	"slices"

	"infnet/metrics/infer"
)

// Margin is the difference of errors per query that counts as none, where a user names no other.
const Margin = 0.02

// Claim is that a policy is worth it: it costs less than every single model, and every coin between two, that errs no
// more than it does, and errs no more than single models do. Both hold up to the margin: a rival may err so much
// more than the policy, and the policy so much more than a single model.
//
// The policy is taken as it is. However few records chose it, and however much it was fitted to them, the claim is
// about what it does on new records, and is judged on records that had no part in the choice.
type Claim struct {
	Ours   Measured
	Models []Measured // alone
	Than   []int      // models whose error the policy's is compared with; nil = all
	Single int        // the model whose answer counts on every record; None = there is no such model
	Margin float64    // errors per query, in [0,1)
}

// LeastUnits is the number of records, or of clusters of them, below which nothing is said of a policy.
const LeastUnits = 20

// None is the position of no model.
const None = -1

// Contest is a claim, resampled.
type Contest struct {
	claim    Claim
	coin     Coin // the rival on the records themselves
	level    float64
	records  int
	clusters int
	values   []tally // what is saved, then the difference from the error of each model of Than
}

// tally is a number on the records, and then on each resample.
type tally []float64

func tallied(rs *infer.Resamples, columns ...[]float64) []tally {
	out := make([]tally, len(columns))
	for k, each := range rs.SumsOf(columns...) {
		out[k] = append(tally{sum(columns[k])}, each...)
	}
	return out
}

// Places of the tallies of a claim.
const (
	atCount    = iota
	atFirst    // of the first record alone
	atLast     // of the last
	atOurCost  //
	atOurError //
	atModels   // cost and error of each model from here on
)

// NewContest measures a claim on records and on their resamples. In each the rival is found anew: the cheapest single
// model, or coin between two, whose error there is at most the policy's plus the margin. It looks at the errors on
// the records where both are measured, which the policy does not: that favours the rival.
func NewContest(rs *infer.Resamples, c Claim) *Contest {
	if c.Than == nil {
		for m := range c.Models {
			c.Than = append(c.Than, m)
		}
	}
	n := rs.Records()
	first, last, ones := make([]float64, n), make([]float64, n), slices.Repeat([]float64{1}, n)
	first[0], last[n-1] = 1, 1
	columns := [][]float64{ones, first, last, c.Ours.Cost, c.Ours.Error}
	for _, m := range c.Models {
		columns = append(columns, m.Cost, m.Error)
	}
	x, tallies := &Contest{claim: c, level: rs.Level(), records: n, clusters: rs.Clusters()}, tallied(rs, columns...)
	tallies[atFirst][0], tallies[atLast][0] = 0, 0
	for range 1 + len(c.Than) {
		x.values = append(x.values, make(tally, len(tallies[0])))
	}
	at, errs, costs := make([]float64, len(tallies)), make([]float64, len(c.Models)), make([]float64, len(c.Models))
	for b := range tallies[0] {
		for k := range tallies {
			at[k] = tallies[k][b]
		}
		ours := x.errors(at, errs)
		for k, m := range c.Than {
			x.values[1+k][b] = ours - errs[m]
		}
		saved, coin := x.play(ours, at, errs, costs)
		if x.values[0][b] = saved; b == 0 {
			x.coin = coin
		}
	}
	return x
}

// errors are the policy's error and the models', from sums over records.
//
// The policy's error may differ from that of a model by records that were not drawn, as if there were one more cluster
// in which only the policy errs, and one in which only it does not: where the two disagree on a handful of
// records, or on none, resampling these alone knows of no other error. The two are drawn as often as the first and the
// last of the others.
func (x *Contest) errors(sums, errs []float64) (ours float64) {
	n, unseen := sums[atCount], (sums[atFirst]-sums[atLast])/float64(x.clusters)
	for m := range errs {
		errs[m] = sums[atModels+2*m+1] / n
	}
	return sums[atOurError]/n + unseen
}

// play compares the policy with its rival. costs is working memory.
func (x *Contest) play(ours float64, sums, errs, costs []float64) (saved float64, rival Coin) {
	n := sums[atCount]
	paid := sums[atOurCost] / n
	for m := range costs {
		costs[m] = sums[atModels+2*m] / n
	}
	rival, ok := Cheapest(errs, costs, ours+x.claim.Margin+slack)
	if !ok {
		rival = Alone(slices.Index(errs, slices.Min(errs)))
	}
	saved = either(paid, rival.Value(costs))
	if !ok {
		saved = max(saved, 0) // nothing that errs so rarely is cheaper
	}
	return saved, rival
}

// either is what the cheaper of the two saves, as a share of the other's cost: below 0 where that is the rival.
func either(ours, rival float64) float64 {
	switch {
	case ours < rival:
		return 1 - ours/rival
	case ours > rival:
		return rival/ours - 1
	}
	return 0
}

// Verdict says what became of a claim.
type Verdict string

const (
	WorthIt    Verdict = "worth it"     // cheaper, and errs within the margin of the better single model
	ErrsMore   Verdict = "errs more"    // errs more than the better single model, not shown within the margin
	NotShown   Verdict = "not shown"    // the intervals hold both
	NotWorthIt Verdict = "not worth it" // a single model, or a coin, errs at most the margin more and is cheaper
	Same       Verdict = "same"         // the policy is a single model
	ErrsLess   Verdict = "errs less"    // not cheaper, and errs less than every single model by more than the margin
)

// Worth is a judged claim. Its intervals hold together with those of all claims that were judged with it.
type Worth struct {
	Verdict Verdict
	Rival   Coin // on the records themselves
	// what the cheaper of policy and rival saves of the other's cost: below 0 where that is the rival
	Saved infer.Interval
	Error infer.Interval // of the policy minus that of the better single model
	Than  int            // that model, on the records themselves
	Units int            // records, or clusters of them
}

// Judge judges claims together: all their intervals hold at once with the level of the first, so that the best of them
// may be picked afterwards.
func Judge(list []*Contest) (out []Worth) {
	if len(list) == 0 {
		return nil
	}
	sorted, depths := make([][][]float64, len(list)), make([][]int, len(list))
	for i, x := range list {
		sorted[i], depths[i] = ranked(x.values, x.level)
	}
	tail := tailOf(least(depths), list[0].level)
	for i, x := range list {
		out = append(out, x.worth(sorted[i], tail))
	}
	return out
}

// worth judges a claim by the intervals that leave a share of the resamples beyond either end.
func (x *Contest) worth(sorted [][]float64, tail float64) Worth {
	ends := func(k int) infer.Interval {
		s, value := sorted[k], x.values[k][0]
		cut := max(1, int(math.Round(infer.Expanded(tail, x.clusters)*float64(len(s)))))
		return infer.Interval{Value: value, Low: min(value, s[cut-1]), High: max(value, s[len(s)-cut]),
			Level: x.level, N: x.records, Method: MethodTogether}
	}
	w := Worth{Rival: x.coin, Saved: ends(0), Error: ends(1), Than: x.claim.Than[0], Units: x.clusters}
	for k := 2; k < len(x.values); k++ {
		e := ends(k)
		if e.Value > w.Error.Value {
			w.Error.Value, w.Than = e.Value, x.claim.Than[k-1]
		}
		w.Error.Low, w.Error.High = max(w.Error.Low, e.Low), max(w.Error.High, e.High)
	}
	w.Verdict = x.verdict(&w)
	return w
}

func (x *Contest) verdict(w *Worth) Verdict {
	margin, cheaper := x.claim.Margin, w.Saved.Low > rounding
	switch {
	case x.claim.Single != None:
		return Same
	case x.clusters < LeastUnits:
		return NotShown
	case cheaper && w.Error.High <= margin:
		return WorthIt
	case w.Saved.High < -rounding:
		return NotWorthIt
	case w.Error.Low > rounding && w.Error.High > margin:
		return ErrsMore
	case !cheaper && w.Error.High < -margin:
		return ErrsLess
	}
	return NotShown
}

// rounding is how far sums of equal costs may differ.
const rounding = 1e-9
