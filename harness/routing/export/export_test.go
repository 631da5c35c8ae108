package export

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cel.dev/cel-go/cel"

	"infnet/harness/calc"
	"infnet/harness/curve"
	"infnet/harness/policy"
	"infnet/harness/policy/deploy"
	"infnet/harness/routing"
)

// records are how many a target decides as infnet route does.
const records = 10_000

// thresholds writes a file of one policy: 0.7 of red and 0.95 of "blue\"\n\u2028", or 0.7 of all.
func thresholds(t *testing.T, single bool, change func(*deploy.File)) string {
	t.Helper()
	r := policy.Records{
		Classes: 2, Class: []int{0, 0, 1, 1}, Beta: []float64{0.7, 0.6, 0.95, 0.5},
		Student: []float64{0, 1, 0, 1}, Master: []float64{0, 0, 0, 0},
	}
	fit := policy.FitMulti
	if single {
		fit = policy.FitSingle
	}
	p, err := fit(r, policy.Options{Target: policy.Master})
	if err != nil {
		t.Fatal(err)
	}
	d, err := deploy.New(p, nil, []string{"red", odd}, deploy.About{
		Policy: "ours\n", Student: deploy.Model{Name: "small\u2028"}, Master: deploy.Model{Name: "large", ID: "org/large"},
		Confidence: deploy.Confidence{Score: Given}, Calibration: deploy.Calibration{Method: "none"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&d)
	}
	text, err := deploy.Encode(map[string]deploy.File{"p": d})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "thresholds.toml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// odd is a class whose name no target may take for its own syntax.
const odd = "blue\"'\\ \n\u2028 */ #{x} ${x} %s é"

// record is a confidence, as it is written, and a class.
type record struct{ beta, class string }

// twice makes a policy abstain below half of each bar.
func twice(d *deploy.File) {
	d.Fit.Method, d.Certificate = string(policy.Abstaining), nil
	for k := range d.Thresholds {
		d.Thresholds[k].Abstain = d.Thresholds[k].Theta / 2
	}
}

// cases are policies of one bar and of several, calibrations that have one, and policies that abstain.
var cases = []struct {
	name   string
	single bool
	change func(*deploy.File)
}{
	{"by class", false, nil},
	{"defer everything", true, func(d *deploy.File) { d.Thresholds[0].Theta = math.Inf(1) }},
	{"defer a class", false, func(d *deploy.File) { d.Thresholds[0].Theta = math.Inf(1) }},
	{"isotonic", true, func(d *deploy.File) {
		d.Calibration = deploy.Calibration{Method: "isotonic", Curves: []curve.Monotone{
			{X: []float64{0.1, 0.3, 0.5, 0.9}, Y: []float64{0, 0.7, 0.7, 1}}}}
	}},
	{"isotonic per class", false, func(d *deploy.File) {
		d.Calibration = deploy.Calibration{Method: "isotonic-per-class", Curves: []curve.Monotone{
			{X: []float64{0.1, 0.3, 0.9}, Y: []float64{0, 1. / 3, 1}}, {X: []float64{0, 1}, Y: []float64{0, 1}}}}
	}},
	{"abstain by class, one never answered", false, func(d *deploy.File) {
		twice(d)
		d.Thresholds[0].Theta, d.Thresholds[0].Abstain = math.Inf(1), math.Inf(1)
	}},
	{"abstain, calibrated", true, func(d *deploy.File) {
		twice(d)
		d.Calibration = deploy.Calibration{Method: "platt", Parameters: map[string]float64{"a": 3.1, "b": -1}}
	}},
}

// draw makes records: at random, at every bar and one number beside it, 0, 1, no numbers, and every class and others.
func draw(t *testing.T, r *routing.Rule) []record {
	t.Helper()
	bars, err := r.Bars()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	classes := []string{"red", odd, "green", "", "__proto__", "constructor"}
	special := []float64{0, 1, math.SmallestNonzeroFloat64, math.Nextafter(1, 0), 0.5, math.NaN(), 1.5, -0.5, math.Inf(1),
		math.Inf(-1), math.Copysign(0, -1), math.Nextafter(1, 2)}
	for _, b := range bars {
		for _, x := range []float64{b.Least, b.Theta, b.Low} {
			if !math.IsInf(x, 1) {
				special = append(special, x, math.Nextafter(x, 0), math.Nextafter(x, 1))
			}
		}
	}
	var out []record
	for i := range records {
		beta := rng.Float64()
		if i%2 == 0 {
			beta = special[i/2%len(special)]
		}
		out = append(out, record{strconv.FormatFloat(beta, 'g', -1, 64), classes[rng.IntN(len(classes))]})
	}
	return out
}

// routed are the decisions of infnet route: its router, over answers as JSON. What it refuses, alone, it does not
// accept.
func routed(t *testing.T, path string, rs []record) (accepted []bool, refused int) {
	t.Helper()
	stream := func(rs ...record) (accepted []bool, err error) {
		var answers bytes.Buffer
		for _, r := range rs {
			line, err := json.Marshal(map[string]string{"confidence": r.beta, "class": r.class})
			if err != nil {
				t.Fatal(err)
			}
			answers.Write(append(line, '\n'))
		}
		router, err := routing.Open(path, routing.Options{}, func(d routing.Decision) error {
			accepted = append(accepted, d.Decision == routing.Accept)
			return nil
		}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		return accepted, router.Stream(context.Background(), &answers)
	}
	valid := slices.DeleteFunc(slices.Clone(rs), func(r record) bool { _, ok := number(r); return !ok })
	decided, err := stream(valid...)
	if err != nil || len(decided) != len(valid) {
		t.Fatalf("%d of %d decided: %v", len(decided), len(valid), err)
	}
	known := map[record]bool{} // that they are refused
	for _, r := range rs {
		if _, ok := number(r); ok {
			accepted, decided = append(accepted, decided[0]), decided[1:]
			continue
		}
		if !known[r] {
			if _, err := stream(r); err == nil {
				t.Fatalf("%+v is not refused", r)
			}
			known[r] = true
		}
		accepted, refused = append(accepted, false), refused+1
	}
	return accepted, refused
}

// boolean makes of a function of three decisions one that says whether it is this one.
func boolean(to Target, text, what string) string {
	switch to {
	case Python:
		return text + fmt.Sprintf("\ndef accept(*given):\n    return decide(*given) == %q\n", what)
	case JavaScript:
		return text + fmt.Sprintf("\nconst accept = (...given) => decide(...given) === %q;\n", what)
	case CEL:
		return fmt.Sprintf("(\n%s\n) == %q", text, what)
	}
	if strings.Contains(text, "class string") {
		return text + fmt.Sprintf("\nfunc Accept(b float64, class string) bool { return Decide(b, class) == %q }\n", what)
	}
	return text + fmt.Sprintf("\nfunc Accept(b float64) bool { return Decide(b) == %q }\n", what)
}

// alike compares a target's decisions with those of infnet route.
func alike(t *testing.T, rs []record, got, want []bool) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d decisions of %d records", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("record %d, %+v: accepted %t, and by infnet route %t", i, rs[i], got[i], want[i])
		}
	}
}

