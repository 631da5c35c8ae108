package pool

import (
	"fmt"
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
		savings, err := Savings(rs, ours, rivals)
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
