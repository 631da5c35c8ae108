package reports

import (
	"math"

	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/sufficiency"
)

// hostile is what a careless or malicious name may hold.
const hostile = "A&B_%$#{}~^\\ | <b>`x`</b> [l](http://e.x) \x1b[31mred\x1b[0m \u202egnp\u202c @me --"

// at is an interval made by hand.
func at(value, half float64, n int) infer.Interval {
	return infer.Interval{Value: value, Low: value - half, High: value + half, Level: 0.95, N: n, Method: "bootstrap"}
}

// study is a hand-made study with everything that can go wrong in a table: hostile names, an infeasible budget,
// infinite thresholds, undefined intervals, ties, seven labels, two families, an incomplete cascade.
func study() *result.Results {
	return budgeted(&result.Results{
		Version: result.Version, Name: "hand-made " + hostile, Seed: 42, Level: 0.95,
		Spec: result.Provenance{Program: "0.0.0-test", SpecHash: "5bec0000", AnswersHash: "a15e--><0000%"},
		Models: []result.Model{
			{Name: "tiny-student", ID: "infnet/tiny-student", Revision: "r1", Backend: "local", Params: 0.0004},
			{Name: "tiny-master", ID: "infnet/tiny-master", Revision: "r2", Backend: "local", Params: 0.0028},
		},
		Cascades: []result.Cascade{plainCascade(), hostileCascade()},
		Warnings: []string{"a warning | with <html> and \x1b]0;title\x07 escapes"},
	})
}

// budgeted gives every policy its dataset's budget.
func budgeted(s *result.Results) *result.Results {
	for i := range s.Cascades {
		for j := range s.Cascades[i].Datasets {
			d := &s.Cascades[i].Datasets[j]
			for k := range d.Policies {
				d.Policies[k].Budget = d.Budget.Errors
			}
		}
	}
	return s
}

func plainCascade() result.Cascade {
	return result.Cascade{
		Name: "student-master", Models: []string{"tiny-student", "tiny-master"},
		Setting: "non-oracle", Target: "best", CostModel: "tflops", Summary: "mean", Unit: "TFLOPs",
		Datasets: []result.Dataset{withRivals(withTest(reviews(), tested())), tickets(), phrasebook()},
	}
}

