package pipeline_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"infnet/harness/analyze"
	"infnet/harness/pipeline"
	"infnet/harness/spec"
	"infnet/harness/spec/place"
)

// graded is a study of two models whose answers, grades and costs are recorded.
const graded = `
study   = "graded"
cost    = { model = "recorded" }
correct = { rule = "recorded" }

[[models]]
name    = "small"
answers = "small.jsonl"
# small

[[models]]
name    = "large"
answers = "large.jsonl"
# large

[[datasets]]
name   = "quiz"
source = "file:questions.jsonl"
task   = "classification"
labels = ["A", "B"]
prompt = "{text}"
id     = "id"
split  = { column = "part" }
# quiz

[[cascades]]
models = ["small", "large"]
`

// quiz is ten questions, of which the first four fit, and the answers of two models. The small one is right on
// five and the large one on eight.
func quiz() map[string]string {
	var questions, small, large strings.Builder
	for i := range 10 {
		part := "test"
		if i < 4 {
			part = "train"
		}
		fmt.Fprintf(&questions, `{"id": "q%d", "text": "question %d", "part": %q}`+"\n", i, i, part)
		fmt.Fprintf(&small, `{"id": "q%d", "text": "A", "correct": %t, "logprob": %v, "completion_tokens": 1, "cost_usd": %v}`+
			"\n", i, i%2 == 0, -0.1*float64(1+i), 0.5)
		fmt.Fprintf(&large, `{"id": "q%d", "text": "B", "correct": %d, "cost_usd": %d}`+"\n", i, min(1, i/2), i+1)
	}
	return map[string]string{"study.toml": graded, "questions.jsonl": questions.String(), "small.jsonl": small.String(),
		"large.jsonl": large.String()}
}

// warnings keeps what is warned of.
type warnings struct {
	pipeline.Silent
	list []string
}

func (w *warnings) Warn(text string, about ...any) {
	w.list = append(w.list, text+" "+fmt.Sprintln(about...))
}

// run analyses a study of files.
func run(t *testing.T, files map[string]string) (*analyze.Output, *warnings, error) {
	t.Helper()
	heard := &warnings{}
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	loaded, err := pipeline.Load(fsys, "study.toml", spec.Options{})
	if err != nil {
		return nil, heard, err
	}
	for _, w := range loaded.Warnings {
		heard.list = append(heard.list, place.Problems{w}.Error()+"\n")
	}
	st, err := pipeline.Open(t.Context(), loaded, pipeline.Options{Store: t.TempDir(), Out: t.TempDir(), Events: heard})
	if err != nil {
		return nil, heard, err
	}
	if _, err := st.Collect(t.Context(), pipeline.CollectOptions{}); err != nil {
		return nil, heard, err
	}
	out, err := st.Analyze(t.Context(), false)
	return out, heard, err
}

// Grades and costs are those of the files; expected by hand.
func TestRecordedGradesAndCosts(t *testing.T) {
	out, _, err := run(t, quiz())
	if err != nil {
		t.Fatal(err)
	}
	r := out.Datasets[0].Records
	if len(r.Fit) != 4 || len(r.Test) != 6 || r.Fit[3] != 3 {
		t.Errorf("parts %v, %v; the column says the first four fit", r.Fit, r.Test)
	}
	for i := range 10 {
		if got := r.Student().IsRight(i); got != (i%2 == 0) {
			t.Errorf("record %d: right %v", i, got)
		}
		if got := r.Master().Costs[i]; got != float64(i+1) {
			t.Errorf("record %d costs %v, want %d", i, got, i+1)
		}
		if want := math.Exp(-0.1 * float64(1+i)); math.Abs(r.Student().Beta[i]-want) > 1e-15 {
			t.Errorf("record %d has β %v, want %v", i, r.Student().Beta[i], want)
		}
	}
	// The mean over q0 to q3 is (1+2+3+4)/4; the student is right on 3 of the 6 that test, the master on all.
	if got := r.Master().Cost.Summary; got != 2.5 {
		t.Errorf("the master costs %v, want 2.5", got)
	}
	for _, row := range out.Datasets[0].Result.Rows {
		want, ok := map[string]float64{"none": 0.5, "all": 1}[row.Policy]
		if got := row.Metrics["accuracy"].Value; ok && got != want {
			t.Errorf("%s: accuracy %v, want %v", row.Policy, got, want)
		}
	}
	if c := out.Result.Cascades[0]; c.Unit != "USD" {
		t.Errorf("costs are in %q", c.Unit)
	}
}

// with replaces text of one file.
func with(file, old, new string) func(map[string]string) {
	return func(files map[string]string) {
		if !strings.Contains(files[file], old) {
			panic(old + " is not in " + file)
		}
		files[file] = strings.Replace(files[file], old, new, 1)
	}
}

func both(edits ...func(map[string]string)) func(map[string]string) {
	return func(files map[string]string) {
		for _, edit := range edits {
			edit(files)
		}
	}
}

