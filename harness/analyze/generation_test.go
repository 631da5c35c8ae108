package analyze

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/confidence"
	"infnet/harness/dataset"
	"infnet/harness/policy"
	"infnet/harness/policy/deploy"
	"infnet/harness/population"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/split"
	"infnet/metrics"
)

const (
	classify = `task = "classification"
labels = ["red", "green", "blue"]
prompt = "Item {item}: {answer}"`
	translate = `task = "translation"
reference = "reference"
prompt = "Item {item}\nanswer: {answer}"`
	// Better where more confident, as a student is; and a master as good everywhere.
	worse  = "intercept = 0.7, slope = -0.6"
	better = "intercept = 0.1"
)

// Every metric on translations of a student that is always wrong, in words no
// reference has, and a master that is always right, letter for letter: the
// ends of each scale, and the half of them for a coin.
func TestEveryMetric(t *testing.T) {
	text := translate + "\ncorrect = { rule = \"exact-match\" }\nmetrics = ["
	var names []metrics.Name
	for _, m := range metrics.All() {
		// what a scorer says is tested where there is one, in package cli
		if m.Input == metrics.Classes || m.Input == metrics.Pairs {
			continue
		}
		names = append(names, m.Name)
		text += fmt.Sprintf("%q, ", m.Name)
	}
	if len(names) < 8 {
		t.Fatalf("only %d metrics of texts: %v", len(names), names)
	}
	s := load(t, fmt.Sprintf(drawnTOML, "", "intercept = 1", "intercept = 0", strings.TrimSuffix(text, ", ")+"]"))
	_, d := analysed(t, drawn(t, s, 60, nil))
	for _, name := range names {
		m, err := metrics.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		none, all, coin := rowNamed(t, d, "none").Metrics[string(name)], rowNamed(t, d,
			"all").Metrics[string(name)], rowNamed(t, d, "random").Metrics[string(name)]
		if near(t, string(name)+" of the master", all.Value, m.High); m.Sums == nil && !(all.Low < all.High) {
			t.Errorf("%s of a master that is always right: an interval without width: %+v", name, all)
		}
		// An invented word shares some characters with a reference, no word.
		if !(none.Value >= 0 && none.Value < 0.15*m.High) {
			t.Errorf("%s of the student = %v, want about 0", name, none.Value)
		}
		if !(coin.Low <= coin.Value && coin.Value <= coin.High && coin.Value > none.Value && coin.Value < all.Value) {
			t.Errorf("%s of a coin = %v in [%v, %v], between %v and %v", name, coin.Value, coin.Low, coin.High, none.Value,
				all.Value)
		}
		if m.Sums == nil {
			near(t, string(name)+" of a coin", coin.Value, (none.Value+all.Value)/2)
		}
	}
	if d.Embedder == "" {
		t.Error("the cosine's embedder is not named")
	}
	near(t, "error of the student", rowNamed(t, d, "none").Error.Value, 1)
	near(t, "error of the master", rowNamed(t, d, "all").Error.Value, 0)
}

// fitted is everything that was learned from records.
type fitted struct {
	Scales      []confidence.Scale
	Calibrators []confidence.Calibrator
	Costs       []float64
	Policies    []Fitted
	Deployments []string
	Paths       [][]policy.Thresholds // of thresholds per class
	Matched     []operating           // baselines at our cost and at our error
	Sweep       *result.Sweep
}

// operating is what was chosen of a baseline on the fit part.
type operating struct {
	Ours, Baseline string
	Thetas         []result.Float
	Second         float64
	Clipped        bool
}

func learned(t *testing.T, in Input) fitted {
	t.Helper()
	out, d := analysed(t, in)
	b := out.Datasets[0]
	f := fitted{Costs: b.Records.Summaries()}
	for _, m := range b.Records.Models {
		f.Scales, f.Calibrators = append(f.Scales, m.Scale), append(f.Calibrators, m.Calibrator)
	}
	f.Sweep = d.Sweep
	front, err := frontier(b.Records, true)
	if err != nil {
		t.Fatal(err)
	}
	families, err := familiesOf(b.Records, b.rows, front)
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		f.Paths = append(f.Paths, family.path)
	}
	for _, m := range d.Matched {
		for _, at := range []result.Fitted{m.Cost.Fitted, m.Error.Fitted} {
			f.Matched = append(f.Matched, operating{m.Ours, m.Baseline, at.Thetas, at.Second, at.Clipped})
		}
	}
	for _, x := range b.rows {
		if x.fitted != nil {
			f.Policies = append(f.Policies, *x.fitted)
		}
	}
	list, err := b.Deployments("answers")
	if err != nil {
		t.Fatal(err)
	}
	for _, deployed := range list {
		text, err := deploy.Encode(map[string]deploy.File{"p": deployed.File})
		if err != nil {
			t.Fatal(err)
		}
		f.Deployments = append(f.Deployments, string(text))
	}
	return f
}

