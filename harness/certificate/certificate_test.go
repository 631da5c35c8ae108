package certificate_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"infnet/harness/certificate"
	"infnet/harness/cli"
)

func init() { debug.SetGCPercent(400) } // a fifth less of processor time

// study has single thresholds and thresholds per class, another solver's, a coin's and those of a guarantee.
const study = `
study = "claims"
seed  = 42

[[models]]
name       = "small"
backend    = "simulated"
simulated  = { alpha = 2, beta = 1, intercept = 0.6, slope = -0.58 }
fixed_cost = 1

[[models]]
name       = "large"
backend    = "simulated"
simulated  = { alpha = 5, beta = 1, intercept = 0.08 }
fixed_cost = 10

[[datasets]]
name   = "outcomes"
source = "file:outcomes.csv"
task   = "classification"
id     = "item"
label  = "outcome"
%s
labels = ["red", "green", "blue", "grey"]
prompt = "Item {item} is {outcome}.\nColour:"

[[cascades]]
models = ["small", "large"]

[cost]
model = "fixed"

[policy]
%s
`

// certified runs a study of some records, in groups if it says so, and returns the folder of its bundle.
func certified(t *testing.T, records int, keys, policy string) string {
	t.Helper()
	dir := t.TempDir()
	var data strings.Builder
	data.WriteString("item,outcome,family\n")
	for i := range records {
		fmt.Fprintf(&data, "%d,%s,f%d\n", i, []string{"red", "green", "blue", "grey"}[(i*7+i/13)%4], i*2/5)
	}
	for name, text := range map[string]string{
		"outcomes.csv": data.String(), "study.toml": fmt.Sprintf(study, keys, policy),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run, to := filepath.Join(dir, "run"), filepath.Join(dir, "bundle")
	for _, args := range [][]string{
		{"run", filepath.Join(dir, "study.toml"), "--out", run, "--store", filepath.Join(dir, "answers"), "--quiet"},
		{"certify", run, "--to", to},
	} {
		var out bytes.Buffer
		if code := cli.Run(context.Background(), args, nil, &out, &out); code != cli.ExitOK {
			t.Fatalf("infnet %s: exit code %d\n%s", strings.Join(args, " "), code, &out)
		}
	}
	return to
}

// checked runs check.py and returns what it prints of claims that are refuted.
func checked(t *testing.T, dir string) (out string, refuted []string) {
	t.Helper()
	text, err := exec.Command(python(t), filepath.Join(dir, certificate.Program)).CombinedOutput()
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code, err = exit.ExitCode(), nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(text), refutedIn(t, code, string(text))
}

func python(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 on the PATH: the proof is not run")
	}
	return path
}

// refutedIn are the claims that are refuted. The exit code says whether there are any.
func refutedIn(t *testing.T, code int, text string) (refuted []string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "refuted") {
			refuted = append(refuted, line)
		}
	}
	if code != 0 && code != 1 || (code == 1) != (refuted != nil) {
		t.Fatalf("check.py ends with %d and %d claims refuted:\n%s", code, len(refuted), text)
	}
	return refuted
}

// several runs the check.py of each folder, one after the other in one process, which imports what they need once.
const several = `
import contextlib, io, json, runpy, sys
folders, sys.argv = sys.argv[1:], sys.argv[:1]
for folder in folders:
    out, code = io.StringIO(), 0
    with contextlib.redirect_stdout(out):
        try:
            runpy.run_path(folder + "/check.py", run_name="__main__")
        except SystemExit as end:
            code = end.code
        except Exception as why:
            sys.excepthook(type(why), why, why.__traceback__)
            code = 1
    print(json.dumps([code, out.getvalue()]))
`

