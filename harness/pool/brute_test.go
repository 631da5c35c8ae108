package pool

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/harness/policy/chain"
	"infnet/metrics/infer"
)

// drawn is a small pool: ties in confidences and costs, errors of 0 and 1.
func drawn(t *rapid.T, models int) Records {
	n := rapid.IntRange(1, 6).Draw(t, "records")
	column := func(most int, by float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = float64(rapid.IntRange(0, most).Draw(t, "value")) / by
		}
		return out
	}
	r := make(Records, models)
	for m := range r {
		r[m] = Model{Error: column(1, 1), Cost: column(4, 1), Beta: column(4, 4), Guess: column(4, 4)}
		for range n {
			r[m].Class = append(r[m].Class, rapid.IntRange(0, 2).Draw(t, "class"))
		}
	}
	return r
}

// thresholds are all that decide differently on a column: accept all, each value, defer all.
func thresholds(beta []float64) []float64 {
	return append([]float64{0, math.Inf(1)}, beta...)
}

// everyPolicy lists all policies of a pool but the routers, without any of the package's shortcuts.
func everyPolicy(r Records, rules []chain.EnsembleRule) (all []Policy) {
	for a := range r {
		all = append(all, Policy{Kind: Single, Models: []int{a}})
		for b := range r {
			if a == b {
				continue
			}
			for _, x := range thresholds(r[a].Beta) {
				all = append(all, Policy{Kind: Cascade, Models: []int{a, b}, Theta: []float64{x}})
				for c := range r {
					if c == a || c == b || sum(r[a].Cost) > sum(r[b].Cost) || sum(r[b].Cost) > sum(r[c].Cost) {
						continue
					}
					for _, y := range thresholds(r[b].Beta) {
						all = append(all, Policy{Kind: Cascade, Models: []int{a, b, c}, Theta: []float64{x, y}})
					}
				}
			}
		}
	}
	for _, rule := range rules {
		for set := range 1 << len(r) {
			var members []int
			for m := range r {
				if set&(1<<m) != 0 {
					members = append(members, m)
				}
			}
			if len(members) > 1 {
				all = append(all, Policy{Kind: Ensemble, Models: members, Rule: rule})
			}
		}
	}
	return all
}

// At every price of an error no policy at all is better than the best of the envelope, which is one of them and
// plays as it says. In half of the draws all models cost the same on average.
func TestEnvelopeIsTheBestOfAllPolicies(t *testing.T) {
	rules := chain.EnsembleRules()
	rapid.Check(t, func(t *rapid.T) {
		r := drawn(t, 3)
		for m := range r {
			r[m].Guess = nil
		}
		if rapid.Bool().Draw(t, "equal costs") {
			for m := range r {
				r[m].Cost = slices.Clone(r[0].Cost)
			}
			slices.Reverse(r[1].Cost)
		}
		f, err := Search(r, Options{Chains: true, Ensembles: rules})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range f.Envelope {
			if played, err := c.Play(r); err != nil || distance(played.Mean(), c.Point) > 1e-9 {
				t.Fatalf("%+v plays as %+v, %v", c, played.Mean(), err)
			}
		}
		var brute []Point
		for _, p := range everyPolicy(r, rules) {
			played, err := p.Play(r)
			if err != nil {
				t.Fatal(err)
			}
			brute = append(brute, played.Mean())
		}
		for _, price := range []float64{0, 0.1, 0.5, 1, 2, 3.7, 10, 1000} {
			got, want := math.Inf(1), math.Inf(1)
			for _, c := range f.Envelope {
				got = min(got, c.Cost+price*c.Error)
			}
			for _, p := range brute {
				want = min(want, p.Cost+price*p.Error)
			}
			if math.Abs(got-want) > 1e-9*(1+want) {
				t.Fatalf("at the price %v the envelope has %v, all policies %v", price, got, want)
			}
		}
	})
}

func distance(a, b Point) float64 { return math.Abs(a.Cost-b.Cost) + math.Abs(a.Error-b.Error) }

// A pair's frontier has the outcome of every threshold, and no other.
func TestFrontierIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawn(t, 2)
		var want, got []Point
		for _, x := range thresholds(r[0].Beta) {
			played, _ := Policy{Kind: Cascade, Models: []int{0, 1}, Theta: []float64{x}}.Play(r)
			want = append(want, played.Mean())
		}
		for _, c := range newSweep(r, 0).frontier(1) {
			got = append(got, c.Point)
			if played, _ := c.Play(r); distance(played.Mean(), c.Point) > 1e-9 {
				t.Fatalf("%+v plays as %+v", c, played.Mean())
			}
		}
		within := func(list []Point, p Point) bool {
			return slices.ContainsFunc(list, func(q Point) bool { return distance(p, q) < 1e-9 })
		}
		for _, p := range want {
			if !within(got, p) {
				t.Fatalf("no threshold of the frontier does %+v; it has %+v", p, got)
			}
		}
		for _, p := range got {
			if !within(want, p) {
				t.Fatalf("the frontier has %+v, which no threshold does", p)
			}
		}
	})
}

