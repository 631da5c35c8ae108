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
	"slices"
	"strconv"
	"strings"
	"testing"

	"cel.dev/cel-go/cel"

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
		Confidence: deploy.Confidence{Score: "given"}, Calibration: deploy.Calibration{Method: "none"},
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
	if to == CEL {
		return fmt.Sprintf("(\n%s\n) == %q", text, what)
	}
	return text + fmt.Sprintf("\ndef accept(*given):\n    return decide(*given) == %q\n", what)
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
func write(t *testing.T, path string, to Target) (string, error) {
	t.Helper()
	r, err := routing.Load(path, routing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return Write(r, to)
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
			for _, to := range []Target{Python, CEL} {
				t.Run(string(to), func(t *testing.T) {
					text, err := write(t, path, to)
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
	given := "float(beta)"
	if strings.Contains(text, "label") {
		given += ", json.loads(label)"
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here: its export is not run")
	}
	path := filepath.Join(t.TempDir(), "p.py")
	if err := os.WriteFile(path, []byte(text+`
import json, sys
for line in sys.stdin.buffer.read().decode().split("\n")[:-1]:
    beta, label = line.split("\t")
    print(int(accept(`+given+`)))
`), 0o600); err != nil {
		t.Fatal(err)
	}
	return lines(t, rs, python, path)
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
		{name: "a falling calibration", to: CEL, single: true, change: func(d *deploy.File) {
			d.Calibration = deploy.Calibration{Method: "platt", Parameters: map[string]float64{"a": -1, "b": 0}}
		}, want: "it falls from"},
	} {
		t.Run(tt.name+" "+string(tt.to), func(t *testing.T) {
			text, err := write(t, thresholds(t, tt.single, tt.change), tt.to)
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
