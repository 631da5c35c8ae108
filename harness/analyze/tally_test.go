package analyze

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"infnet/harness/cost"
	"infnet/harness/seed"
)

// A tally follows decisions one by one, and gives the metrics that the row of these
// decisions has in a table: of classes, and of texts with means and sums.
func TestTallyIsTheRowsValue(t *testing.T) {
	texts := fmt.Sprintf(drawnTOML, "", "intercept = 1", "intercept = 0",
		translate+"\ncorrect = { rule = \"exact-match\" }\nmetrics = [\"token-f1\", \"bleu\"]")
	for name, in := range map[string]Input{
		"classes": handInput(t, load(t, handTOML), byHand, nil), "texts": drawn(t, load(t, texts), 60, nil),
	} {
		t.Run(name, func(t *testing.T) {
			out, _ := analysed(t, in)
			s, err := newMeasurer(out.Datasets[0].Records)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			tally := s.tally(student)
			for range 20 {
				for range 5 {
					tally.move(rng.IntN(len(s.truth)), rng.IntN(len(s.r.Models)))
				}
				x, err := s.row(entry{name: "row", title: "row", charge: cost.Cascade, test: tally.final})
				if err != nil {
					t.Fatal(err)
				}
				whole := s.tally(student)
				copy(whole.final, tally.final)
				whole.recount()
				for _, m := range s.metrics {
					near(t, string(m.Name)+" by moves", tally.value(m), x.Metrics[string(m.Name)].Value)
					near(t, string(m.Name)+" counted whole", whole.value(m), x.Metrics[string(m.Name)].Value)
				}
			}
		})
	}
}

// The published random rows defer 813 of 1,600 records, and 405 of 800
// (numpy 2.4.6: (default_rng(42).random(n) < 0.5).sum()).
func TestPublishedCoins(t *testing.T) {
	for n, want := range map[int]int{1600: 813, 800: 405} {
		final, deferred := make([]int, n), 0
		toss(final, 1, 0.5, rand.New(seed.NewNumPy(42)))
		for _, at := range final {
			deferred += at
		}
		if deferred != want {
			t.Errorf("%d of %d deferred, want %d", deferred, n, want)
		}
	}
}
