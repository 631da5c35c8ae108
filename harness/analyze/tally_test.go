package analyze

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"infnet/harness/cost"
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
			tally := s.tally()
			for range 20 {
				for range 5 {
					tally.move(rng.IntN(len(s.truth)), rng.IntN(len(s.r.Models)))
				}
				x, err := s.row(entry{name: "row", title: "row", charge: cost.Cascade, test: tally.final})
				if err != nil {
					t.Fatal(err)
				}
				whole := s.tally()
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