// Nothing fitted sees the test part: with other questions, other references
// and so other answers there, every fitted object is the same to the bit. A
// change of the fit part shows, so that the comparison can fail.
func TestNothingFittedSeesTheTestPart(t *testing.T) {
	const n, fit = 75, 45
	other := func(part func(i int) bool) func(int, *dataset.Example) {
		return func(i int, e *dataset.Example) {
			if !part(i) {
				return
			}
			e.Fields["item"] += " of another kind and longer than before"
			if e.Class >= 0 {
				e.Class = (e.Class + 1) % 3
				return
			}
			e.References = []string{"nothing like it"}
		}
	}
	type setup struct{ name, head, data string } // a chain of three where the name says so
	var setups []setup
	for _, c := range confidence.Calibrations() {
		setups = append(setups, setup{"calibration " + string(c), fmt.Sprintf("policy = { calibration = %q }", c), classify})
	}
	for _, score := range []string{"minmax", "quantiles"} {
		setups = append(setups, setup{"score " + score,
			fmt.Sprintf("confidence = { generation = %q }\npolicy = { calibration = \"isotonic\" }", score), translate +
				"\nmetrics = [\"rouge-l\"]"})
	}
	setups = append(setups,
		setup{"chain", "policy = { calibration = \"isotonic\" }", classify},
		setup{"chain of texts", "confidence = { generation = \"minmax\" }\npolicy = { calibration = \"isotonic\" }",
			translate + "\nmetrics = [\"rouge-l\"]"})
	for _, test := range setups {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			head := "split = { fit = 0.6, order = \"file\" }\n" + test.head
			text := fmt.Sprintf(drawnTOML, head, worse, better, test.data)
			if strings.HasPrefix(test.name, "chain") {
				text = drawnChain(head, test.data)
			}
			s := load(t, text)
			want := learned(t, drawn(t, s, n, nil))
			got := learned(t, drawn(t, s, n, other(func(i int) bool { return i >= fit })))
			exact := cmp.Comparer(func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
			targets := cmp.Comparer(func(x, y policy.Target) bool { return x.Equal(y) })
			if diff := cmp.Diff(want, got, exact, targets); diff != "" {
				t.Errorf("the test part changed what was fitted (-before +after)\n%s", diff)
			}
			if test.name != setups[0].name {
				return
			}
			changed := learned(t, drawn(t, s, n, other(func(i int) bool { return i < fit })))
			if cmp.Equal(want.Deployments, changed.Deployments) {
				t.Error("another fit part fits the same: this test sees nothing")
			}
		})
	}
}

// Soft errors are 1 less the score: they are what the error column shows, what
// thresholds are fitted to, and what the paired test compares, without McNemar.
func TestSoftErrors(t *testing.T) {
	s := load(t, fmt.Sprintf(drawnTOML, `policy = { target = "best" }`, worse, better,
		translate+"\ncorrect = { rule = \"token-f1\", soft = true }\nmetrics = [\"token-f1\"]"))
	in := drawn(t, s, 200, func(i int, e *dataset.Example) {
		if i%4 == 0 { // a right answer shares all words but one with this reference
			e.References = []string{strings.Replace(e.References[0], "sat", "lay", 1)}
		}
	})
	out, d := analysed(t, in)
	if !d.Soft {
		t.Error("results do not say that errors are soft")
	}
	between := 0
	b := out.Datasets[0]
	for m := range b.Records.Models {
		for i, err := range b.Records.Models[m].Errs {
			if score := b.Records.Models[m].Scores["token-f1"][i]; b.Records.Used[i] && err != 1-score {
				t.Fatalf("record %d: error %v, want 1 − %v", i, err, score)
			}
			if err > 0 && err < 1 {
				between++
			}
		}
	}
	if between == 0 {
		t.Fatal("no error between 0 and 1: the study tests nothing")
	}
	for _, r := range d.Rows {
		// Both are means over the same records.
		near(t, r.Policy+": error and score", r.Error.Value, 1-r.Metrics["token-f1"].Value)
	}
	for _, p := range d.Policies {
		if p.Policy == Single && p.Feasible && float64(p.FitErrors) > d.Budget.Errors+1e-9 {
			t.Errorf("%v errors on the fit part, and the budget is %v", p.FitErrors, d.Budget.Errors)
		}
	}
	tested := 0
	for _, x := range d.Tests {
		if x.What != testedCorrect {
			continue
		}
		tested++
		if x.Test != "sign-flip" {
			t.Errorf("%s against %s: test %q of soft errors", x.Ours, x.Baseline, x.Test)
		}
		near(t, "difference tested against "+x.Baseline, x.Difference,
			rowNamed(t, d, x.Baseline).Error.Value-rowNamed(t, d, x.Ours).Error.Value)
	}
	if tested == 0 {
		t.Error("nothing was tested")
	}
}