// write exports the policy of a file.
func write(t *testing.T, path string, to Target, o Options) (string, error) {
	t.Helper()
	r, err := routing.Load(path, routing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := Write(r, to, o)
	return x.Text, err
}

// lines are records, a confidence and a class in JSON each, and what a program makes of them: 1 or 0.
func lines(t *testing.T, rs []record, name string, args ...string) []bool {
	t.Helper()
	var in, stderr bytes.Buffer
	for _, r := range rs {
		class, err := json.Marshal(r.class)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&in, "%s\t%s\n", r.beta, class)
	}
	c := exec.Command(name, args...)
	c.Stdin, c.Stderr = &in, &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, stderr.String())
	}
	var got []bool
	for _, f := range strings.Fields(string(out)) {
		got = append(got, f == "1")
	}
	return got
}

// Every function decides as infnet route does: each is run by its language.
func TestFunctionsDecideAsRoute(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := thresholds(t, c.single, c.change)
			rule, err := routing.Load(path, routing.Options{})
			if err != nil {
				t.Fatal(err)
			}
			rs := draw(t, rule)
			accepted, refused := routed(t, path, rs)
			if refused < 100 {
				t.Fatalf("%d records are no numbers in [0,1]: the test draws too few", refused)
			}
			abstained := make([]bool, len(rs))
			for i, r := range rs {
				if beta, ok := number(r); ok {
					d, _ := rule.Decide(r.class, beta, 0)
					abstained[i] = d.Decision == routing.Abstain
				}
			}
			for _, to := range []Target{Python, Go, JavaScript, CEL} {
				if to == Go && strings.HasPrefix(c.name, "isotonic") || to == Go && c.name == "defer a class" {
					continue // a compiler takes a second
				}
				t.Run(string(to), func(t *testing.T) {
					text, err := write(t, path, to, Options{})
					if err != nil {
						t.Fatal(err)
					}
					alike(t, rs, interpret(t, to, boolean(to, text, routing.Accept), rs), accepted)
					if rule.Abstains() {
						alike(t, rs, interpret(t, to, boolean(to, text, routing.Abstain), rs), abstained)
					}
				})
			}
		})
	}
}