// What is wrong with recorded answers is said with the file, the line and the fix.
func TestBadRecordings(t *testing.T) {
	for _, test := range []struct {
		name string
		edit func(map[string]string)
		want []string
	}{
		{"one id twice", with("small.jsonl", `"id": "q1"`, `"id": "q0"`),
			[]string{"answers small.jsonl", "line 1 and line 2", `"q0"`}},
		{"a question twice", with("questions.jsonl", `"id": "q1"`, `"id": "q0"`),
			[]string{"questions.jsonl:2", `the id "q0" is already that of row 1`}},
		{"a grade above 1", with("small.jsonl", `"correct": true`, `"correct": 2`),
			[]string{"small.jsonl", "line 1", `"correct"`, "the grade 2 is outside [0,1]"}},
		{"a grade below 0", with("small.jsonl", `"correct": true`, `"correct": -1`), []string{"line 1", "outside [0,1]"}},
		{"a grade in words", with("small.jsonl", `"correct": true`, `"correct": "yes"`),
			[]string{"line 1", "want 0, 1, true or false"}},
		{"a score for a grade", with("small.jsonl", `"correct": true`, `"correct": 0.5`),
			[]string{"line 1", "columns.score"}},
		{"a score without a threshold", with("small.jsonl", `"correct": true`, `"score": 0.5`),
			[]string{"line 1", "the score 0.5 is neither 0 nor 1", "tau = 0.5"}},
		{"a score above 1", with("small.jsonl", `"correct": true`, `"score": 30`),
			[]string{"line 1", "the score 30 is outside [0,1]", "divide"}},
		{"no grade", func(files map[string]string) {
			files["small.jsonl"] = strings.ReplaceAll(files["small.jsonl"], `"correct"`, `"graded"`)
		}, []string{"small.jsonl", "no answer has a grade", "columns.correct"}},
		{"costs of two currencies", with("large.jsonl", `"cost_usd": 2`, `"cost": 2, "currency": "EUR"`),
			[]string{"large.jsonl", "line 2", "the cost is in EUR, and the study's currency is USD", `currency = "EUR"`}},
		{"two models of two currencies", with("study.toml", "# large", `currency = "EUR"`),
			[]string{"study.toml:", "prices in EUR next to prices in USD"}},
		{"a negative cost", with("large.jsonl", `"cost_usd": 2`, `"cost_usd": -2`),
			[]string{"large.jsonl", "line 2", "the cost -2 is negative"}},
		{"a cost that is no number", with("large.jsonl", `"cost_usd": 2`, `"cost_usd": "nan"`),
			[]string{"large.jsonl", "line 2", "is no number"}},
		{"NaN in JSON", with("large.jsonl", `"cost_usd": 2`, `"cost_usd": NaN`), []string{"large.jsonl:2", "is not JSON"}},
		{"no cost", with("large.jsonl", `"cost_usd": 2`, `"price": 2`), []string{"large.jsonl", "line 2", "columns.cost"}},
		{"a column that is not there", with("study.toml", "# large", `columns = { correct = "right" }`),
			[]string{"large.jsonl", "line 1", `"right"`}},
		{"more cached tokens than tokens", with("large.jsonl", `"cost_usd": 2`,
			`"cost_usd": 2, "prompt_tokens": 5, "cached_tokens": 9`), []string{"line 2", "9 cached tokens of a prompt of 5"}},
		{"more reasoning than answer", with("large.jsonl", `"cost_usd": 2`,
			`"cost_usd": 2, "completion_tokens": 5, "reasoning_tokens": 9`), []string{"line 2", "9 tokens of reasoning in an answer of 5"}},
		{"a part that is none", with("questions.jsonl", `"part": "test"`, `"part": "dev"`),
			[]string{"row 5", `"part"`, `"dev"`, `fit_is = ["dev"]`}},
		{"a model that nobody graded", with("study.toml", `answers = "large.jsonl"`,
			"backend = \"simulated\"\nsimulated = { alpha = 1, beta = 1, intercept = 0 }"),
			[]string{"study.toml:", "nobody has graded", "nobody wrote down"}},
		{"a router without texts", both(with("study.toml", `prompt = "{text}"`, `prompt = "{id}"`),
			func(files map[string]string) { files["study.toml"] += "[[baselines]]\nkind = \"frugalgpt\"\n" }),
			[]string{"study.toml:", "frugalgpt reads the queries' texts", "names the id alone"}},
		{"a whole answer of unknown length", both(with("study.toml", "task   = \"classification\"\nlabels = [\"A\", \"B\"]",
			`task   = "qa"`), with("small.jsonl", `"completion_tokens": 1, `, "")),
			[]string{"small.jsonl", "line 1", "completion_tokens", `generation = "sum"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := quiz()
			test.edit(files)
			_, _, err := run(t, files)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error lacks %q:\n%v", want, err)
				}
			}
		})
	}
}

// What is odd, and stops nothing, is said with the file and the line too.
func TestOddRecordings(t *testing.T) {
	const most = "[collect]\nmax_missing = 0.5\n"
	for _, test := range []struct {
		name string
		edit func(map[string]string)
		want []string
	}{
		{"a question without an answer", with("large.jsonl", `"id": "q7"`, `"id": "x7"`),
			[]string{"large.jsonl", "have no recorded answer", "questions.jsonl: row 8", "q7"}},
		{"an answer without a question", with("large.jsonl", `"id": "q7"`, `"id": "x7"`),
			[]string{"large.jsonl", "belong to no record", "line 8", "x7"}},
		{"a constant confidence", func(files map[string]string) {
			for i := range 10 {
				old := fmt.Sprintf(`"logprob": %v,`, -0.1*float64(1+i))
				files["small.jsonl"] = strings.Replace(files["small.jsonl"], old, `"confidence": 0.5,`, 1)
			}
		}, []string{"small.jsonl", "every recorded confidence is the same", "line 1", "0.5", "columns.confidence"}},
		{"a metric that needs a reference", with("study.toml", "# quiz", `metrics = ["accuracy", "f1-macro"]`),
			[]string{"study.toml:", "f1-macro left out"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := quiz()
			files["study.toml"] += most
			test.edit(files)
			_, heard, err := run(t, files)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range heard.list {
				found := true
				for _, want := range test.want {
					found = found && strings.Contains(text, want)
				}
				if found {
					return
				}
			}
			t.Errorf("no warning with all of %q:\n%s", test.want, strings.Join(heard.list, ""))
		})
	}
}

// The forms in which the same facts are recorded lead to the same results.
func TestFormsOfRecordings(t *testing.T) {
	for _, test := range []struct {
		name string
		edit func(map[string]string)
	}{
		{"one file per model", func(map[string]string) {}},
		{"a wide table", func(files map[string]string) {
			files["small.jsonl"], files["large.jsonl"] = "", ""
			delete(files, "small.jsonl")
			delete(files, "large.jsonl")
			wide := "key,part,question,gpt-4,gpt-4|cost,s 1.5|answer,s 1.5|right,s 1.5|lp,s 1.5|cost\n"
			for i := range 10 {
				part := "test"
				if i < 4 {
					part = "train"
				}
				wide += fmt.Sprintf("q%d,%s,question %d,%d,%d,A,%t,%v,0.5\n", i, part, i, min(1, i/2), i+1, i%2 == 0,
					-0.1*float64(1+i))
			}
			files["wide.csv"] = wide
			for _, edit := range []func(map[string]string){
				with("study.toml", `answers = "small.jsonl"`, `answers = "wide.csv"`),
				with("study.toml", `answers = "large.jsonl"`, `answers = "wide.csv"`),
				with("study.toml", "# small", `columns = { id = "key", text = "s 1.5|answer", correct = "s 1.5|right", `+
					`logprob = "s 1.5|lp", cost = "s 1.5|cost" }`),
				with("study.toml", "# large", `columns = { id = "key", correct = "gpt-4", cost = "gpt-4|cost" }`),
				with("study.toml", `"file:questions.jsonl"`, `"file:wide.csv"`),
				with("study.toml", `id     = "id"`, "id     = \"key\"\nfields = { text = \"question\" }\nother  = \"none\""),
			} {
				edit(files)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := quiz()
			test.edit(files)
			out, _, err := run(t, files)
			if err != nil {
				t.Fatal(err)
			}
			r := out.Datasets[0].Records
			// By hand: on the fit part the master errs on q0 and q1, the student on q1 and q3. Both err twice, so
			// nothing need be deferred.
			if len(r.Fit) != 4 || r.Master().Cost.Summary != 2.5 || r.Student().Cost.Summary != 0.5 {
				t.Errorf("%d records fit, costs %v and %v", len(r.Fit), r.Student().Cost.Summary, r.Master().Cost.Summary)
			}
			p := out.Datasets[0].Result.Policies[0]
			if p.FitErrors != 2 || p.FitDeferred != 0 {
				t.Errorf("%v errors and %d deferred on the fit part, want 2 and 0", p.FitErrors, p.FitDeferred)
			}
		})
	}
}

// A log-probability of minus infinity is known to be below every other: β = 0. JSON writes it as null.
func TestLogprobOfMinusInfinity(t *testing.T) {
	files := quiz()
	with("small.jsonl", `"logprob": -0.30000000000000004`, `"logprob": null`)(files)
	out, _, err := run(t, files)
	if err != nil {
		t.Fatal(err)
	}
	r := out.Datasets[0].Records
	if !r.Used[2] || r.Student().Beta[2] != 0 {
		t.Errorf("used %v, β %v; want a record with β = 0", r.Used[2], r.Student().Beta[2])
	}
}
