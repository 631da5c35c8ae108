package pool

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"infnet/metrics/infer"
)

// study is a simulated cascade, and whose answer counts.
type study struct {
	claim   Claim
	answers []int
}

// simulated draws n records on which the master is right nine times in ten, and the student as often as it is
// confident. Those of low confidence are deferred.
func simulated(rng *rand.Rand, n int, price, margin float64) study {
	column := func() Measured { return Measured{Cost: make([]float64, n), Error: make([]float64, n)} }
	ours, low, high := column(), column(), column()
	out, last := study{answers: make([]int, n)}, make([]float64, n)
	for i := range n {
		beta := 0.4 + 0.6*rng.Float64()
		low.Error[i], high.Error[i] = indicator(rng.Float64() > beta), indicator(rng.Float64() < 0.1)
		low.Cost[i], high.Cost[i] = price, 0.5+rng.Float64()
		ours.Cost[i], ours.Error[i] = low.Cost[i], low.Error[i]
		if beta < 0.75 {
			out.answers[i], last[i] = 1, high.Cost[i]
			ours.Cost[i], ours.Error[i] = ours.Cost[i]+high.Cost[i], high.Error[i]
		}
	}
	out.claim = Claim{Ours: ours, Models: []Measured{low, high}, Single: None, Margin: margin,
		Last: last}
	return out
}