// interpret runs a function on records.
func interpret(t *testing.T, to Target, text string, rs []record) []bool {
	t.Helper()
	if to == CEL {
		return evaluate(t, text, rs)
	}
	two := strings.Contains(text, "label") || strings.Contains(text, "class string")
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pick := func(one, both string) string {
		if two {
			return both
		}
		return one
	}
	switch to {
	case Python:
		return lines(t, rs, tool(t, "python3"), file("p.py", text+`
import json, sys
for line in sys.stdin.buffer.read().decode().split("\n")[:-1]:
    beta, label = line.split("\t")
    print(int(accept(`+pick("float(beta)", "float(beta), json.loads(label)")+`)))
`))
	case JavaScript:
		return lines(t, rs, tool(t, "node"), file("p.js", text+`
const out = [];
for (const line of require("fs").readFileSync(0, "utf8").split("\n").slice(0, -1)) {
  const [beta, label] = line.split("\t");
  const n = Number(beta.replace("Inf", "Infinity"));
  out.push(accept(`+pick("n", "n, JSON.parse(label)")+`) ? 1 : 0);
}
console.log(out.join("\n"));
`))
	}
	file("go.mod", "module policy\n\ngo 1.26\n")
	file("policy.go", strings.Replace(text, "package policy", "package main", 1))
	file("main.go", `package main

import ("bufio"; "encoding/json"; "fmt"; "os"; "strconv"; "strings")

func main() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		beta, class, _ := strings.Cut(in.Text(), "\t")
		b, _ := strconv.ParseFloat(beta, 64)
		var c string
		json.Unmarshal([]byte(class), &c)
		if `+pick("Accept(b)", "Accept(b, c)")+` { fmt.Println(1) } else { fmt.Println(0) }
	}
}
`)
	program := filepath.Join(dir, "p")
	build := exec.Command(tool(t, "go"), "build", "-o", program, ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, text)
	}
	return lines(t, rs, program)
}

// tool is where a language's program is; without it, its part of the test is left out.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s here: its export is not run", name)
	}
	return path
}

// evaluate runs a CEL expression by its reference implementation.
func evaluate(t *testing.T, text string, rs []record) []bool {
	t.Helper()
	env, err := cel.NewEnv(cel.Variable("confidence", cel.DoubleType), cel.Variable("label", cel.StringType))
	if err != nil {
		t.Fatal(err)
	}
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		t.Fatalf("%v\n%s", issues.Err(), text)
	}
	program, err := env.Program(ast)
	if err != nil {
		t.Fatal(err)
	}
	var got []bool
	for _, r := range rs {
		beta, err := strconv.ParseFloat(r.beta, 64)
		if err != nil {
			t.Fatal(err)
		}
		v, _, err := program.Eval(map[string]any{"confidence": beta, "label": r.class})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, v.Value().(bool))
	}
	return got
}

// number reads what JSON can say: the gateway's confidences are JSON numbers, which are finite.
func number(r record) (float64, bool) {
	x, err := strconv.ParseFloat(r.beta, 64)
	return x, err == nil && !math.IsNaN(x) && x >= 0 && x <= 1
}

// The gateway escalates where an answer's confidence falls below confidenceBelow, a number from 0 to 1 of one
// conditional object, the first of models (vercel/ai: packages/gateway/src/gateway-provider-options.ts;
// vercel.com/changelog/confidence-based-decision-fallbacks).
func TestVercelDecidesAsRoute(t *testing.T) {
	for _, c := range cases {
		if !c.single || strings.HasPrefix(c.name, "defer") || strings.HasPrefix(c.name, "abstain") {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			path := thresholds(t, true, c.change)
			rule, err := routing.Load(path, routing.Options{})
			if err != nil {
				t.Fatal(err)
			}
			text, err := write(t, path, Vercel, Options{Question: odd})
			if err != nil {
				t.Fatal(err)
			}
			var o struct {
				Gateway struct {
					Models []struct {
						Model string
						When  struct {
							Question        string
							ConfidenceBelow *float64
						}
					}
				}
			}
			d := json.NewDecoder(strings.NewReader(text))
			d.DisallowUnknownFields()
			if err := d.Decode(&o); err != nil {
				t.Fatal(err)
			}
			m := o.Gateway.Models[0]
			if len(o.Gateway.Models) != 1 || m.Model != "org/large" || m.When.Question != odd ||
				*m.When.ConfidenceBelow < 0 || *m.When.ConfidenceBelow > 1 {
				t.Fatalf("%s", text)
			}
			rs := slices.DeleteFunc(draw(t, rule), func(r record) bool { _, ok := number(r); return !ok })
			want, _ := routed(t, path, rs)
			var got []bool
			for _, r := range rs {
				beta, _ := number(r)
				got = append(got, !(beta < *m.When.ConfidenceBelow))
			}
			alike(t, rs, got, want)
		})
	}
}