// spoilt runs the proofs of bundles that are each a copy of the one in a folder, spoilt in one way.
func spoilt(t *testing.T, dir string, ways []func(b bundle)) (refuted [][]string) {
	t.Helper()
	program, err := os.ReadFile(filepath.Join(dir, certificate.Program))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-c", several}
	for _, spoil := range ways {
		b, to := readBundle(t, dir), t.TempDir()
		spoil(b)
		b.write(t, to)
		if err := os.WriteFile(filepath.Join(to, certificate.Program), program, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, to)
	}
	out, err := exec.Command(python(t), args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(out) {
		var code int
		var text string
		if err := json.Unmarshal(line, &[]any{&code, &text}); err != nil {
			t.Fatal(err)
		}
		refuted = append(refuted, refutedIn(t, code, text))
	}
	if len(refuted) != len(ways) {
		t.Fatalf("%d proofs of %d bundles", len(refuted), len(ways))
	}
	return refuted
}

// Whatever way a study is asked to choose thresholds and to guarantee something, its claims hold, and the program that
// shares no line with infnet comes to the same halves, candidates, tests and thresholds.
func TestEveryWayHolds(t *testing.T) {
	for _, tc := range []struct{ name, keys, policy string }{
		{"betting", "", "target = \"best\"\nguarantee = { margin = 0.06, delta = 0.2 }"},
		{"groups", `group = "family"`, "target = 0.8\nguarantee = { max_cluster = 3 }"},
		{"risk control", "", "target = \"master\"\nguarantee = { method = \"crc\", margin = 0.05 }"},
		{"risk control in groups", `group = "family"`,
			"target = \"master\"\nguarantee = { method = \"crc\", margin = 0.05, max_cluster = 3 }"},
		{"no guarantee can be given", "", "target = 0.97\nguarantee = { delta = 0.001 }"},
		{"the student is the reference", "", "target = \"student\"\nguarantee = { margin = 0.01 }"},
		{"least error, calibrated", "", "target = \"min\"\ncalibration = \"isotonic\""},
		{"cost", "", "target = 0.9\nobjective = \"cost\"\ncompare = [\"lagrangian-grid\", \"generalised\"]"},
		{"the price of an error", "", "target = 0.9\nerror_cost = 50"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			out, refuted := checked(t, certified(t, 450, tc.keys, tc.policy))
			if refuted != nil {
				t.Errorf("refuted:\n%s", strings.Join(refuted, ""))
			}
			want := 2 // one threshold, and thresholds per class
			if strings.Contains(tc.policy, "guarantee") || strings.Contains(tc.policy, "error_cost") {
				want = 4 // and each with a guarantee, or of least loss
			}
			if n := strings.Count(out, "\nproved "); n < want {
				t.Errorf("%d claims are proved, want %d:\n%s", n, want, out)
			}
		})
	}
}

// brute compares the search of check.py, on small random problems with ties, empty classes, soft errors and costs,
// with all combinations of thresholds.
const brute = `
import itertools, random, sys
source = open(sys.argv[1]).read()
names = {}
exec(source[:source.index("folder = ")], names)
menus, cheapest, unit, rng, wrong = names["menus"], names["cheapest"], names["UNIT"], random.Random(7), 0
for _ in range(1000):
    n, k, soft = rng.randint(1, 10), rng.randint(1, 3), rng.random() < 0.3
    draw = lambda: round((rng.random() if soft else rng.randint(0, 1)) * unit)
    rows = [{"beta": [rng.choice([.1, .2, .5, .9])], "class": [rng.randrange(k)], "e": [draw(), draw()],
             "cost": rng.choice([1, 1, 3, 7])} for _ in range(n)]
    by = rng.choice([lambda r: 1, lambda r: r["cost"]])
    every = []
    for theta in itertools.product([0, .1, .2, .5, .9, 2], repeat=k):
        out = [r["beta"][0] < theta[r["class"][0]] for r in rows]
        every.append((sum(by(r) for r, d in zip(rows, out) if d), sum(r["e"][d] for r, d in zip(rows, out))))
    budget = rng.randint(min(e for _, e in every), max(e for _, e in every))
    value, errors = min(x for x in every if x[1] <= budget)
    ms = menus(rows, range(k), 0, 1, by)
    for limit, want in ((value, (value, errors / unit)), (value + 2, (value, errors / unit)), (value - 1, None)):
        wrong += cheapest(ms, budget, limit) != want
print(wrong, "wrong")
`

func TestSearchAgreesWithBruteForce(t *testing.T) {
	out, err := exec.Command(python(t), "-c", brute, certificate.Program).CombinedOutput()
	if err != nil || string(out) != "0 wrong\n" {
		t.Errorf("%v: %s", err, out)
	}
}

// bundle is a bundle that a test spoils.
type bundle struct {
	claims  map[string]any
	records []map[string]any
}

func readBundle(t *testing.T, dir string) (b bundle) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, certificate.Claims))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &b.claims); err != nil {
		t.Fatal(err)
	}
	if text, err = os.ReadFile(filepath.Join(dir, "columns-1.jsonl")); err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var r map[string]any
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		b.records = append(b.records, r)
	}
	return b
}