func resampled(t *testing.T, rng *rand.Rand, n, count int) *infer.Resamples {
	rs, err := infer.NewResamples(rng, make([]string, n), infer.Options{Count: count})
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

// usual are a thousand resamples of n records.
func usual(t *testing.T, n int) *infer.Resamples {
	return resampled(t, rand.New(rand.NewPCG(3, uint64(n))), n, 1000)
}

// regraded returns the claim with other grades of model m.
func (s study) regraded(m int, of ...int) Claim {
	c := s.claim
	c.Models = slices.Clone(c.Models)
	c.Models[m].Error, c.Ours.Error = slices.Clone(c.Models[m].Error), slices.Clone(c.Ours.Error)
	for _, i := range of {
		c.Models[m].Error[i] = 1 - c.Models[m].Error[i]
		if s.answers[i] == m {
			c.Ours.Error[i] = c.Models[m].Error[i]
		}
	}
	return c
}

// All mixtures of kinds of records, judged from scratch beside another claim, with records of a kind in their order: no
// set of grades that is smaller by more than two flips the verdict, and half of those found are the smallest.
func TestFewestGradesByTryingAll(t *testing.T) {
	const n = 80
	few, all := 0, 0
	for s := range 12 {
		rng := rand.New(rand.NewPCG(5, uint64(s)))
		rs := usual(t, n)
		x, beside := simulated(rng, n, 0.02, 0.105), simulated(rng, n, 0.02, 0.105)
		other := NewContest(rs, beside.claim)
		trial := Trials([]*Contest{NewContest(rs, x.claim), other})[0]
		judged := func(c Claim) Verdict { return Judge([]*Contest{NewContest(rs, c), other})[0].Verdict }
		if v := judged(x.claim); v != trial.Verdict {
			t.Fatalf("study %d: %s, judged %s", s, trial.Verdict, v)
		}
		got, ok := trial.Grades(rs, []int{0, 1}, x.answers)
		if !ok || len(got.Records) > 6 {
			continue
		}
		fewest := len(got.Records)
		for m := range 2 {
			for _, err := range []float64{0, 1} {
				x.mixtures(m, err, func(of []int) bool {
					if len(of) < fewest && judged(x.regraded(m, of...)) != trial.Verdict {
						fewest = len(of)
					}
					return len(of) < fewest
				})
			}
		}
		if judged(x.regraded(got.Model, got.Records...)) != got.Verdict {
			t.Errorf("study %d: %+v does not", s, got)
		}
		if fewest < len(got.Records)-2 || fewest < len(got.Records) && len(got.Records) <= 4 {
			t.Errorf("study %d: %+v, but %d flip it", s, got, fewest)
		}
		if all++; len(got.Records) <= 4 {
			few++
		}
	}
	if all < 5 || few < 3 {
		t.Errorf("%d tried, %d of them with up to four grades", all, few)
	}
}

// mixtures tries so many records of each kind in which model m has this error, for all numbers of them, while more may
// be added.
func (s study) mixtures(m int, err float64, more func(of []int) bool) {
	kinds := make([][]int, 4)
	for i, e := range s.claim.Models[m].Error {
		if e == err {
			k := 2*s.answers[i] + int(s.claim.Models[1-m].Error[i])
			kinds[k] = append(kinds[k], i)
		}
	}
	var from func(k int, of []int)
	from = func(k int, of []int) {
		for ; k < len(kinds); k++ {
			for c := 1; c <= len(kinds[k]); c++ {
				with := slices.Concat(of, kinds[k][:c])
				if !more(with) {
					break
				}
				from(k+1, with)
			}
		}
	}
	from(0, nil)
}

// All ratios on a grid of 10 %, with claims written anew: none nearer flips the verdict, and the one found does.
func TestNearestRatioByTryingAll(t *testing.T) {
	const n = 300
	found := 0
	for s := range 6 {
		rng := rand.New(rand.NewPCG(9, uint64(s)))
		rs, x := usual(t, n), simulated(rng, n, []float64{0.1, 0.5, 0.8}[s%3], 0.05)
		trial := Trials([]*Contest{NewContest(rs, x.claim)})[0]
		at := func(factor float64) Verdict {
			c := x.claim
			c.Models = slices.Clone(c.Models)
			c.Ours.Cost, c.Models[0].Cost = nil, nil
			for i, v := range x.claim.Models[0].Cost {
				c.Models[0].Cost = append(c.Models[0].Cost, factor*v)
				c.Ours.Cost = append(c.Ours.Cost, factor*v+x.claim.Last[i])
			}
			return Judge([]*Contest{NewContest(rs, c)})[0].Verdict
		}
		_, ratio, to := trial.Ratio()
		now := sum(x.claim.Models[0].Cost) / sum(x.claim.Models[1].Cost)
		distance := math.Log(100)
		if ratio > 0 {
			found++
			distance = math.Abs(math.Log(ratio / now))
			if v := at(ratio / now); v != to || v == trial.Verdict {
				t.Errorf("study %d: %q at the ratio found, not %q", s, v, to)
			}
		}
		for k := 1.0; k*0.1 < distance-0.0011; k++ {
			for _, factor := range []float64{math.Exp(k * 0.1), math.Exp(-k * 0.1)} {
				if v := at(factor); v != trial.Verdict {
					t.Fatalf("study %d: %s, found %v of %v, but %q at %v", s, trial.Verdict, ratio, now, v, factor*now)
				}
			}
		}
	}
	if found < 3 {
		t.Errorf("only %d flipped", found)
	}
}

// The same records so many times over, resampled anew: the verdict flips between half and twice the number found.
func TestRecordsByRepeatingThem(t *testing.T) {
	tried := 0
	for s := range 30 {
		const n = 60
		rs, x := usual(t, n), simulated(rand.New(rand.NewPCG(4, uint64(s))), n, 0.02, Margin)
		trial := Trials([]*Contest{NewContest(rs, x.claim)})[0]
		records, to := trial.Records()
		if records < 3*n || records > 20*n {
			continue
		}
		at := func(records float64) Verdict {
			times := int(math.Round(records / n))
			c := Claim{Single: None, Margin: Margin, Ours: x.claim.Ours.repeated(times)}
			for _, m := range x.claim.Models {
				c.Models = append(c.Models, m.repeated(times))
			}
			return Judge([]*Contest{NewContest(usual(t, times*n), c)})[0].Verdict
		}
		tried++
		if few, many := at(float64(records)/2), at(float64(records)*2); few != trial.Verdict || many != to {
			t.Errorf("study %d: %s becomes %s at %d records, but %s at half and %s at twice", s,
				trial.Verdict, to, records, few, many)
		}
	}
	if tried < 3 {
		t.Errorf("only %d tried", tried)
	}
}

func (m Measured) repeated(times int) Measured {
	return Measured{Cost: slices.Repeat(m.Cost, times), Error: slices.Repeat(m.Error, times)}
}

// Another policy in the same trial is judged as from scratch.
func TestTrialOfAnotherPolicy(t *testing.T) {
	const n = 100
	seen := map[Verdict]bool{}
	for s := range 10 {
		rng := rand.New(rand.NewPCG(8, uint64(s)))
		rs, x := usual(t, n), simulated(rng, n, 0.02, 0.21)
		trial := Trials([]*Contest{NewContest(rs, x.claim)})[0]
		for _, other := range []Claim{simulated(rng, n, 0.3, 0.2).claim, {Ours: x.claim.Models[1], Single: 1}} {
			c := x.claim
			c.Ours, c.Single = other.Ours, other.Single
			want := Judge([]*Contest{NewContest(rs, c)})[0].Verdict
			if got := trial.Policy(rs, c.Ours, c.Single); got != want {
				t.Errorf("study %d: %s, want %s", s, got, want)
			}
			seen[want] = true
		}
	}
	if !seen[Same] || len(seen) < 2 {
		t.Errorf("only %v", seen)
	}
}

// Of several numbers that flip a verdict which then flips back, the smallest is found, as far as all are tried.
func TestNearest(t *testing.T) {
	for want := 1; want <= Fully; want += 7 {
		if got := Nearest(1000, func(k int) bool { return k == want || k > 2*want }); got != want {
			t.Errorf("%d, want %d", got, want)
		}
	}
	for most := range 40 {
		for want := range most + 3 { // 0 and beyond most: never
			got := Nearest(most, func(k int) bool { return want > 0 && k >= want })
			if want > most && got != 0 || want <= most && got != want {
				t.Errorf("%d of %d: %d", want, most, got)
			}
		}
	}
}

// Whatever is changed, the verdict is that of the ranked resamples, of which most are not ranked: other grades, prices
// and margins, alone and beside another claim.
func TestVerdictIsThatOfRankedResamples(t *testing.T) {
	seen := map[Verdict]int{}
	quick := 0
	for s := range 36 {
		n := []int{400, 400, 40}[s/12]
		rng := rand.New(rand.NewPCG(21, uint64(s)))
		rs := usual(t, n)
		x := simulated(rng, n, []float64{0.02, 0.3}[s/2%2], []float64{0.02, 0.05, 0.08, 0.105}[s/4%4])
		switch c := &x.claim; s % 6 {
		case 4: // errs as the second model does
			c.Ours.Error, c.Than = c.Models[1].Error, []int{1}
		case 5: // asks both, and errs where both do
			for i := range n {
				c.Ours.Cost[i] = c.Models[0].Cost[i] + c.Models[1].Cost[i]
				c.Ours.Error[i] = c.Models[0].Error[i] * c.Models[1].Error[i]
			}
		case 3: // errs more than the second model, which it asks every other time
			c.Ours.Cost, c.Ours.Error = slices.Clone(c.Models[0].Cost), slices.Clone(c.Models[0].Error)
			for i := 0; i < n; i += 2 {
				c.Ours.Cost[i], c.Ours.Error[i] = c.Models[1].Cost[i], c.Models[1].Error[i]
			}
		}
		list := []*Contest{NewContest(rs, x.claim), NewContest(rs, simulated(rng, n, 0.02, 0.1).claim)}
		trial := Trials(list[:1+s%2])[0]
		of := []*Trial{trial, trial.priced()}
		for k := range 60 {
			c, trial := *trial.x, of[k%2]
			c.tallies = slices.Clone(c.tallies)
			for at := atOurCost; at < len(c.tallies); at++ {
				if trial.prices && at != atOurCost && (at < atModels || (at-atModels)%2 == 1) {
					continue // costs alone change
				}
				c.tallies[at] = c.tallies[at].plus(0.06*rng.Float64()-0.03, c.tallies[at])
			}
			sorted, depth := ranked(c.held().values, c.level)
			if trial.others != nil {
				depth = least([][]int{depth, trial.others})
			}
			want := c.held().worth(sorted, tailOf(depth, c.level)).Verdict
			asked := func(t *Trial) Verdict { return t.after(func(x *Contest) { x.take(c) }) }
			if got := asked(trial); got != want {
				t.Fatalf("study %d, change %d: %s, want %s", s, k, got, want)
			}
			worth := NotShown
			if want == WorthIt {
				worth = WorthIt
			}
			if got := asked(trial.IsWorth()); got != worth {
				t.Fatalf("study %d, change %d: %s, want %s", s, k, got, worth)
			}
			held := c.held()
			limits := trial.bounds(held)
			if _, same := held.grounds(limits[0]).upTo(held.grounds(limits[1]), held); same {
				quick++
			}
			seen[want]++
		}
	}
	if len(seen) < 5 || seen[WorthIt] < 20 || quick < 1080 || quick == 2160 {
		t.Errorf("%v; %d of 2160 without ranks", seen, quick)
	}
}

// take takes the sums of another contest, as far as it has them itself.
func (x *Contest) take(of Contest) {
	for k, sums := range of.tallies {
		x.tallies[k] = sums[:len(x.tallies[k])]
	}
}

// Whom a rival asks, with claims written anew: all ratios on a grid of 10 %, and all mixtures of fewer grades.
func TestWhomByTryingAll(t *testing.T) {
	const n = 80
	ratios, grades := 0, 0
	for s := range 12 {
		rng := rand.New(rand.NewPCG(6, uint64(s)))
		rs, x := usual(t, n), simulated(rng, n, 0.3, []float64{0.01, 0.03}[s%2])
		trial := Trials([]*Contest{NewContest(rs, x.claim)})[0].Whom([]string{"low", "high"})
		asked := func(c Claim) Verdict {
			coin := NewContest(rs, c).coin
			return Verdict([]string{"low", "high", "low + high"}[map[bool]int{true: coin.First, false: 2}[coin.Single()]])
		}
		if now := asked(x.claim); now != trial.Now {
			t.Fatalf("study %d: %s, want %s", s, trial.Now, now)
		}
		now, ratio, to := trial.Ratio()
		for k := -40; k <= 40; k++ {
			factor, c := math.Exp(0.1*float64(k)), x.claim
			c.Models, c.Ours.Cost = slices.Clone(c.Models), nil
			c.Models[0].Cost = nil
			for i, v := range x.claim.Models[0].Cost {
				c.Models[0].Cost = append(c.Models[0].Cost, factor*v)
				c.Ours.Cost = append(c.Ours.Cost, factor*v+x.claim.Last[i])
			}
			near := ratio == 0 || math.Abs(0.1*float64(k)) < math.Abs(math.Log(ratio/now))-0.0011
			if near && asked(c) != trial.Now {
				t.Fatalf("study %d: %s at %v, found %v (%s)", s, asked(c), factor*now, ratio, to)
			}
		}
		if ratio > 0 {
			ratios++
		}
		got, ok := trial.Grades(nil, []int{0, 1}, x.answers)
		if !ok || len(got.Records) > 4 {
			continue
		}
		grades++
		if v := asked(x.regraded(got.Model, got.Records...)); v != got.Verdict || v == trial.Now {
			t.Errorf("study %d: %+v makes %s", s, got, v)
		}
		for m := range 2 {
			for _, err := range []float64{0, 1} {
				x.mixtures(m, err, func(of []int) bool {
					if len(of) < len(got.Records) && asked(x.regraded(m, of...)) != trial.Now {
						t.Errorf("study %d: %+v, but %v of %d do", s, got, of, m)
					}
					return len(of) < len(got.Records)-1
				})
			}
		}
	}
	if ratios < 3 || grades < 3 {
		t.Errorf("%d ratios and %d numbers of grades flipped", ratios, grades)
	}
}