// The cheapest cascade within a budget, against all thresholds of all pairs.
func TestBestWithinABudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawn(t, 3)
		f, err := Search(r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		most := float64(rapid.IntRange(0, r.Len()).Draw(t, "errors")) / float64(r.Len())
		want := math.Inf(1)
		for s := range r {
			for m := range r {
				for _, x := range r[s].Beta {
					lowest := !slices.ContainsFunc(r[s].Beta, func(b float64) bool { return b < x })
					if m == s || lowest {
						continue // the student alone
					}
					played, _ := Policy{Kind: Cascade, Models: []int{s, m}, Theta: []float64{x}}.Play(r)
					if p := played.Mean(); p.Error <= most+1e-12 {
						want = min(want, p.Cost)
					}
				}
			}
		}
		if best, ok := f.Best(most); ok != !math.IsInf(want, 1) || ok && math.Abs(best.Cost-want) > 1e-9 {
			t.Fatalf("found %+v %v, want a cost of %v", best, ok, want)
		}
	})
}

// The oracle's cost is the lower convex hull of all assignments of options to queries.
func TestOracleIsTheBestOfAllAssignments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawn(t, 3)
		options := Choices(r, []int{0, 1, 2}, rapid.Bool().Draw(t, "cascade"))
		var all []Candidate
		assign(options, Point{}, func(p Point) {
			all = append(all, Candidate{Point: Point{p.Cost / float64(r.Len()), p.Error / float64(r.Len())}})
		})
		hull, oracle, ones := Hull(all), NewOracle(options), make([]float64, r.Len())
		for i := range ones {
			ones[i] = 1
		}
		for e := 0.0; e <= 1; e += 1. / 16 {
			want, reached := hull[len(hull)-1].Cost, hull[len(hull)-1].Error <= e+1e-12
			for k, h := range hull {
				if h.Error <= e+1e-12 {
					want = h.Cost
					if k > 0 {
						want -= Price(hull[k-1].Point, h.Point) * (e - h.Error)
					}
					break
				}
			}
			if got, ok := oracle.Cost(ones, e); ok != reached || math.Abs(got-want) > 1e-6 {
				t.Fatalf("at the error %v the oracle costs %v %v, want %v %v", e, got, ok, want, reached)
			}
		}
		for k, p := range oracle.Curve() {
			if got, _ := oracle.Cost(ones, p.Error); math.Abs(got-p.Cost) > 1e-6 {
				t.Fatalf("point %d of the curve costs %v, at its error the oracle %v", k, p.Cost, got)
			}
		}
	})
}

func assign(options [][]Point, p Point, found func(Point)) {
	if len(options) == 0 {
		found(p)
		return
	}
	for _, o := range options[0] {
		assign(options[1:], Point{p.Cost + o.Cost, p.Error + o.Error}, found)
	}
}

// By hand: ten queries, the student costs 1 and errs on the last four, the master costs 10 and never errs. The cascade
// defers the last four and the two before them, which it did not need: .6 · 10 + 1 = 7 a query. A perfect confidence
// defers four (5), a router pays one model (.6 + 4 = 4.6), and no further model helps.
func TestLossByHand(t *testing.T) {
	const n = 10
	r := Records{{}, {}}
	for i := range n {
		wrong, beta := 0.0, 0.9
		if i >= 6 {
			wrong = 1
		}
		if i >= 4 {
			beta = 0.1
		}
		r[0].Error, r[0].Cost, r[0].Beta = append(r[0].Error, wrong), append(r[0].Cost, 1), append(r[0].Beta, beta)
		r[1].Error, r[1].Cost = append(r[1].Error, 0), append(r[1].Cost, 10)
	}
	rs := resampled(t, rand.New(rand.NewPCG(1, 2)), n, 200)
	loss, err := LossOf(rs, r, Policy{Kind: Cascade, Models: []int{0, 1}, Theta: []float64{0.5}})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name string
		got  infer.Interval
		want float64
	}{{"signal", loss.Signal, 2}, {"structure", loss.Structure, 0.4}, {"choice", loss.Choice, 0}} {
		if math.Abs(x.got.Value-x.want) > 1e-9 {
			t.Errorf("%s: %+v, want %v", x.name, x.got, x.want)
		}
	}
}