// withRivals sets ours beside other policies: matched, out of reach, hostile, under test, and over splits.
func withRivals(d result.Dataset) result.Dataset {
	estimate := func(v, half float64) result.Estimate {
		return result.Estimate{Value: result.Float(v), Low: result.Float(v - half), High: result.Float(v + half), Level: 0.95,
			N: 200, Method: "bootstrap"}
	}
	match := func(saved, error, differs float64) result.Match {
		m := result.Match{Fitted: result.Fitted{
			Thetas: []result.Float{0, result.Float(math.Inf(1))}, Second: 0.25,
			Metrics: map[string]infer.Interval{"accuracy": at(1-error, 0.02, 200)},
			Error:   at(error, 0.02, 200), Deferred: at(0.3, 0.02, 200), Saved: at(saved, 1, 200), DiffError: at(-0.012, 0.02,
				200), DiffSaved: at(53-saved, 2, 200),
		}}
		m.Curve.Saved, m.Curve.Error, m.Curve.Differs, m.Curve.Reached = estimate(saved, 1), estimate(error,
			0.02), estimate(differs, 0.01), 1
		return m
	}
	d.Curves = []result.Curve{{Policy: "random", Title: "Any coin"}}
	unreachable := match(12.5, 0.11, 0)
	unreachable.Fitted.Clipped, unreachable.Curve.Clipped, unreachable.Curve.Reached = true, true, 0.25
	unreachable.Curve.Saved.Value, unreachable.Curve.Saved.Low = result.Float(math.Inf(-1)), result.Float(math.Inf(-1))
	unreachable.Curve.Differs.Value, unreachable.Curve.Differs.High = result.Float(math.Inf(1)), result.Float(math.Inf(1))
	d.Matched = []result.Matched{
		{Ours: "multi", Baseline: "random", Cost: match(53.1, 0.11, -0.03), Error: unreachable,
			Area: result.Area{To: 78, Mean: at(-0.0321, 0.01, 200)}},
		{Ours: "multi", Baseline: "oracle-router", Cost: unreachable, Error: match(70, 0.08, -17),
			Area: result.Area{To: 78, Mean: at(0.0123, 0.01, 200)}},
		{Ours: "multi", Baseline: hostile, Cost: match(50, 0.1, -0.02), Error: match(49, 0.08, 4),
			Area: result.Area{To: 78, Mean: at(-0.002, 0.01, 200)}},
	}
	test := func(baseline, what, how string, p float64) result.Test {
		return result.Test{Ours: "multi", Baseline: baseline, What: what, Test: how, Difference: 0.0123, OnlyOurs: 12,
			OnlyTheirs: 3, Units: 15, Draws: 9999, P: p, Holm: 2 * p, BH: 2 * p, Datasets: 2}
	}
	clustered := test(hostile, "correct", "sign-flip", 0.2)
	clustered.Clustered = true
	d.Tests = []result.Test{
		test("random", "correct", "mcnemar", 0.0000123),
		test("random", "accuracy", "sign-flip", 0.0001),
		test("random", "f1-macro", "swap", 0.0002), test("random",
			"cost", "sign-flip", 0.03),
		test("none", "correct", "mcnemar", 0.4), clustered,
	}
	spread := func(v float64) result.Spread { return result.Spread{Mean: v, SD: v / 10, Values: []float64{v, v}} }
	d.Repeats = &result.Repeats{Count: 2, Splits: []string{"a", "b"}, Rows: []result.Repeated{
		{Policy: "multi", Title: "Ours (threshold per class)", Metrics: map[string]result.Spread{"accuracy": spread(0.92),
			"f1-macro": spread(0.9)}, Error: spread(0.08), Deferred: spread(0.25), Saved: spread(53)},
		{Policy: hostile, Title: hostile, Metrics: map[string]result.Spread{"accuracy": spread(0.5), "f1-macro": spread(0)},
			Error: spread(0), Deferred: spread(1), Saved: spread(-4)},
	}}
	return d
}

// withTest adds a sufficiency test.
func withTest(d result.Dataset, q *result.Sufficiency) result.Dataset {
	d.Sufficiency = q
	return d
}

// tested is a sufficiency test with every kind of row: a finding, one stopped
// early, one determined by β, one degenerate.
func tested() *result.Sufficiency {
	interval := func(v, half float64) infer.Interval { return at(v, half, 797) }
	row := sufficiency.Row{
		Set: "output-stats", Null: sufficiency.Beta, State: sufficiency.Tested, Columns: 4, Dropped: []string{"max",
			"log-odds"},
		Notes:   []string{"β is the same on every record: the null model knows nothing"},
		MSENull: sufficiency.MSE{Pooled: 0.10123, Mean: 0.1013, SD: 0.02, Folds: []float64{0.09, 0.1126}},
		MSEFull: sufficiency.MSE{Pooled: 0.09876, Mean: 0.0988, SD: 0.03, Folds: []float64{0.08, 0.1176}},
		Gain:    interval(0.00247, 0.001), R2: interval(0.021, 0.01),
		Method: sufficiency.Plain, P: 0.0909,
		Permutation: &sufficiency.Permutation{Strata: 3, Fixed: 1,
			Test: sufficiency.Permuted{Observed: 0.00247, Statistics: make([]float64, 10), P: 0.0909, Smallest: 0.0909,
				Chance: infer.Interval{Value: 0.0909, Low: 0.002, High: 0.41, Level: 0.95, N: 10}}},
		Holm: 0.1818, BH: 0.1818, Finding: true,
		Value: &sufficiency.Value{Budget: 0.13, Saved: interval(3.21, 2), Missed: 1},
	}
	stopped := row
	stopped.Null, stopped.Finding, stopped.Dropped, stopped.Value, stopped.Notes = sufficiency.BetaAndClass, false,
		nil, nil, nil
	again := *row.Permutation
	again.Test.Reached, again.Test.P = 5, 0.5
	stopped.Permutation, stopped.P = &again, 0.5
	stopped.Gain = interval(-0.0004, 0.001)
	return &result.Sufficiency{
		Records: 797, Folds: 5, Method: "plain", Permutations: 10,
		Alpha: 0.1, Smallest: 0.0909,
		Rows: []sufficiency.Row{row, stopped,
			{Set: "embeddings", Null: sufficiency.Beta, State: sufficiency.Determined, Dropped: []string{"embedding 0"}},
			{Set: hostile, Null: sufficiency.BetaAndClass, State: sufficiency.Degenerate,
				Notes: []string{"Δ is 0 on every record: there is nothing to predict"}},
		},
		Notes: []result.Note{{Kind: "embeddings", Text: "Embeddings are those of an embedder called " + hostile + "."}},
	}
}

