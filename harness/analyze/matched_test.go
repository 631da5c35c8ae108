package analyze

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"infnet/harness/result"
)

// curveOf returns the curve of a row.
func curveOf(t *testing.T, d result.Dataset, name string) result.Curve {
	t.Helper()
	for _, c := range d.Curves {
		if c.Policy == name {
			return c
		}
	}
	t.Fatalf("there is no curve of %q", name)
	return result.Curve{}
}

// match returns the comparison of ours with a baseline.
func match(t *testing.T, d result.Dataset, ours, baseline string) result.Matched {
	t.Helper()
	for _, m := range d.Matched {
		if m.Ours == ours && m.Baseline == baseline {
			return m
		}
	}
	t.Fatalf("%s is not compared with %s", ours, baseline)
	return result.Matched{}
}

func list(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
		return
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-9 && got[i] != want[i] {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}

func floats64(x []result.Float) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// By hand from the test part of byHand, by rising confidence: 15, 13, 20, 12
// (the master alone right), 18 (both wrong), 17 (the student alone right), 11
// with 16 (the master alone right), 19, 14. c_s = 10, c_m = 100.
func TestCurvesByHand(t *testing.T) {
	_, d := analysed(t, handInput(t, load(t, handTOML), byHand, nil))
	c := curveOf(t, d, Single)
	list(t, "θ", floats64(c.Theta), []float64{0, .65, .72, .75, .80, .85, .90, .96, .97, math.Inf(1)})
	list(t, "deferred", c.Deferred, []float64{0, .1, .2, .3, .4, .5, .6, .8, .9, 1})
	list(t, "saved", c.Saved, []float64{90, 80, 70, 60, 50, 40, 30, 10, 0, -10})
	list(t, "error", c.Error, []float64{.3, .3, .3, .3, .2, .2, .3, .2, .2, .2})
	list(t, "accuracy", c.Metrics["accuracy"], []float64{.7, .7, .7, .7, .8, .8, .7, .8, .8, .8})
	if c.Chosen == nil || float64(*c.Chosen.Theta) != .80 || math.Abs(c.Chosen.Saved-50) > 1e-9 ||
		math.Abs(c.Chosen.Error-.2) > 1e-9 {
		t.Errorf("θ* stands at %+v", c.Chosen)
	}
	// The band's ends are the master's cost (90 % deferred, so that with the
	// student it is 100) and the student's.
	list(t, "band", []float64{c.Band.Saved[0], c.Band.Value[0], c.Band.Saved[bandSteps], c.Band.Value[bandSteps]},
		[]float64{0, .2, 90, .3})

	c = curveOf(t, d, "random")
	list(t, "a coin's savings", c.Saved, []float64{90, -10})
	list(t, "a coin's error", c.Error, []float64{.3, .2})
	c = curveOf(t, d, "oracle-router") // 12 and 16; then what makes no difference; then 17
	list(t, "the oracle's savings", c.Saved, []float64{90, 72, 9, 0})
	list(t, "the oracle's error", c.Error, []float64{.3, .1, .1, .2})

	// Fit part by rising confidence: 10, 9, 5 with 8, 7, 4, 3, 2, 1 with 6; 3, 7
	// and 9 are better deferred, 4 is not.
	s := d.Sweep
	list(t, "θ of the fit part", floats64(s.Theta), []float64{0, .60, .70, .75, .80, .85, .90, .95, math.Inf(1)})
	list(t, "errors of the fit part", s.Error, []float64{.4, .4, .3, .3, .2, .3, .2, .2, .2})
	list(t, "the sweep's constants",
		[]float64{s.Student, s.Master, s.Budget, s.None, s.All, float64(*s.Chosen.Theta), s.Chosen.Saved, s.Chosen.Error},
		[]float64{.4, .2, .2, 90, -10, .80, 40, .2})
}

func TestMatchedByHand(t *testing.T) {
	_, d := analysed(t, handInput(t, load(t, handTOML), byHand, nil))

	// Ours, one threshold: on the fit part 5 deferrals, 2 errors, saved 40; on
	// the test part 4 deferrals, 2 errors, saved 50.
	m := match(t, d, Single, "random")
	list(t, "the coin at our cost", []float64{m.Cost.Fitted.Second, m.Cost.Fitted.Saved.Value, m.Cost.Fitted.Error.Value,
		m.Cost.Fitted.DiffError.Value, m.Cost.Fitted.DiffSaved.Value},
		[]float64{.5, 40, .25, -.05, 10})
	list(t, "its thresholds", floats64(m.Cost.Fitted.Thetas), []float64{0, math.Inf(1)})
	list(t, "its curve at our cost", []float64{float64(m.Cost.Curve.Saved.Value), float64(m.Cost.Curve.Error.Value),
		float64(m.Cost.Curve.Differs.Value)}, []float64{50, .26, -.06})
	// To err as rarely it has to ask the master always, on either part.
	list(t, "the coin at our error", []float64{m.Error.Fitted.Second, m.Error.Fitted.Saved.Value,
		m.Error.Fitted.Error.Value, m.Error.Fitted.DiffSaved.Value}, []float64{0, -10, .2, 60})
	list(t, "its curve at our error", []float64{float64(m.Error.Curve.Saved.Value), float64(m.Error.Curve.Error.Value),
		float64(m.Error.Curve.Differs.Value)}, []float64{-10, .2, 60})
	// Σ errors·deferrals of ours from 0 to 9 deferrals (saving 90 to 0):
	// 3+3+3+2.5+2+2.5+5+2 = 23; of the coin 27−4.05; over 9·10 records.
	near(t, "area", m.Area.Mean.Value, .05/90)
	near(t, "the area's end", m.Area.To, 90)

	// The oracle, one model per query: saves 40 where it defers 50/90 of the
	// fit part: 3 that pay off and 23/9 of the 6 that make no difference. There
	// are 2 and 7 of those in the test part.
	m = match(t, d, Single, "oracle-router")
	second := (50./9 - 3) / 6
	list(t, "the oracle at our cost",
		[]float64{m.Cost.Fitted.Second, m.Cost.Fitted.Saved.Value, m.Cost.Fitted.Error.Value, m.Cost.Fitted.DiffError.Value},
		[]float64{second, 90 - 9*(2+7*second), .1, .1})
	list(t, "its thresholds", floats64(m.Cost.Fitted.Thetas), []float64{.5, 1})
	list(t, "its curve at our cost", []float64{float64(m.Cost.Curve.Error.Value), float64(m.Cost.Curve.Differs.Value)},
		[]float64{.1, .1})
	// Two errors of the fit part are left where it defers 2 of 3 that pay off.
	list(t, "the oracle at our error", []float64{m.Error.Fitted.Second, m.Error.Fitted.Saved.Value,
		m.Error.Fitted.Error.Value}, []float64{2. / 3, 78, .3 - .4/3})
	list(t, "its curve at our error", []float64{float64(m.Error.Curve.Saved.Value), float64(m.Error.Curve.Differs.Value)},
		[]float64{81, -31})

	// A threshold per class against a single one: 4 deferrals on the fit part,
	// saved 50, 3 on the test part; the single one's 4 on the fit part are at
	// .75, which defers 13, 15 and 20 of the test part: 12, 16 and 18 stand wrong.
	m = match(t, d, Multi, Single)
	list(t, "one threshold at our cost", []float64{m.Cost.Fitted.Saved.Value, m.Cost.Fitted.Error.Value,
		m.Cost.Fitted.DiffError.Value}, []float64{60, .3, -.1})
	for _, m := range d.Matched {
		if m.Ours == Single && m.Baseline == Multi || m.Ours == m.Baseline {
			t.Errorf("%s is compared with %s", m.Ours, m.Baseline)
		}
	}
}

func TestTestsByHand(t *testing.T) {
	_, d := analysed(t, handInput(t, load(t, handTOML), byHand, nil))
	of := func(baseline, what string) result.Test {
		for _, x := range d.Tests {
			if x.Ours == Single && x.Baseline == baseline && x.What == what {
				return x
			}
		}
		t.Fatalf("no test against %s of %s", baseline, what)
		return result.Test{}
	}
	// Ours is right on 12, where the student is not.
	x := of("none", testedCorrect)
	if x.OnlyOurs != 1 || x.OnlyTheirs != 0 || x.P != 1 || x.Test != "mcnemar" || x.Units != 1 {
		t.Errorf("against none: %+v", x)
	}
	near(t, "difference", x.Difference, .1)
	// Ours is right on 17 and not on 16; the master the other way round.
	if x := of("all", testedCorrect); x.OnlyOurs != 1 || x.OnlyTheirs != 1 || x.P != 1 || x.Difference != 0 {
		t.Errorf("against all: %+v", x)
	}
	// Ours pays more than the student on the 4 it defers: 2 of 16 assignments of signs are as far from 0 as seen. But
	// 200, 200, 200 and 100 differ from their mean by 25 and −75, so that 7500²/75⁴ = 1.8 records carry it:
	// 2·exp(−1.8/5) > 1.
	x = of("none", testedCost)
	if x.Units != 4 || x.Test != "sign-flip" || x.P != 1 {
		t.Errorf("cost against none: %+v", x)
	}
	near(t, "cost", x.Difference, (200+200+200+100)/10.) // of 12, 13, 15 and 20
	// A coin is right half as often as the student and half as often as the master: its row's error is tested, no draw.
	if x := of("random", testedCorrect); x.Test != "sign-flip" ||
		math.Abs(x.Difference-(rowNamed(t, d, "random").Error.Value-rowNamed(t, d, Single).Error.Value)) > 1e-12 {
		t.Errorf("against coins: %+v", x)
	}
	if slices.ContainsFunc(d.Tests, func(x result.Test) bool {
		return !(x.P > 0 && x.P <= 1 && x.Holm >= x.P && x.BH >= x.P && x.Datasets == 1)
	}) {
		t.Errorf("p-values of one dataset: %+v", d.Tests)
	}
}

// By hand: Holm 2·.01, max(.02, .04); BH 2·.01, .04. Other questions, and other
// cascades, are no part of it.
func TestAdjustTests(t *testing.T) {
	test := func(what string, p float64) result.Test {
		return result.Test{Ours: Single, Baseline: "none", What: what, P: p}
	}
	s := &result.Results{Cascades: []result.Cascade{
		{Datasets: []result.Dataset{{Tests: []result.Test{test("cost", .04), test("correct", .03)}},
			{Tests: []result.Test{test("cost", .01)}}}},
		{Datasets: []result.Dataset{{Tests: []result.Test{test("cost", .05)}}}},
	}}
	adjustTests(s)
	a, b := s.Cascades[0].Datasets[0].Tests, s.Cascades[0].Datasets[1].Tests
	list(t, "Holm", []float64{a[0].Holm, b[0].Holm, a[1].Holm, s.Cascades[1].Datasets[0].Tests[0].Holm},
		[]float64{.04, .02, .03, .05})
	list(t, "BH", []float64{a[0].BH, b[0].BH, a[1].BH}, []float64{.04, .02, .03})
	if a[0].Datasets != 2 || a[1].Datasets != 1 {
		t.Errorf("adjusted for %d and %d datasets", a[0].Datasets, a[1].Datasets)
	}
}

// Every test record is in one bin of each diagram; the bins of equal mass are
// those of the expected calibration error. By hand, of the student in tenths:
// .60 and .65 right; .72 right and .75 wrong; .85 right, .80 wrong and, as a
// probability from its logarithm is a little less, .90 right and .90 wrong; .96
// and .97 right.
func TestReliabilityByHand(t *testing.T) {
	_, d := analysed(t, handInput(t, load(t, handTOML), byHand, nil))
	if len(d.Reliability) != 4 {
		t.Fatalf("%d diagrams, want two of either model", len(d.Reliability))
	}
	for k, r := range d.Reliability {
		var n int
		var ece float64
		for j := range r.Records {
			n += r.Records[j]
			ece += float64(r.Records[j]) * math.Abs(r.Confidence[j]-r.Correct[j]) / 10
			if !(r.From[j] <= r.Correct[j] && r.Correct[j] <= r.To[j] && r.From[j] < r.To[j] &&
				r.Low[j] <= r.Confidence[j]+1e-9 && r.Confidence[j] <= r.High[j]+1e-9) {
				t.Errorf("%s, %s, bin %d: %+v", r.Model, r.Binning, j, r)
			}
		}
		if n != 10 {
			t.Errorf("%s, %s: %d records of 10", r.Model, r.Binning, n)
		}
		if r.Binning == "equal-mass" {
			near(t, r.Model+" ECE", ece, d.Diagnostics[k/2].ECE)
		}
	}
	r := d.Reliability[1]
	list(t, "edges", r.Low, []float64{.6, .7, .8, .9})
	list(t, "confidence", r.Confidence, []float64{.625, .735, (.85 + .80 + .90 + .90) / 4, .965})
	list(t, "correct", r.Correct, []float64{1, .5, .5, 1})
}

// Where records share a source they are drawn, and flipped, together.
func TestMatchedRecordsOfOneSource(t *testing.T) {
	in := handInput(t, load(t, handTOML), byHand, nil)
	for i := range in.Sheets["colours"].Set.Examples {
		in.Sheets["colours"].Set.Examples[i].Group = string(rune('a' + i/2)) // 11 with 12, 13 with 14, …
	}
	_, d := analysed(t, in)
	for _, x := range d.Tests {
		if !x.Clustered || x.Test == "mcnemar" || x.Units > 5 || x.Draws == 0 {
			t.Errorf("5 sources: %+v", x)
		}
	}
	for _, m := range d.Matched {
		if m.Cost.Curve.Differs.Method != "cluster-bootstrap" || m.Area.Mean.Method != "cluster-bootstrap" {
			t.Errorf("%s and %s: intervals by %s and %s", m.Ours, m.Baseline, m.Cost.Curve.Differs.Method, m.Area.Mean.Method)
		}
	}
	if len(d.Tests) == 0 || len(d.Matched) == 0 {
		t.Error("nothing was compared")
	}
}

// A student as expensive as its master has no savings to compare at: said once.
func TestNoCurveWhereNothingIsSaved(t *testing.T) {
	text := strings.ReplaceAll(handTOML, "10_000_000", "1_000_000")
	text = strings.ReplaceAll(text, "20_000_000", "2_000_000")
	_, d := analysed(t, handInput(t, load(t, text), byHand, nil))
	if len(d.Curves) != 0 || len(d.Matched) != 0 || len(d.Tests) == 0 || d.Sweep == nil {
		t.Errorf("%d curves, %d matched, %d tests, sweep %v", len(d.Curves), len(d.Matched), len(d.Tests), d.Sweep)
	}
	said := 0
	for _, n := range d.Notes {
		if n.Kind == "no-curve" && strings.Contains(n.Text,
			"Ours (one threshold), Ours (threshold per class), Random, Oracle router: not asking") {
			said++
		}
	}
	if said != 1 {
		t.Errorf("notes %+v", d.Notes)
	}
}

// What is tested is the difference of the two rows it names: for every
// question and every pair of rows, also where some classes are absent from the
// truth or from one arm's predictions. Rows with coins show both numbers.
func TestTestsAreOfTheirRows(t *testing.T) {
	t.Parallel()
	rare := func() Input {
		s := load(t, strings.Replace(handTOML, `labels = ["red", "blue"]`,
			`labels = ["red", "blue", "green", "white", "black"]`, 1))
		rng := rand.New(rand.NewPCG(5, 7))
		records := make([]said, 150)
		for i := range records {
			r := said{truth: colours[rng.IntN(2)], beta: .3 + .69*rng.Float64()} // green, white and black are in no truth
			r.student, r.master = r.truth, r.truth
			if rng.Float64() < .25 {
				r.student = colours[rng.IntN(4)] // black is in no prediction
			}
			if rng.Float64() < .03 {
				r.master = 'g'
			}
			records[i] = r
		}
		return handInput(t, s, records, nil)
	}
	for _, tc := range []struct {
		name string
		in   func() Input
	}{
		{"rare classes", rare},
		{"texts", func() Input {
			s := load(t, fmt.Sprintf(drawnTOML, "", worse, better,
				translate+"\nmetrics = [\"rouge-l\", \"bleu\", \"chrf\"]")+"\n[[baselines]]\nkind = \"random\"\n")
			return drawn(t, s, 80, nil)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, d := analysed(t, tc.in())
			tested, coins, query := 0, 0, 0.0
			for _, x := range d.Tests {
				ours, theirs := rowNamed(t, d, x.Ours), rowNamed(t, d, x.Baseline)
				var want float64
				switch x.What {
				case testedCorrect:
					want = theirs.Error.Value - ours.Error.Value
				case testedCost:
					// The rows say it in percent of the master's mean cost, one
					// number for all tests.
					if diff := theirs.SavedPerQuery.Value - ours.SavedPerQuery.Value; math.Abs(diff) > 1e-9 {
						if query == 0 {
							query = 100 * x.Difference / diff
						}
						near(t, "cost against "+x.Baseline, x.Difference, diff*query/100)
					}
					continue
				default:
					want = ours.Metrics[x.What].Value - theirs.Metrics[x.What].Value
				}
				if tested++; x.Baseline == "random" {
					coins++
				}
				if math.Abs(x.Difference-want) > 1e-12 {
					t.Errorf("%s against %s, %s: the rows differ by %v, the test's difference is %v", x.Ours, x.Baseline, x.What, want,
						x.Difference)
				}
			}
			if tested == 0 || coins == 0 {
				t.Errorf("%d tests, %d of coins: want some of both", tested, coins)
			}
		})
	}
}