// airflowSays is what LLMBranchOperator does with a confidence and a pick: apache/airflow, providers/common/ai,
// policies/decision.py (check_bar) and utils/decision.py (ModelConfidence.from_result, threshold_for, review_reason).
const airflowSays = `
import json, math, sys, types
def check_bar(value):
    assert isinstance(value, float) and 0 <= value <= 1, value
    return value
class DecisionPolicy:
    def __init__(self, min_confidence): self.min_confidence = check_bar(min_confidence)
class BranchOption:
    def __init__(self, min_confidence): self.min_confidence = check_bar(min_confidence)
for name in ("airflow", "airflow.providers", "airflow.providers.common", "airflow.providers.common.ai",
             "airflow.providers.common.ai.policies", "airflow.providers.common.ai.policies.decision"):
    sys.modules[name] = types.ModuleType(name)
sys.modules[name].DecisionPolicy, sys.modules[name].BranchOption = DecisionPolicy, BranchOption
exec(compile(open(sys.argv[1], encoding="utf-8").read(), sys.argv[1], "exec"))
overrides = {k: v.min_confidence for k, v in globals().get("branches", {}).items()}
for line in sys.stdin.buffer.read().decode().split("\n")[:-1]:
    beta, label = line.split("\t")
    confidence, label = float(beta), json.loads(label)
    if not math.isfinite(confidence): confidence = None
    threshold = overrides.get(label, decision_policy.min_confidence)
    review = confidence is None or confidence < threshold
    print(int(not review))
`

func TestAirflowDecidesAsRoute(t *testing.T) {
	python := tool(t, "python3")
	for _, c := range cases {
		if strings.HasPrefix(c.name, "defer") || strings.HasPrefix(c.name, "abstain") {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			path := thresholds(t, c.single, c.change)
			rule, err := routing.Load(path, routing.Options{})
			if err != nil {
				t.Fatal(err)
			}
			text, err := write(t, path, Airflow, Options{})
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "policy.py")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			rs := slices.DeleteFunc(draw(t, rule), func(r record) bool { // other branches are not there to be picked
				x, _ := strconv.ParseFloat(r.beta, 64)
				return x > 1 && !math.IsInf(x, 1) || !c.single && r.class != "red" && r.class != odd
			})
			want, _ := routed(t, path, rs)
			alike(t, rs, lines(t, rs, python, "-c", airflowSays, file), want)
		})
	}
}

