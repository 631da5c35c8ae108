package policy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// eachAbstention calls f with every combination of thresholds, in the order in which ties are broken.
func (b *brute) eachAbstention(f func(Abstention)) {
	a := Abstention{Low: make(Thresholds, b.classes), High: make(Thresholds, b.classes)}
	var rec func(k int)
	rec = func(k int) {
		if k == b.classes {
			f(a)
			return
		}
		lows := b.candidates(k)
		if len(lows) == 1 {
			lows = []float64{0} // no records: deferred
		}
		for _, low := range lows {
			for _, high := range b.candidates(k) {
				if low <= high {
					a.Low[k], a.High[k] = low, high
					rec(k + 1)
				}
			}
		}
	}
	rec(0)
}

// abstaining is the loss of thresholds, from the definition.
func (b *brute) abstaining(a Abstention, l Losses) (loss float64) {
	for i, beta := range b.rec.Beta {
		k := b.class(i)
		switch {
		case beta >= a.High[k]:
			loss += l.Error * b.rec.Student[i]
		case beta < a.Low[k]:
			loss += l.Abstain
		default:
			loss += b.rec.MasterCost[i] + l.Error*b.rec.MasterError(i)
		}
	}
	return loss
}

// No combination of thresholds loses less, and of equal ones (exactly so, as costs, prices and errors of 0 and 1 are
// integers) the first in order is taken.
func TestAbstentionIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := priced(t)
		r := in.Records
		r.Classes = min(r.Classes, 2)
		for i := range r.Class {
			r.Class[i] %= r.Classes
		}
		single := rapid.Bool().Draw(t, "single")
		l := Losses{Error: float64(rapid.IntRange(2, 12).Draw(t, "error"))}
		l.Abstain = float64(rapid.IntRange(1, int(l.Error)-1).Draw(t, "abstain"))
		got, err := FitAbstention(r, l, single)
		if err != nil {
			t.Fatal(err)
		}
		b := newBrute(r, Options{}, single)
		least, want := math.Inf(1), Abstention{}
		b.eachAbstention(func(a Abstention) {
			if loss := b.abstaining(a, l); loss < least {
				least = loss
				want = Abstention{slices.Clone(a.Low), slices.Clone(a.High)}
			}
		})
		loss := b.abstaining(got, l)
		if loss > least+1e-6 {
			t.Fatalf("%+v, %+v: %+v loses %v, %+v only %v", r, l, got, loss, want, least)
		}
		if b.scale == 1 && (!slices.Equal(got.Low, want.Low) || !slices.Equal(got.High, want.High)) {
			t.Fatalf("%+v, %+v: %+v, want %+v, which loses %v too", r, l, got, want, least)
		}
		for i, beta := range r.Beta { // Choose does what the definition says
			k, want := b.class(i), MasterAnswers
			switch {
			case beta >= got.High[k]:
				want = StudentAnswers
			case beta < got.Low[k]:
				want = Abstains
			}
			if c := got.Choose(k, beta); c != want {
				t.Fatalf("record %d: %v, want %v", i, c, want)
			}
		}
	})
}

func TestAbstentionRefuses(t *testing.T) {
	r := Records{Beta: []float64{.5}, Student: []float64{1}, Master: []float64{0}, MasterCost: []float64{1}}
	for _, l := range []Losses{{1, 1}, {1, 2}, {1, 0}, {0, 0}, {math.Inf(1), 1}, {math.NaN(), 1}, {2, math.NaN()}} {
		if _, err := FitAbstention(r, l, true); err == nil {
			t.Errorf("%+v is no error", l)
		}
	}
	r.MasterCost = nil
	if _, err := FitAbstention(r, Losses{2, 1}, true); err == nil {
		t.Error("no costs are no error")
	}
}

// Every bar that there can be is tried by hand, ties among the confidences included.
func TestAloneIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for range 2000 {
		n := 1 + random.IntN(8)
		beta, errs := make([]float64, n), make([]float64, n)
		for i := range beta {
			beta[i], errs[i] = float64(random.IntN(4))/4, float64(random.IntN(3))/2
		}
		prices := Losses{Error: 4, Abstain: []float64{.5, 1, 2, 3}[random.IntN(4)]}
		lost := func(bar float64) (sum float64) {
			for i := range beta {
				if beta[i] < bar {
					sum += prices.Abstain
				} else {
					sum += prices.Error * errs[i]
				}
			}
			return sum
		}
		bar, err := FitAlone(beta, errs, prices)
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range append(slices.Clone(beta), 0, math.Inf(1)) {
			if lost(other) < lost(bar) {
				t.Fatalf("%v, %v, %+v: bar %v loses %v, %v loses %v", beta, errs, prices, bar, lost(bar), other, lost(other))
			}
		}
	}
}
