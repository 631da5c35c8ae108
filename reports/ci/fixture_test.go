package ci

import (
	"infnet/harness/compare"
	"infnet/metrics/infer"
)

// quantity is one of cascade "student+master".
func quantity(dataset, metric string, old, now float64, verdict compare.Verdict) compare.Quantity {
	q := compare.Quantity{Cascade: "student+master", Dataset: dataset, Policy: "single", Title: "Ours (one threshold)",
		Metric: metric, Verdict: verdict, Old: old, New: now, Adjusted: 1, P: 1}
	if verdict == compare.Worse || verdict == compare.Better {
		q.Tested, q.P, q.Adjusted, q.Worsened, q.Improved = true, 0.0004, 0.0032, 14, 2
		q.Difference = infer.Interval{Value: now - old, Low: now - old - 0.03, High: now - old + 0.03, Level: 0.95, N: 200}
	}
	return q
}

// night is one with every verdict there is.
func night() *Night {
	return &Night{Date: "2026-03-09", Place: "Look 3 at these records.", Comparison: &compare.Comparison{Study: "nightly",
		Alpha: 0.0304, Verdict: compare.Worse, Summary: "worse: of 4 quantities 1 worse",
		Old:    compare.Side{Name: "accepted.json", Accepted: "2026-02-01", Because: "first night"},
		New:    compare.Side{Name: "runs/nightly"},
		Causes: []compare.Cause{{Kind: "answers", Name: "tiny-master on reviews", Old: "aa", New: "bb"}},
		Quantities: []compare.Quantity{
			quantity("reviews", "error", 0.08, 0.14, compare.Worse),
			quantity("reviews", "cost per query", 43, 40, compare.Better),
			quantity("tickets", "error", 0.05, 0.05, compare.Same),
			quantity("lookup", "error", 0.1, 0.2, compare.Uncomparable),
		},
		Moved: []compare.Moved{{Cascade: "student+master", Dataset: "reviews", Who: "tiny-master", From: "right", To: "wrong",
			Count: 7, First: []string{"r17", "r18", "r20", "r31", "r40"}}},
		Remarks: []string{"gone, and so not compared: student+master on phrasebook"}}}
}
