package experiments_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"infnet/harness/analyze"
	"infnet/harness/baseline"
	"infnet/harness/pipeline"
	"infnet/harness/result"
	"infnet/harness/spec"
	"infnet/metrics/infer"
	"infnet/reports"
)

// analysed holds what public has analysed.
var analysed = map[string]*analyze.Output{}

// public analyses a study of experiments/public, once, on the recorded answers of INFNET_DATA.
func public(t *testing.T, name string) *analyze.Output {
	t.Helper()
	if testing.Short() || os.Getenv("INFNET_DATA") == "" {
		t.Skip("long, and needs INFNET_DATA with the recorded answers of nine models")
	}
	if _, err := os.Stat(os.Getenv("INFNET_DATA") + "/answers"); err != nil {
		t.Skip("INFNET_DATA has no recorded answers")
	}
	if out := analysed[name]; out != nil {
		return out
	}
	s, err := pipeline.Load(nil, "public/"+name+".toml", spec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if name != "triviaqa" { // whose pool TestPublicPool looks at
		s.Pools = nil
	}
	if name == "truthfulqa" || name == "gsm8k" { // looked at for what the models get right alone, without intervals
		s.Report.Bootstrap = 50
	}
	// no page has a row of what learns
	s.Baselines = slices.DeleteFunc(s.Baselines, func(b spec.Baseline) bool {
		return slices.Contains(baseline.Learners(), b.Kind)
	})
	st, err := pipeline.Open(t.Context(), s, pipeline.Options{Store: t.TempDir(), Out: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Collect(t.Context(), pipeline.CollectOptions{}); err != nil {
		t.Fatal(err)
	}
	out, err := st.Analyze(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	analysed[name] = out
	return out
}

// The percentages of right answers are those of the paper that published the answers (Zellinger and Thomson 2025,
// table of models): on the test part, and on GSM8K on all records.
func TestPublicAccuracy(t *testing.T) {
	for set, want := range map[string]map[string]float64{
		"mmlu": {"llama3.2-1b": 42.46, "llama3.2-3b": 57.22, "llama3.1-8b": 63.36, "llama3.1-70b": 81.45,
			"llama3.1-405b": 85.17, "gpt-4o-mini": 74.92, "qwen2.5-32b-coder-instruct": 75.31,
			"qwen2.5-72b-instruct": 82.04, "gpt-4o": 83.61},
		"triviaqa": {"llama3.2-1b": 37.2, "llama3.2-3b": 63.3, "llama3.1-8b": 78.7, "llama3.1-70b": 92.8,
			"llama3.1-405b": 94.9, "gpt-4o-mini": 90.0, "qwen2.5-32b-coder-instruct": 70.2, "qwen2.5-72b-instruct": 87.6,
			"gpt-4o": 96.2},
		"truthfulqa": {"llama3.2-1b": 35.78, "llama3.2-3b": 43.33, "llama3.1-8b": 50.29, "llama3.1-70b": 59.38,
			"llama3.1-405b": 69.25, "gpt-4o-mini": 59.38, "qwen2.5-32b-coder-instruct": 57.45,
			"qwen2.5-72b-instruct": 57.83, "gpt-4o": 72.15},
		"gsm8k": {"llama3.2-1b": 59.0, "llama3.2-3b": 89.67, "llama3.1-8b": 89.33, "llama3.1-70b": 97.67,
			"llama3.1-405b": 97.33, "gpt-4o-mini": 90.33, "qwen2.5-32b-coder-instruct": 95.67,
			"qwen2.5-72b-instruct": 95.0, "gpt-4o": 95.0},
	} {
		t.Run(set, func(t *testing.T) {
			got := map[string]float64{}
			for _, a := range public(t, set).Datasets {
				r := a.Records
				examples := r.Test
				if set == "gsm8k" {
					examples = append(append([]int(nil), r.Fit...), r.Test...)
				}
				for m, name := range r.Cascade.Models {
					right := 0.0
					for _, ok := range r.Models[m].Right(examples) {
						if ok {
							right++
						}
					}
					got[name] = 100 * right / float64(len(examples))
				}
			}
			for name, percent := range want {
				if math.Abs(got[name]-percent) > 0.006 { // the table has two digits
					t.Errorf("%s: %.2f %% right, the table has %.2f", name, got[name], percent)
				}
			}
		})
	}
}

// Thresholds, deferrals, errors and savings are those of a brute-force search over the records in Python, which
// reads the files by itself: every distinct confidence as the one threshold, and of the thresholds per class the
// least deferrals for every number of errors, by dynamic programming over the classes. (The pair of qwen2.5 on MMLU has
// the square of the threshold found there, which took the root: its labels are two tokens, and a label's probability
// is whole.)
func TestPublicThresholds(t *testing.T) {
	type fitted struct {
		theta              float64 // of the one threshold
		deferred, errors   int     // on the fit part
		perClass           int     // deferred with a threshold per class; 0 = no classes
		test, testDeferred int     // errors and deferrals on the test part
		saved              float64 // percent
	}
	inf := math.Inf(1)
	for set, want := range map[string]map[string]fitted{
		"mmlu": {
			"llama3.2-1b+llama3.2-3b":    {0.9011518325294287, 269, 120, 224, 657, 1440, -94.05617243631612},
			"llama3.1-8b+gpt-4o":         {0.9976231491938142, 258, 60, 194, 251, 1374, 2.1499319735652556},
			"llama3.1-70b+llama3.1-405b": {0.7495495146843814, 58, 53, 19, 242, 293, 50.862181580666245},
			"gpt-4o-mini+gpt-4o":         {inf, 285, 60, 72, 251, 1531, -6},
			"qwen2.5-32b-coder-instruct+qwen2.5-72b-instruct": {0.9066657403803913, 43, 35, 31, 326, 234,
				-15.284128020901377},
		},
		"triviaqa": {
			"llama3.2-1b+llama3.2-3b":    {inf, 300, 114, 0, 367, 1000, -100.270061728395},
			"llama3.1-8b+gpt-4o":         {0.9999707904266079, 281, 14, 0, 39, 940, -1.9713461070347993},
			"llama3.1-70b+llama3.1-405b": {0.9999091641258279, 164, 9, 0, 50, 500, 20.085299772766994},
			"gpt-4o-mini+gpt-4o":         {2.9352924920678083e-06, 19, 14, 0, 77, 43, 89.68546440866572},
			"qwen2.5-32b-coder-instruct+qwen2.5-72b-instruct": {0.9931943440878624, 237, 38, 0, 126, 747,
				-74.9466583664169},
		},
	} {
		t.Run(set, func(t *testing.T) {
			for _, a := range public(t, set).Datasets {
				r := a.Records
				want := want[r.Cascade.Name]
				single := a.Result.Policies[0]
				if got := float64(single.Thresholds[0].Theta); got != want.theta && math.Abs(got-want.theta) > 1e-12 {
					t.Errorf("%s: threshold %v, want %v", r.Cascade.Name, got, want.theta)
				}
				if single.FitDeferred != want.deferred || single.FitErrors != float64(want.errors) {
					t.Errorf("%s: %d deferred and %v errors on the fit part, want %d and %d", r.Cascade.Name, single.FitDeferred,
						single.FitErrors, want.deferred, want.errors)
				}
				if want.perClass > 0 && a.Result.Policies[1].FitDeferred != want.perClass {
					t.Errorf("%s: %d deferred with a threshold per class, want %d", r.Cascade.Name,
						a.Result.Policies[1].FitDeferred, want.perClass)
				}
				n := float64(len(r.Test))
				for _, row := range a.Result.Rows {
					if row.Policy != single.Policy {
						continue
					}
					for what, x := range map[string][2]float64{
						"errors":   {row.Error.Value * n, float64(want.test)},
						"deferred": {row.Deferred.Value * n, float64(want.testDeferred)},
						"saved":    {row.Saved.Value, want.saved},
					} {
						if math.Abs(x[0]-x[1]) > 1e-9 {
							t.Errorf("%s: %s %v on the test part, want %v", r.Cascade.Name, what, x[0], x[1])
						}
					}
				}
			}
		})
	}
}

// The README's table of real models is what the studies that it names give.
func TestRealModels(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	words := map[reports.Verdict]string{reports.ErrsMore: "errs more", reports.NotWorthIt: "not worth it",
		reports.WorthIt: "worth it", reports.NotShown: "not shown"}
	rows := 0
	for _, set := range []string{"TriviaQA", "MMLU"} {
		r := public(t, strings.ToLower(set)).Result
		for _, h := range reports.Headlines(r) {
			if h.Pool || h.Student.Saved.Value < 1 { // a student that costs what its master costs
				continue
			}
			rows++
			x := ours(t, r, &h)
			row := fmt.Sprintf("| %s | %s | %.1f, %.1f | %s | %s | %s | %s |", set, strings.Join(h.Models, " → "),
				100*h.Student.Error.Value, 100*h.Master.Error.Value, bracketed(x.Saved, 1), bracketed(x.Rival.Error, 100),
				bracketed(x.Rival.Saved, 100), words[h.Verdict])
			if !strings.Contains(string(page), row) {
				t.Errorf("the README lacks %s", row)
			}
		}
	}
	if n := strings.Count(string(page), " → "); n != rows+1 || rows != 6 { // and the head
		t.Errorf("the README has %d rows of cascades, the studies %d", n-1, rows)
	}
}

// docs/decision-models.md has what bars that people guess save and err, beside ours.
func TestGuessedBars(t *testing.T) {
	page, err := os.ReadFile("../docs/decision-models.md")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{"fixed-0.55": "0.55, guessed", "fixed-0.6": "0.6, guessed", "fixed-0.85": "0.85, guessed",
		"single": "ours, one bar", "multi": "ours, a bar per class"}
	rows := 0
	for _, c := range public(t, "guessed-bar").Result.Cascades {
		for _, x := range c.Datasets[0].Rows {
			name, shown := names[x.Policy]
			if !shown {
				continue
			}
			rows++
			row := fmt.Sprintf("| %s | %s | %s | %s |", strings.Join(c.Models, " → "), name, bracketed(x.Error, 100),
				bracketed(x.Saved, 1))
			if !strings.Contains(string(page), row) {
				t.Errorf("the page lacks %s", row)
			}
		}
	}
	if rows != 10 {
		t.Errorf("%d rows, want five of each pair", rows)
	}
}

// ours is the row that a headline is about.
func ours(t *testing.T, r *result.Results, h *reports.Headline) result.Row {
	t.Helper()
	for _, c := range r.Cascades {
		for _, x := range c.Datasets[0].Rows {
			if c.Name != h.Cascade || x.Policy != h.Ours.Policy {
				continue
			}
			return x
		}
	}
	t.Fatalf("%s has no row %s", h.Cascade, h.Ours.Policy)
	return result.Row{}
}

func bracketed(iv infer.Interval, times float64) string {
	return fmt.Sprintf("%.1f [%.1f, %.1f]", times*iv.Value, times*iv.Low, times*iv.High)
}

// The pool of nine real models, against numbers that a brute-force search in Python (numpy 2) found on the same files:
// the least cost + price · error of all single models, all thresholds of all 72 pairs and all pairs of thresholds of
// all 84 chains in the order of cost, on the fit part; and of an oracle on the test part.
func TestPublicPool(t *testing.T) {
	prices := []float64{1e-4, 1e-3, 1e-2}
	least := []float64{5.224e-05, 0.000109292, 0.0004018366666666667} // at those prices
	oracle := []float64{3.90765e-05, 6.61906e-05, 0.0002011906}
	d := &public(t, "triviaqa").Result.Pools[0].Datasets[0]
	var cascades []result.PoolPoint
	for _, f := range d.Families {
		if f.Kind == "single" || f.Kind == "cascade" {
			cascades = append(cascades, f.Hull...)
		}
	}
	for k, price := range prices {
		for _, x := range []struct {
			what   string
			points []result.PoolPoint
			want   float64
		}{{"cascades and single models", cascades, least[k]}, {"the oracle", d.Oracle, oracle[k]}} {
			got := math.Inf(1)
			for _, p := range x.points {
				got = min(got, p.Cost+price*p.Error)
			}
			if math.Abs(got-x.want) > 1e-9*x.want {
				t.Errorf("%s at the price %v: %v, brute force %v", x.what, price, got, x.want)
			}
		}
	}
}