// The looper accepts iff clamp((ℓ+3)/3) ≥ threshold, in these operations (vllm-project/semantic-router:
// src/semantic-router/pkg/looper/confidence.go, normalizeLogprob and evaluate). A record is its mean log-probability
// here, and its confidence there is the exponential. Means nearer to the bar than 1e-15 are left out, but for the bar.
func TestSemanticRouterDecidesAsRoute(t *testing.T) {
	looper := func(mean, threshold float64) bool {
		normalized := (mean + 3.0) / 3.0
		if normalized < 0 {
			normalized = 0
		}
		if normalized > 1 {
			normalized = 1
		}
		return normalized >= threshold
	}
	for _, c := range cases {
		if !c.single || strings.HasPrefix(c.name, "defer") || strings.HasPrefix(c.name, "abstain") {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			path := thresholds(t, true, func(d *deploy.File) {
				if c.change != nil {
					c.change(d)
				}
				d.Confidence.Score = "exp"
			})
			rule, err := routing.Load(path, routing.Options{})
			if err != nil {
				t.Fatal(err)
			}
			bars, err := rule.Bars()
			if err != nil {
				t.Fatal(err)
			}
			text, err := write(t, path, SemanticRouter, Options{})
			if err != nil {
				t.Fatal(err)
			}
			found := regexp.MustCompile(`(?m)^    threshold: (\S+)$`).FindStringSubmatch(text)
			threshold, err := strconv.ParseFloat(found[1], 64)
			if err != nil || threshold <= 0 || threshold > 1 {
				t.Fatalf("%v\n%s", err, text)
			}
			least := leastMean(bars[0].Least)
			rng := rand.New(rand.NewPCG(3, 4))
			compared := 0
			for i := range records {
				mean := -5 * rng.Float64()
				switch {
				case i%100 == 2:
					mean = []float64{math.Inf(-1), math.NaN(), 0, math.Copysign(0, -1), math.Nextafter(0, -1)}[i/100%5]
				case i%4 == 0:
					mean = least
				case i%4 == 1:
					mean = least + 1e-13*(rng.Float64()-0.5)
				}
				if mean > 0 || mean != least && math.Abs(mean-least) < 1e-15 {
					continue
				}
				compared++
				d, _ := rule.Decide("", calc.Exp(mean), 0)
				if got := looper(mean, threshold); got != (d.Decision == routing.Accept) {
					t.Fatalf("mean %v, bar %v: accepted %t there, %s here", mean, least, got, d.Decision)
				}
			}
			if compared < records*9/10 {
				t.Errorf("only %d records compared", compared)
			}
		})
	}
}

// What a target cannot express is refused, with the reason.
func TestRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		to     Target
		single bool
		change func(*deploy.File)
		want   string
	}{
		{name: "a mixture", to: Python, change: func(d *deploy.File) {
			d.Mixture = &deploy.Mixture{Alpha: 0.25, Lax: []deploy.ClassThreshold{{Theta: 0}}}
		}, want: "mixture: with probability 0.25"},
		{name: "abstains", to: Airflow, single: true, change: func(d *deploy.File) { d.Thresholds[0].Abstain = 0.5 },
			want: "it may leave a query unanswered"},
		{name: "classes", to: Vercel, want: "a threshold per class, and the target has one bar"},
		{name: "classes", to: SemanticRouter, want: "a threshold per class, and the target has one bar"},
		{name: "a class is always deferred", to: Airflow,
			change: func(d *deploy.File) { d.Thresholds[0].Theta = math.Inf(1) }, want: `everything of the class "red"`},
		{name: "always deferred", to: Vercel, single: true,
			change: func(d *deploy.File) { d.Thresholds[0].Theta = math.Inf(1) }, want: "it defers everything, and"},
		{name: "another statistic", to: Vercel, single: true, change: func(d *deploy.File) { d.Confidence.Score = "softmax" },
			want: `its confidence is "softmax", and the target compares the confidence that the decision model reports`},
		{name: "another statistic", to: SemanticRouter, single: true,
			change: func(d *deploy.File) { d.Confidence.Score = "sum" }, want: `its confidence is "sum", and the target compares`},
		{name: "another part of the answer", to: SemanticRouter, single: true, change: func(d *deploy.File) {
			d.Confidence.Score, d.Confidence.Over = "exp", "answer"
		}, want: `read over "answer" alone`},
		{name: "below e⁻³", to: SemanticRouter, single: true, change: func(d *deploy.File) {
			d.Confidence.Score, d.Thresholds[0].Theta = "exp", math.Exp(-3)
		}, want: "0 counts as not set"},
		{name: "a falling calibration", to: Go, single: true, change: func(d *deploy.File) {
			d.Calibration = deploy.Calibration{Method: "platt", Parameters: map[string]float64{"a": -1, "b": 0}}
		}, want: "it falls from"},
		{name: "no master", to: Vercel, single: true, change: func(d *deploy.File) { d.Master.ID = "" },
			want: "does not name the master"},
	} {
		t.Run(tt.name+" "+string(tt.to), func(t *testing.T) {
			text, err := write(t, thresholds(t, tt.single, tt.change), tt.to, Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q; wrote\n%s", err, tt.want, text)
			}
		})
	}
}

// The second half of a policy that abstains says that nobody else is asked.
func TestDroppedAnswersAreNotDeferred(t *testing.T) {
	r := &routing.Rule{}
	r.Student.Name, r.Master.Name = "large", "large"
	if got := header(r, "# "); !strings.Contains(got, "nobody else is asked") || strings.Contains(got, "is asked where") {
		t.Errorf("it says %q", got)
	}
}