// write writes the bundle with the hashes that it has now, so that nothing but the arithmetic can refute it.
func (b bundle) write(t *testing.T, dir string) {
	t.Helper()
	var columns bytes.Buffer
	for _, r := range b.records {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		columns.Write(append(line, '\n'))
	}
	sum := sha256.Sum256(columns.Bytes())
	b.claims["files"].(map[string]any)["columns-1.jsonl"] = hex.EncodeToString(sum[:])
	text, err := json.Marshal(b.claims)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{certificate.Claims: text, "columns-1.jsonl": columns.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func (b bundle) table() map[string]any { return b.claims["tables"].([]any)[0].(map[string]any) }

func (b bundle) row(policy string) map[string]any {
	for _, r := range b.table()["rows"].([]any) {
		if r := r.(map[string]any); r["policy"] == policy {
			return r
		}
	}
	panic("no row " + policy)
}

func (b bundle) theta(policy string) []any {
	return b.row(policy)["rules"].([]any)[0].(map[string]any)["theta"].([]any)
}

// step moves a threshold by one confidence of the fit part, up or down.
func (b bundle) step(policy string, class, by int) {
	theta, rule := b.theta(policy), b.row(policy)["rules"].([]any)[0].(map[string]any)
	var list []float64
	for _, r := range b.part("fit") {
		if names, ok := rule["class"].([]any); !ok || names[class] == r["class"].([]any)[0] {
			list = append(list, at(r, "beta", 0))
		}
	}
	slices.Sort(list)
	i, found := slices.BinarySearch(list, theta[class].(float64))
	if !found || i+by < 0 || i+by >= len(list) {
		panic(fmt.Sprintf("%s: threshold %v has no neighbour", policy, theta[class]))
	}
	theta[class] = list[i+by]
}

func (b bundle) part(name string) (out []map[string]any) {
	for _, r := range b.records {
		if r["part"] == name {
			out = append(out, r)
		}
	}
	return out
}

func at(r map[string]any, column string, model int) float64 {
	return r[column].([]any)[model].(float64)
}

// flip turns an error of a model into a right answer or back: of the first record in a part that the policy defers, or
// does not.
func (b bundle) flip(part, policy string, model int) {
	for _, r := range b.part(part) {
		if r["final"].(map[string]any)[policy] == float64(model) {
			r["error"].([]any)[model] = 1 - at(r, "error", model)
			return
		}
	}
	panic("no such record")
}

// atThreshold is the record of the fit part whose confidence is the threshold of its class.
func (b bundle) atThreshold(policy string, class int) map[string]any {
	for _, r := range b.part("fit") {
		if r["beta"].([]any)[0] == b.theta(policy)[class] {
			return r
		}
	}
	panic("no record at the threshold")
}

// agree makes the claims about the fit part those of the thresholds that are there now, and calls them optimal.
func (b bundle) agree(policy string) {
	of := map[any]float64{}
	rule, theta := b.row(policy)["rules"].([]any)[0].(map[string]any), b.theta(policy)
	for k := range theta {
		if names, ok := rule["class"].([]any); ok {
			of[names[k]] = theta[k].(float64)
		} else {
			for _, class := range []any{"red", "green", "blue", "grey"} {
				of[class] = theta[k].(float64)
			}
		}
	}
	deferred, errs := 0.0, 0.0
	for _, r := range b.part("fit") {
		if at(r, "beta", 0) >= of[r["class"].([]any)[0]] {
			errs += at(r, "error", 0)
		} else {
			deferred++
			errs += at(r, "error", 1)
		}
	}
	f := in(b.row(policy), "fitted")
	f["fit_deferred"], f["fit_errors"], in(f, "optimum")["lower_bound"] = deferred, errs, deferred
}

// add adds to a number of the claims.
func add(m map[string]any, key string, by float64) { m[key] = m[key].(float64) + by }

func in(m map[string]any, key string) map[string]any { return m[key].(map[string]any) }

func TestPlantedErrorsAreRefuted(t *testing.T) {
	dir := certified(t, 900, "", "target = 0.9\nguarantee = { delta = 0.1 }\ncompare = [\"kde\", \"randomised\"]")
	if out, refuted := checked(t, dir); refuted != nil {
		t.Fatalf("refuted without an error:\n%s", out)
	}
	const single, multi, sure = "single", "multi", "single-guarantee"
	planted := []struct {
		name  string
		spoil func(b bundle)
	}{
		// all that is said of the fit part agrees with them, so that nothing but the proof can tell
		{"thresholds that are not the best, with their own numbers", func(b bundle) {
			b.step(single, 0, 1)
			b.agree(single)
		}},
		{"thresholds per class that are not the best, with their own numbers", func(b bundle) {
			b.step(multi, 0, 1)
			b.agree(multi)
		}},
		{"a threshold one step up", func(b bundle) { b.step(single, 0, 1) }},
		{"a threshold one step down", func(b bundle) { b.step(single, 0, -1) }},
		{"a threshold between two confidences", func(b bundle) {
			b.theta(single)[0] = math.Nextafter(b.theta(single)[0].(float64), 0)
		}},
		{"a class's threshold one step up", func(b bundle) { b.step(multi, 0, 1) }},
		{"a class's threshold one step down", func(b bundle) { b.step(multi, 1, -1) }},
		{"two classes' thresholds changed over", func(b bundle) {
			x := b.theta(multi)
			x[0], x[1] = x[1], x[0]
		}},
		{"a guarantee's threshold one step down", func(b bundle) { b.step(sure, 0, -1) }},
		{"a guarantee's threshold one step up", func(b bundle) { b.step(sure, 0, 1) }},
		{"another confidence", func(b bundle) { b.atThreshold(single, 0)["beta"].([]any)[0] = 0.0 }},
		{"another class", func(b bundle) {
			r := b.atThreshold(multi, 0)["class"].([]any)
			r[0] = map[bool]string{true: "green", false: "red"}[r[0] == "red"]
		}},
		{"another error of the student, fit part", func(b bundle) { b.flip("fit", single, 0) }},
		{"another error of the master, fit part", func(b bundle) { b.flip("fit", single, 1) }},
		{"another decision recorded, fit part", func(b bundle) { // the policy is no other
			final := b.part("fit")[0]["final"].(map[string]any)
			final[single] = 1 - final[single].(float64)
		}},
		{"another error of the student, test part", func(b bundle) { b.flip("test", single, 0) }},
		{"another cost", func(b bundle) { b.part("test")[0]["cost"].([]any)[1] = 11.0 }},
		{"a record of the fit part is missing", func(b bundle) { b.part("fit")[0]["part"] = "unused" }},
		{"a record of the test part is in the fit part", func(b bundle) { b.part("test")[0]["part"] = "fit" }},
		{"another saving", func(b bundle) { add(in(b.row(single), "saved_pct"), "value", 0.01) }},
		{"another saving by query", func(b bundle) { add(in(b.row("random"), "saved_query_pct"), "value", 0.01) }},
		{"another error", func(b bundle) { add(in(b.row(multi), "error"), "value", -1e-3) }},
		{"another deferral", func(b bundle) { add(in(b.row("single-guarantee"), "deferred"), "value", 1e-3) }},
		{"another F1", func(b bundle) { add(in(in(b.row(multi), "metrics"), "f1-macro"), "value", 1e-3) }},
		{"another cost of the master", func(b bundle) { add(b.table()["costs"].([]any)[1].(map[string]any), "value", 1) }},
		{"another target", func(b bundle) { b.table()["target"] = "0.901" }},
		{"another budget", func(b bundle) { add(in(in(b.row(single), "fitted"), "optimum"), "budget", 1) }},
		{"another lower bound", func(b bundle) {
			c := in(in(b.row("multi-kde"), "fitted"), "optimum")
			add(c, "lower_bound", 1)
			add(c, "gap", -1)
		}},
		{"another level of a guarantee", func(b bundle) { add(in(b.row(sure), "promise"), "level", -0.01) }},
		{"a guarantee broken more rarely", func(b bundle) { in(b.row(sure), "promise")["delta"] = 0.001 }},
		{"a guarantee that was not given", func(b bundle) { b.row(sure)["certified"] = false }},
		{"halves from another seed", func(b bundle) { b.claims["seed"] = 43 }},
		{"another coin", func(b bundle) {
			add(b.row("multi-randomised")["rules"].([]any)[0].(map[string]any), "weight", 0.01)
		}},
	}
	var ways []func(b bundle)
	for _, p := range planted {
		ways = append(ways, p.spoil)
	}
	for k, refuted := range spoilt(t, dir, ways) {
		name := planted[k].name
		switch {
		case refuted == nil:
			t.Errorf("%s: nothing is refuted", name)
		case strings.Contains(name, "own numbers") && !strings.Contains(strings.Join(refuted, ""), "; best ("):
			t.Errorf("%s: the proof does not refute it:\n%s", name, strings.Join(refuted, ""))
		}
	}
}

// What the columns cannot contradict is refused where it means nothing: a bundle may not choose its own arithmetic.
func TestRulesOfTheArithmetic(t *testing.T) {
	dir := certified(t, 900, `group = "family"`, "target = 0.8\nguarantee = { max_cluster = 3 }")
	if out, refuted := checked(t, dir); refuted != nil {
		t.Fatalf("refuted without an error:\n%s", out)
	}
	rule := func(b bundle, policy string) map[string]any {
		return b.row(policy)["rules"].([]any)[0].(map[string]any)
	}
	promise := func(b bundle) map[string]any { return in(b.row("multi-guarantee"), "promise") }
	planted := map[string]struct {
		spoil func(b bundle)
		line  string
	}{
		"weights of less than 1":      {func(b bundle) { add(rule(b, "random"), "weight", -0.1) }, "rules of this"},
		"the student is not paid":     {func(b bundle) { b.row("multi")["charge"] = "router" }, "rules of this"},
		"deciding earns something":    {func(b bundle) { b.row("multi")["overhead"] = -1.0 }, "rules of this"},
		"none is the master":          {func(b bundle) { rule(b, "none")["model"] = 1 }, "rules of this"},
		"another row's answers":       {func(b bundle) { rule(b, "oracle-router")["as"] = "single" }, "rules of this"},
		"the master is in no row":     {func(b bundle) { b.row("single")["models"] = []any{0, 0} }, "rules of this"},
		"a class without threshold":   {func(b bundle) { rule(b, "multi")["class"].([]any)[0] = "pink" }, "makes no sense"},
		"an objective that is none":   {func(b bundle) { b.table()["objective"] = "costs" }, "makes no sense"},
		"no number":                   {func(b bundle) { in(b.row("none"), "error")["value"] = nil }, "makes no sense"},
		"an error of 1.5":             {func(b bundle) { b.part("test")[0]["error"].([]any)[0] = 1.5 }, "errors from 0 to 1"},
		"twice":                       {func(b bundle) { x := b.part("test"); x[0]["id"] = x[1]["id"] }, "to fit, to test"},
		"groups are larger":           {func(b bundle) { delete(promise(b), "largest") }, "groups: "},
		"more groups":                 {func(b bundle) { add(promise(b), "clusters", 1) }, "groups: "},
		"a test for independent ones": {func(b bundle) { promise(b)["p_value"] = "binomial" }, "guarantee False: "},
		"risk that is not monotone":   {func(b bundle) { promise(b)["method"] = "crc" }, "guarantee "},
	}
	names := slices.Sorted(maps.Keys(planted))
	var ways []func(b bundle)
	for _, name := range names {
		ways = append(ways, planted[name].spoil)
	}
	for k, refuted := range spoilt(t, dir, ways) {
		if name := names[k]; !strings.Contains(strings.Join(refuted, ""), planted[name].line) {
			t.Errorf("%s: refuted: %q, want %q", name, refuted, planted[name].line)
		}
	}
}

// A file of columns that is not the one that was written is named, even where every number still holds.
func TestHashes(t *testing.T) {
	dir := certified(t, 450, "", "target = 0.85")
	path := filepath.Join(dir, "columns-1.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(`"cost":[`), []byte(`"cost": [`), 1)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, refuted := checked(t, dir); len(refuted) != 1 || !strings.Contains(refuted[0], "columns-1.jsonl") {
		t.Errorf("refuted: %q", refuted)
	}
}

// The reviewer reads the whole proof: at most 250 lines of at most 100 characters, and no package to install.
func TestProgramIsShort(t *testing.T) {
	text, err := os.ReadFile(certificate.Program)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) > 250 {
		t.Errorf("%d lines", len(lines))
	}
	standard := []string{"hashlib", "json", "math", "statistics", "sys", "collections", "fractions", "pathlib"}
	for i, line := range lines {
		if len([]rune(line)) > 100 {
			t.Errorf("line %d has %d characters", i+1, len([]rune(line)))
		}
		words := strings.FieldsFunc(line, func(c rune) bool { return c == ' ' || c == ',' })
		if len(words) > 1 && words[0] == "from" {
			words = words[:2]
		} else if len(words) < 2 || words[0] != "import" {
			continue
		}
		for _, module := range words[1:] {
			if !slices.Contains(standard, module) {
				t.Errorf("line %d imports %s", i+1, module)
			}
		}
	}
}