// Where a Beta distribution models the confidences, the row says how well
// it fits: the simulated confidences are Beta(2, 1), and fit.
func TestGoodnessOfFitIsShown(t *testing.T) {
	s := load(t, fmt.Sprintf(drawnTOML, `policy = { method = "beta-logistic", multi = false, compare = ["kde"] }`, worse,
		better, classify))
	_, d := analysed(t, drawn(t, s, 300, nil))
	note := func(policy string) string {
		for _, n := range rowNamed(t, d, policy).Notes {
			if string(n.Kind) == string(goodnessOfFit) {
				return n.Text
			}
		}
		return ""
	}
	text := note(Single)
	for _, want := range []string{"Kolmogorov", "D = ", "A² = ", "(p = ", "199 draws", "n = 240"} {
		if !strings.Contains(text, want) {
			t.Errorf("the note lacks %q: %s", want, text)
		}
	}
	if note(Single+"-kde") != "" {
		t.Error("kernels are no Beta distribution, and have a test of one")
	}
	r := &records.Records{Dataset: &s.Datasets[0]}
	for class, want := range map[int]string{1: "does not fit (p ≤ 0.05) for green", -1: "It does not fit (p ≤ 0.05):"} {
		if text := goodness(r, []population.BetaFit{{Class: class}}); !strings.Contains(text, want) {
			t.Errorf("p = 0: %s", text)
		}
	}
}

// β from quantiles: fitted on the fit part alone, out of fold there, and written
// into the thresholds files.
func TestConfidenceFromQuantiles(t *testing.T) {
	text := fmt.Sprintf(drawnTOML, `confidence = { generation = "quantiles" }`, worse, better,
		translate+"\nmetrics = [\"token-f1\"]")
	s := load(t, text)
	out, d := analysed(t, drawn(t, s, 200, nil))
	if d.Confidence != "quantiles" {
		t.Errorf("confidence %q", d.Confidence)
	}
	b := out.Datasets[0]
	for _, i := range b.Records.Test {
		want, err := b.Records.Student().Scale.Read(b.Records.Student().At(i))
		if err != nil || b.Records.Student().Beta[i] != want.Beta {
			t.Fatalf("record %d: β %v, the regression of the whole fit part says %v (%v)", i, b.Records.Student().Beta[i],
				want.Beta, err)
		}
	}
	same := 0
	for _, i := range b.Records.Fit {
		if r, _ := b.Records.Student().Scale.Read(b.Records.Student().At(i)); r.Beta == b.Records.Student().Beta[i] {
			same++
		}
	}
	if same == len(b.Records.Fit) {
		t.Error("the fit part's confidences are those of a regression that saw them")
	}
	if !slices.ContainsFunc(b.Records.Roles.Graph.Roles,
		func(r split.Role) bool { return strings.HasPrefix(r.Name, "quantiles") }) {
		t.Error("the split graph does not say who taught the confidences")
	}
	deployed, err := out.Datasets[0].Deployments("hash")
	if err != nil || len(deployed) == 0 {
		t.Fatal(err)
	}
	p := deployed[0].Confidence
	if len(p.Parameters) != 67 { // 1 + 3·22
		t.Errorf("the thresholds file holds %d numbers of the regression, want 67", len(p.Parameters))
	}
}