// rate is an interval of a share.
func rate(value, half float64, n int) infer.Interval {
	i := at(value, half, n)
	i.Low, i.High = max(i.Low, 0), min(i.High, 1)
	return i
}

// classified is one row of a classification dataset.
func classified(policy, title string, accuracy, f1, saved, err, deferred float64, charge string,
	notes ...result.Note) result.Row {
	return result.Row{
		Policy: policy, Title: title, Charge: charge, Notes: notes,
		Metrics:  map[string]infer.Interval{"accuracy": at(accuracy, 0.02, 200), "f1-macro": at(f1, 0.025, 200)},
		Error:    rate(err, 0.02, 200),
		Deferred: rate(deferred, 0.03, 200), Saved: at(saved, 1.5, 200), SavedPerQuery: at(saved+0.2, 1.5, 200),
		Baseline: policy != "single" && policy != "multi",
	}
}

func reviews() result.Dataset {
	allDeferred := classified("all", "All Deferred", 0.92, 0.92, 0, 0.08, 1, "router")
	allDeferred.Saved = infer.Interval{Value: math.Copysign(0, -1), Low: math.NaN(), High: math.NaN(), Level: 0.95, N: 200}
	multi := classified("multi", "Ours (threshold per class)", 0.92, 0.915, 53, 0.08, 0.25, "cascade")
	multi.SavedPerQuery = at(47.123, 2, 200)
	single := classified("single", "Ours (one threshold)", 0.92-1e-12, 0.9, 50, 0.08, 0.28, "cascade")
	single.Certified = true
	return result.Dataset{
		Name: "reviews", Source: "builtin:reviews", Hash: "da7a0001", Task: "classification", Rule: "label",
		Metrics: []string{"accuracy", "f1-macro"}, Labels: []string{"negative",
			"positive"}, Confidence: "softmax", Calibration: "none",
		Counts: result.Counts{Records: 1000, Used: 997, Fit: 797, Test: 200,
			Missing: []result.Missing{{Model: "tiny-master", Cause: "timeout", Count: 2},
				{Model: "tiny-student", Cause: "bad-response", Count: 1}}},
		Split: result.Split{Order: "shuffle", Fraction: "0.8", Hash: "5911770001"},
		Costs: []result.Cost{{Model: "tiny-student", Value: 0.00000022, Mean: 0.00000022},
			{Model: "tiny-master", Value: 0.000001, Mean: 0.000001}},
		Budget: result.Budget{Target: "best", Errors: 104, Records: 797},
		Rows: []result.Row{
			classified("none", "None Deferred", 0.86, 0.86, 78, 0.14, 0, "cascade"),
			allDeferred,
			classified("random", "Random", 0.89, 0.89, 28, 0.11, 0.5, "cascade",
				result.Note{Kind: "random", Text: "The exact expectation over coins."}),
			classified("oracle-router", "Oracle router", 0.95, 0.95, 71.37, 0.05, 0.085, "router",
				result.Note{Kind: "oracle", Text: "Knows every error: the headroom. Charged as a router."}),
			classified("hybridllm", "HybridLLM", 0.9, 0.9, 60.94, 0.1, 0.22, "router"),
			single, multi,
		},
		Policies: []result.Policy{
			{Policy: "single", Method: "exact", Thresholds: []result.Threshold{{Theta: 0.734512345}}, Feasible: true,
				FitErrors: 104, FitDeferred: 221, MinErrors: 90,
				Certificate: &result.Certificate{LowerBound: 221, Optimal: true}},
			{Policy: "multi", Method: "lagrangian", Thresholds: []result.Threshold{{Class: "negative", Theta: 0.5},
				{Class: "positive", Theta: result.Float(math.Inf(1))}},
				Feasible: true, FitErrors: 103, FitDeferred: 199, MinErrors: 88, Certificate: &result.Certificate{LowerBound: 196.5,
					Gap: 2.5}},
		},
		Diagnostics: []result.Diagnostic{
			{Model: "tiny-student", Correct: at(0.86, 0.02, 200), AUROC: at(0.81, 0.03, 200), ECE: 0.041, Brier: 0.11},
			{Model: "tiny-master", Correct: at(0.92, 0.02, 200), AUROC: at(0.85, 0.04, 200), ECE: 0.02, Brier: 0.06},
		},
	}
}

