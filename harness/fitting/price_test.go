package fitting

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"infnet/harness/outcomes"
	"infnet/harness/policy"
)

// With an error at 5 the fit part loses least, over costs and errors, by brute force over every
// threshold of each class; on held-out rows each way loses its mean cost and five times its mean error.
func TestPriceOfAnError(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	text := strings.Builder{}
	text.WriteString("confidence,class,student,master,student_cost,master_cost\n")
	for range 300 {
		beta := math.Round(20*rng.Float64()) / 20
		right := func(p float64) int { return map[bool]int{true: 1}[rng.Float64() < p] }
		fmt.Fprintf(&text, "%v,%s,%d,%d,1,%d\n", beta, []string{"red", "blue"}[rng.IntN(2)], right(beta), right(.9),
			2+rng.IntN(3))
	}
	l := logOf(t, text.String(), func(*outcomes.Columns) {})
	const price = 5.0
	o := Options{Options: policy.Options{Target: policy.Best}, Share: .5, Seed: 42}
	o.ErrorCost = price
	r, err := Fit(l, o)
	if err != nil {
		t.Fatal(err)
	}
	lost := func(rows []int, theta func(class int) float64) (sum float64) {
		x := l.Pick(rows)
		for k, i := range rows {
			if x.Beta[k] >= theta(x.Class[k]) {
				sum += l.Costs[0][i] + price*x.Student[k]
			} else {
				sum += l.Costs[0][i] + l.Costs[1][i] + price*x.Master[k]
			}
		}
		return sum
	}
	best := []float64{math.Inf(1), math.Inf(1)} // with one threshold, and with two
	for a := range 22 {
		for b := range 22 {
			at := []float64{float64(a) / 20, float64(b) / 20}
			now := lost(r.Fit, func(class int) float64 { return at[class] })
			if best[1] = min(best[1], now); a == b {
				best[0] = min(best[0], now)
			}
		}
	}
	fitted := r.Policies[len(r.Policies)-2:]
	for k, name := range []string{"one threshold, priced", "a threshold per class, priced"} {
		theta := func(class int) float64 { return fitted[k].Policy.Thresholds[class*k] }
		if got := lost(r.Fit, theta); fitted[k].Name != name || math.Abs(got-best[k]) > 1e-6 {
			t.Errorf("%s loses %v on the fit part; by brute force %v is least", fitted[k].Name, got, best[k])
		}
		row := r.Price.Rows[2+k]
		if want := lost(r.Test, theta) / float64(len(r.Test)); math.Abs(row.Loss.Value-want) > 1e-9 ||
			!(row.Loss.Low < want && want < row.Loss.High) {
			t.Errorf("%s loses %+v, by its definition %v", name, row.Loss, want)
		}
	}
	never := func(int) float64 { return 0 }
	if want := lost(r.Test, never) / float64(len(r.Test)); math.Abs(r.Price.Rows[0].Loss.Value-want) > 1e-9 {
		t.Errorf("the student alone loses %+v, by its definition %v", r.Price.Rows[0].Loss, want)
	}
	always := lost(r.Test, func(int) float64 { return 2 })/float64(len(r.Test)) - 1 // its own cost is not paid
	if math.Abs(r.Price.Rows[1].Loss.Value-always) > 1e-9 {
		t.Errorf("the master alone loses %+v, by its definition %v", r.Price.Rows[1].Loss, always)
	}
}
