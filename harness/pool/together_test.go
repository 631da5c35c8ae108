package pool

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"infnet/metrics/infer"
)

// Ten policies that save nothing in truth. Whoever looks at the best of them is misled by separate intervals far more
// often than once in twenty, and by those that hold together about so often. 300 studies; the binomial's 4 standard
// errors around .05 are .05.
func TestTogetherHoldsForTheBestOfMany(t *testing.T) {
	const studies, policies, n = 300, 10, 150
	misled := map[string]int{}
	for s := range studies {
		rng := rand.New(rand.NewPCG(7, uint64(s)))
		rs, err := infer.NewResamples(rng, make([]string, n), infer.Options{Count: 400})
		if err != nil {
			t.Fatal(err)
		}
		var ours, rivals []Measured
		for range policies {
			x, y := Measured{Error: make([]float64, n)}, Measured{Error: make([]float64, n)}
			for range n {
				x.Cost, y.Cost = append(x.Cost, 1+rng.Float64()), append(y.Cost, 1+rng.Float64())
			}
			ours, rivals = append(ours, x), append(rivals, y)
		}
		savings, err := Savings(rs, ours, rivals, rivals[:1])
		if err != nil {
			t.Fatal(err)
		}
		together, separate := false, false
		for k, x := range savings {
			together = together || x.Saved.Low > 0 || x.Saved.High < 0
			alone, err := ratio(rs, ours[k].Cost, rivals[k].Cost)
			if err != nil {
				t.Fatal(err)
			}
			separate = separate || alone.Low > 1 || alone.High < 1
		}
		if together {
			misled["together"]++
		}
		if separate {
			misled["separate"]++
		}
	}
	text := fmt.Sprintf("misled in %v of %d studies", misled, studies)
	if share := float64(misled["together"]) / studies; share > 0.1 {
		t.Error(text)
	}
	if share := float64(misled["separate"]) / studies; share < 0.2 {
		t.Errorf("%s: separate intervals would do as well", text)
	}
	t.Log(text)
}

// By hand: the policy costs 3 and errs half the time. Single models cost 2 and err always, or 6 and never err: the coin
// of equal error costs 4, so that the policy saves a quarter.
func TestSavingAtEqualError(t *testing.T) {
	const n = 40
	rs, err := infer.NewResamples(rand.New(rand.NewPCG(3, 4)), make([]string, n), infer.Options{Count: 400})
	if err != nil {
		t.Fatal(err)
	}
	column := func(cost float64, wrong func(i int) bool) (m Measured) {
		for i := range n {
			e := 0.0
			if wrong(i) {
				e = 1
			}
			m.Cost, m.Error = append(m.Cost, cost), append(m.Error, e)
		}
		return m
	}
	policy := column(3, func(i int) bool { return i%2 == 0 })
	singles := []Measured{column(2, func(int) bool { return true }), column(6, func(int) bool { return false })}
	list, err := Savings(rs, []Measured{policy}, singles[1:], singles)
	if err != nil || math.Abs(list[0].Equal.Value-0.25) > 1e-9 || math.Abs(list[0].Saved.Value-0.5) > 1e-9 {
		t.Fatalf("%+v %v, want a quarter at equal error and half of the other's cost", list, err)
	}
	if e := list[0].Equal; !(e.Low < 0.25 && e.High > 0.25) {
		t.Errorf("%+v: the coin that errs as often differs from resample to resample", e)
	}
}

// A student that costs nothing, and a cascade whose confidence says nothing: in truth it costs what the coin of equal
// error does. In at most so many of 300 studies the verdict may say that it saves; the binomial's 4 standard errors
// around .025 are .036. In some resamples the rival is free, and no number is below −∞.
func TestVerdictWhereNothingIsSaved(t *testing.T) {
	const studies, n = 300, 120
	wrong := 0
	for s := range studies {
		rng := rand.New(rand.NewPCG(11, uint64(s)))
		rs, err := infer.NewResamples(rng, make([]string, n), infer.Options{Count: 400})
		if err != nil {
			t.Fatal(err)
		}
		column := func() Measured { return Measured{Cost: make([]float64, n), Error: make([]float64, n)} }
		student, master, cascade := column(), column(), column()
		for i := range n {
			student.Error[i], master.Error[i], master.Cost[i] = indicator(rng.Float64() < 0.4), indicator(rng.Float64() < 0.1), 1
			if cascade.Error[i] = student.Error[i]; rng.Float64() < 0.5 {
				cascade.Error[i], cascade.Cost[i] = master.Error[i], 1
			}
		}
		list, err := Savings(rs, []Measured{cascade}, []Measured{student}, []Measured{student, master})
		if err != nil {
			t.Fatal(err)
		}
		if list[0].Saved != nil {
			t.Fatalf("%+v saved of nothing", list[0].Saved)
		}
		wrong += int(indicator(list[0].Verdict == Cheaper))
	}
	if share := float64(wrong) / studies; share > 0.061 {
		t.Errorf("%.3f of the studies say that it saves", share)
	}
	t.Logf("%d of %d", wrong, studies)
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// What a policy saves of a rival that costs nothing is not a number: the verdict says which of the two costs less.
func TestSavingsOfFreeRivals(t *testing.T) {
	const n = 30
	rs, err := infer.NewResamples(rand.New(rand.NewPCG(3, 4)), make([]string, n), infer.Options{Count: 200})
	if err != nil {
		t.Fatal(err)
	}
	of := func(cost, errs float64) (m Measured) {
		for range n {
			m.Cost, m.Error = append(m.Cost, cost), append(m.Error, errs)
		}
		return m
	}
	for _, tt := range []struct {
		name         string
		ours, single Measured
		saved        *float64
		equal        float64
		want         Verdict
	}{
		{name: "the rival is free", ours: of(1, 0.5), single: of(0, 0.5), equal: -1, want: Costlier},
		{name: "both are free", ours: of(0, 0.5), single: of(0, 0.5), saved: new(float64), want: Undecided},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, err := Savings(rs, []Measured{tt.ours}, []Measured{tt.single}, []Measured{tt.single})
			if err != nil {
				t.Fatal(err)
			}
			x := list[0]
			if x.Verdict != tt.want || x.Equal.Value != tt.equal || (x.Saved == nil) != (tt.saved == nil) ||
				x.Saved != nil && x.Saved.Value != *tt.saved {
				t.Errorf("%+v, want %v, saved %v", x, tt.want, tt.saved)
			}
		})
	}
}