// tickets has seven labels, of which one is never predicted, and an infeasible budget.
func tickets() result.Dataset {
	d := reviews()
	d.Name, d.Source, d.Labels = "tickets", "builtin:tickets", []string{"billing", "login", "delivery", "Größe", "退款",
		"مرتجع", "other"}
	d.Counts = result.Counts{Records: 300, Used: 300, Fit: 240, Test: 60,
		Truncated: []result.Missing{{Model: "tiny-student", Count: 4}}}
	d.Budget = result.Budget{Target: "best", Errors: 12, Records: 240}
	d.Split.Warnings = []string{"label share differs between fit and test (p = 0.003)"}
	multi := classified("multi", "Ours (threshold per class)", 0.71, 0.66, -4.12, 0.29, 0.8, "cascade",
		result.Note{Kind: "never-predicted",
			Text: `The student never predicts class "退款" on the fit part; its queries are always deferred.`})
	d.Rows = []result.Row{classified("none", "None Deferred", 0.6, 0.55, 78, 0.4, 0, "cascade"), multi}
	p := result.Policy{Policy: "multi", Method: "exact", Feasible: false, FitErrors: 15, FitDeferred: 190, MinErrors: 15}
	for i, l := range d.Labels {
		p.Thresholds = append(p.Thresholds, result.Threshold{Class: l, Theta: result.Float(0.1 * float64(i))})
	}
	p.Thresholds[4].Theta = result.Float(math.Inf(1))
	d.Policies = []result.Policy{p}
	return d
}

// phrasebook is generation with the lexical embedder and narrow intervals.
func phrasebook() result.Dataset {
	d := reviews()
	d.Name, d.Source, d.Task, d.Rule, d.Tau, d.Embedder = "phrasebook", "builtin:phrasebook", "translation", "token-f1",
		0.7, "lexical"
	d.Metrics, d.Labels, d.Confidence = []string{"rouge-l", "cosine"}, nil, "exp"
	d.Counts.Empty = []result.Missing{{Model: "tiny-student", Count: 1}}
	row := func(policy, title string, r, c float64) result.Row {
		x := classified(policy, title, 0, 0, 40, 0.3, 0.4, "cascade")
		x.Metrics = map[string]infer.Interval{"rouge-l": at(r, 0.004, 200), "cosine": at(c, 0.003, 200)}
		return x
	}
	d.Signals = signalsOf()
	d.Rows = []result.Row{row("none", "None Deferred", 0.381, 0.622), row("single", "Ours", 0.4012, 0.64)}
	d.Policies = d.Policies[:1]
	return d
}

