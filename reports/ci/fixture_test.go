package ci

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"infnet/harness/compare"
	"infnet/harness/nights"
	"infnet/metrics/infer"
)

func interval(v, half float64) infer.Interval {
	return infer.Interval{Value: v, Low: v - half, High: v + half, Level: 0.95, N: 200}
}

// quantity is one of cascade "student+master".
func quantity(dataset, policy, metric string, old, now float64, verdict compare.Verdict) compare.Quantity {
	q := compare.Quantity{Cascade: "student+master", Dataset: dataset, Policy: policy, Title: "Ours (one threshold)",
		Metric: metric, Verdict: verdict,
		Old: interval(old, 0.02), New: interval(now, 0.02), Adjusted: 1, P: 1}
	if verdict != compare.Same && verdict != compare.Shifted {
		q.Tested, q.Difference, q.P, q.Adjusted = true, interval(now-old, 0.03), 0.0004, 0.0032
		q.Worsened, q.Improved = 14, 2
	}
	return q
}

// night is one with every verdict there is, and a history of so many nights before it.
func night(t *testing.T, before int) *Night {
	t.Helper()
	c := &compare.Comparison{Version: 1, Study: "nightly", Level: compare.Statistics, Alpha: 0.0304,
		Verdict: compare.Worse,
		Summary: "1 of 6 quantities is worse than in the accepted run.",
		Old:     compare.Side{Name: "accepted.json", Accepted: "2026-02-01", Because: "first night", Hash: "aa", Look: "a1"},
		New:     compare.Side{Name: "runs/nightly", Hash: "bb", Look: "n1"},
		Causes: []compare.Cause{{Kind: compare.OfAnswers, Model: "tiny-master",
			Text: "tiny-master answers 31 of 200 records otherwise"}},
		Quantities: []compare.Quantity{
			quantity("reviews", "single", "error", 0.08, 0.14, compare.Worse),
			quantity("reviews", "single", "saved_pct", 40, 43, compare.Better),
			quantity("reviews", "single", "deferred", 0.3, 0.28, compare.Shifted),
			quantity("tickets", "single", "error", 0.05, 0.06, compare.Undecided),
			quantity("tickets", "single", "saved_pct", 52, 52, compare.Same),
			quantity("lookup", "single", "error", 0.1, 0.1, compare.Incomplete),
		},
		Incomplete: []compare.Place{{Cascade: "student+master", Dataset: "lookup"}},
		Added:      []compare.Place{{Cascade: "student+master", Dataset: "sst2"}},
		Gone:       []compare.Place{{Cascade: "student+master", Dataset: "phrasebook"}},
		Moved: []compare.Moved{{Cascade: "student+master", Dataset: "reviews", ID: "r17", Part: "test", Policy: "single",
			From: "right", To: "wrong"}},
		Remarks: []string{"The accepted run is 37 days old."},
	}
	n := &Night{Comparison: c, Date: "2026-03-09"}
	if before > 0 {
		n.History, n.Look = history(t, before)
	}
	return n
}

// history is one of so many nights: the error of one policy drifts up and is called worse from the seventh on, and the
// third night is incomplete.
func history(t *testing.T, count int) (*nights.History, nights.Look) {
	t.Helper()
	h, err := nights.Read(filepath.Join(t.TempDir(), "history.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var look nights.Look
	for i := 1; i <= count; i++ {
		tonight := nights.Night{Study: "nightly", Run: fmt.Sprint(i), Accepted: "a1", Since: "2026-02-01",
			Date:   time.Date(2026, 3, 9-count+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly),
			Inputs: fmt.Sprint("n", i), Alpha: 0.05}
		if look, err = h.Plan(tonight); err != nil {
			t.Fatal(err)
		}
		line := nights.Night{Study: tonight.Study, Date: tonight.Date, Run: tonight.Run, Accepted: "a1", Since: tonight.Since,
			Inputs: tonight.Inputs, Alpha: 0.05, Look: look.Number, Level: look.Level, Verdict: "same"}
		if i == 3 {
			line.Look, line.Level, line.Verdict, line.Why = 0, 0, nights.Incomplete, "lookup of student+master"
		} else {
			for d, dataset := range []string{"reviews", "tickets"} {
				for p, policy := range []string{"single", "multi"} {
					drift := 0.006 * float64(i*(1-d)) * float64(1-p)
					verdict := "same"
					if drift > 0.04 {
						verdict, line.Verdict, line.Alarm = nights.Worse, nights.Worse, true
					}
					of := func(metric string) nights.Name {
						return nights.Name{Cascade: "student+master", Dataset: dataset, Policy: policy, Metric: metric}
					}
					line.Quantities = append(line.Quantities, nights.Quantity{Name: of("error"), Verdict: verdict,
						Old: nights.Of(interval(0.08+0.02*float64(p), 0.02)),
						New: nights.Of(interval(0.08+0.02*float64(p)+drift, 0.02))},
						nights.Quantity{Name: of("saved_pct"), Verdict: "same", Old: nights.Of(interval(40, 3)),
							New: nights.Of(interval(40+float64(i%3), 3))})
				}
			}
		}
		if err := h.Append(line); err != nil {
			t.Fatal(err)
		}
	}
	return h, look
}
