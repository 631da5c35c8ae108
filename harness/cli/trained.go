package cli

import (
	"time"

	"infnet/harness/analyze"
)

// trained logs how long the baselines that learn took: times are on the screen
// alone, since no file may differ between two runs of the same study.
func (st *study) trained(list []analyze.Trained) {
	for _, t := range list {
		st.screen.log.Info("trained", "baseline", t.Row, "learner", t.Learner, "cascade", t.Cascade, "dataset", t.Dataset,
			"fits", t.Fits, "took", t.Wall.Round(time.Millisecond), "held_out", t.Held.String())
	}
}