// signalsOf are two signals that can be had, one that costs calls, one that cannot be had, and which adds to which.
func signalsOf() *result.Signals {
	row := func(name, kind string, auroc, aurc float64) result.Signal {
		return result.Signal{Name: name, Kind: kind, AUROC: at(auroc, 0.04, 200), AURC: at(aurc, 0.03, 200),
			Above: at(aurc-0.02, 0.01, 200), Error: rate(0.3, 0.06, 200), Saved: at(40, 5, 200)}
	}
	beside := func(x result.Signal, saved, errs float64) result.Signal {
		x.Beats = new(at(x.AUROC.Value-0.8, 0.05, 200))
		x.SavedAtError = &result.Beside{Interval: at(saved, 3, 200), Alike: at(0, 0.01, 200)}
		x.ErrorAtCost = &result.Beside{Interval: at(errs, 0.02, 200), Alike: at(0, 1, 200)}
		return x
	}
	mass := beside(row("p-true", "p-true", 0.75, 0.12), -8, 0.03)
	mass.Overhead, mass.ErrorAtCost.Clipped = 6.25, true
	s := &result.Signals{Fit: 800, Alpha: 0.05, Rows: []result.Signal{
		row("β, exp", "", 0.8, 0.1), beside(row("length", "length", 0.7, 0.15), -12, 0.05),
		beside(row("token-min", "token-min", 0.82, 0.09), 2, -0.01), mass,
		{Name: "vendor", Kind: "vendor", Missing: "no confidence was recorded with them"},
		beside(row("combination", "", 0.83, 0.09), 3, -0.01)}}
	s.Adds = []result.Added{
		{Given: "length", Adds: "token-min", State: sufficiency.Tested, P: 0.0004, Holm: 0.0008, R2: at(0.05, 0.02, 800),
			Value: s.Rows[2].SavedAtError},
		{Given: "token-min", Adds: "length", State: sufficiency.Undecided, P: 0.01, Holm: 1, R2: at(0.01, 0.02, 800)},
	}
	return s
}

// hostileCascade has names that try to break out of every format, undefined
// numbers, the signature summary, and too many missing answers.
func hostileCascade() result.Cascade {
	nan := infer.Interval{Value: math.NaN(), Low: math.NaN(), High: math.NaN(), Level: 0.95}
	return result.Cascade{
		Name: "../../etc/" + hostile, Models: []string{hostile, "模型-größer"}, Incomplete: true,
		Setting: "oracle", Target: "0.9", CostModel: "price", Summary: "signature", Unit: "€",
		Datasets: []result.Dataset{{
			Sufficiency: &result.Sufficiency{Records: 4, Folds: 5, Alpha: 0.05, Rows: []sufficiency.Row{
				{Set: "output-stats", State: sufficiency.Degenerate,
					Notes: []string{"the fit part has 4 records or groups of records, fewer than the 5 folds"}}}},
			Name: hostile, Source: "file:" + hostile, Hash: "h", Task: "classification", Rule: "label",
			Metrics: []string{"accuracy"}, Confidence: "softmax", Calibration: "isotonic",
			Counts: result.Counts{Records: 10, Used: 5, Fit: 4, Test: 1,
				Missing: []result.Missing{{Model: hostile, Cause: "=cmd|'/C calc'!A0\n\\input{/etc/passwd}", Count: 5}},
				Unseen:  []result.Missing{{Model: "模型-größer", Count: 2}}},
			Budget: result.Budget{Target: "0.9", Errors: 0.5, Records: 4},
			Rows: []result.Row{
				{Policy: "none", Title: "=HYPERLINK(\"http://e.x\")",
					Metrics: map[string]infer.Interval{"accuracy": {Value: 1, Low: 1, High: 1, Level: 0.95, N: 1}}, Error: rate(0, 0.9,
						1), Deferred: rate(0, 0.9, 1), Saved: nan, SavedPerQuery: nan},
				{Policy: "single", Title: "مرحبا " + hostile, Metrics: nil, Error: nan, Deferred: nan, Saved: nan,
					SavedPerQuery: nan,
					Notes:         []result.Note{{Kind: "server", Text: "The server said: " + hostile + "\n\n# heading\n- item"}}},
			},
			Policies: []result.Policy{{Policy: "single", Method: "exact", Feasible: true}},
			Diagnostics: []result.Diagnostic{{Model: hostile, Correct: rate(0.5, 0.5, 1), AUROC: nan, ECE: math.NaN(),
				Brier: math.NaN()}},
		}},
	}
}
