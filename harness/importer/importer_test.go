package importer_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infnet/harness/analyze"
	"infnet/harness/importer"
	"infnet/harness/pipeline"
	"infnet/harness/spec"
)

// fixtures of recorded answers, as their owners' code writes them.
const fixtures = "../recorded/testdata/"

// imported imports files, writes the study and runs it as it is.
func imported(t *testing.T, o importer.Options) (*importer.Found, *analyze.Output, error) {
	t.Helper()
	dir := t.TempDir()
	if o.Name == "" {
		o.Name = "imported"
	}
	var questions bytes.Buffer
	found, err := importer.Import(t.Context(), o, func(line []byte) error {
		_, err := questions.Write(line)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	text, err := found.Study(dir, "questions.jsonl")
	if err != nil {
		return found, nil, err
	}
	study := filepath.Join(dir, "study.toml")
	for path, content := range map[string]string{study: text, filepath.Join(dir, "questions.jsonl"): questions.String()} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	loaded, err := pipeline.Load(nil, study, spec.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	st, err := pipeline.Open(t.Context(), loaded, pipeline.Options{Store: t.TempDir(), Out: t.TempDir()})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if _, err := st.Collect(t.Context(), pipeline.CollectOptions{}); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	out, err := st.Analyze(t.Context(), false)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return found, out, nil
}

// Each format is recognised, and the study runs as it was written. The small model is right on 8 of 12 and the large
// one on 10, by hand: 3 divides 0, 3, 6 and 9; of the large ones in other formats 10 divides 0 and 10, in logs of
// Inspect 6 divides 0 and 6.
func TestImportThenRun(t *testing.T) {
	for _, test := range []struct {
		files []string
		cost  string
	}{
		{[]string{"small.eval", "large.eval"}, "tokens"},
		{[]string{"every-eval-ever-small.jsonl", "every-eval-ever-large.jsonl"}, "tokens"},
		{[]string{"llmrouterbench-small.json", "llmrouterbench-large.json"}, "recorded"},
		{[]string{"lm-eval-small.jsonl", "lm-eval-large.jsonl"}, "fixed"},
		{[]string{"routerbench.csv"}, "recorded"},
	} {
		t.Run(test.files[0], func(t *testing.T) {
			var o importer.Options
			for _, name := range test.files {
				o.Files = append(o.Files, fixtures+name)
			}
			found, out, err := imported(t, o)
			if err != nil {
				t.Fatal(err)
			}
			if q := found.Questions; q.N != 12 || q.Everybody != 12 || q.Asked != 12 {
				t.Errorf("%+v, want 12 questions with texts, answered by both", q)
			}
			r := out.Datasets[0].Records
			for m, model := range r.Models {
				right := 0
				for i := range 12 {
					if r.Used[i] && model.IsRight(i) {
						right++
					}
				}
				want := 8
				if strings.Contains(r.Cascade.Models[m], "large") {
					want = 10
				}
				if right != want {
					t.Errorf("%s is right on %d of 12, want %d", r.Cascade.Models[m], right, want)
				}
			}
			if got := out.Result.Cascades[0].CostModel; got != test.cost {
				t.Errorf("costs are %s, want %s", got, test.cost)
			}
		})
	}
}

// A table with unusual columns needs names for them; questions may have a file of their own, with their parts.
func TestImportTables(t *testing.T) {
	var questions, answers strings.Builder
	questions.WriteString("id,question,split\n")
	answers.WriteString("qid,model,said,ok,beta,usd\n")
	for i := range 12 {
		part := "test"
		if i < 6 {
			part = "train"
		}
		fmt.Fprintf(&questions, "%d,What is %d?,%s\n", i, i, part)
		fmt.Fprintf(&answers, "%d,a,A,%d,0.%d,0.1\n%d,b,B,1,,1\n", i, i%2, 1+i%9, i)
	}
	found, out, err := imported(t, importer.Options{
		Files:   put(t, "q.csv", questions.String(), "a.csv", answers.String()),
		Columns: map[string]string{"id": "qid", "text": "said", "correct": "ok", "confidence": "beta", "cost": "usd"}})
	if err != nil {
		t.Fatal(err)
	}
	r := out.Datasets[0].Records
	if len(r.Fit) != 6 || len(r.Test) != 6 || math.Abs(r.Student().Cost.Summary-0.1) > 1e-12 || len(found.Models) != 2 {
		t.Errorf("%d fit and %d test, the student costs %v, %d models", len(r.Fit), len(r.Test), r.Student().Cost.Summary,
			len(found.Models))
	}
	if r.Dataset.Task != "classification" || len(r.Dataset.Labels) != 3 { // A, B and other
		t.Errorf("a task of %s with %v", r.Dataset.Task, r.Dataset.Labels)
	}
}

// What makes no study is said with what to do.
func TestImportMistakes(t *testing.T) {
	write := func(name, text string) string { return put(t, name, text)[0] }
	two := write("two.csv", "id,a_correct,b_correct\n1,1,0\n1,1,1\n")
	for _, test := range []struct {
		name  string
		files []string
		want  string
	}{
		{"one model", []string{fixtures + "small.eval"}, "import the answers of another model too"},
		{"an id twice", []string{two}, `two.csv: line 3`},
		{"no answers", []string{write("none.csv", "id,colour\n1,red\n")}, "there are no answers"},
		{"no grades", []string{write("x.csv", "id,text,logprob\n1,a,-1\n"), write("y.csv", "id,text,logprob\n1,a,-1\n")},
			"--column correct=COLUMN"},
		{"a column that is nowhere", []string{two}, "no table has the column"},
		{"a pickle", []string{write("p.pkl", "x")}, "a Python pickle"},
		{"no file", []string{filepath.Join(t.TempDir(), "gone.csv")}, "gone.csv"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := importer.Options{Files: test.files}
			if strings.Contains(test.want, "no table") {
				o.Columns = map[string]string{"correct": "gone"}
			}
			if _, _, err := imported(t, o); err == nil ||
				!strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// A wide table may have two columns for one fact, and scores in place of grades: the study runs as it is written.
func TestImportOfWideColumns(t *testing.T) {
	for _, test := range []struct {
		name, columns, row string // of each model, without its name
		study              string // what the study says
		error              string
	}{
		{"grades and scores", "correct score confidence", "1 0.5 0.%d", `correct = "a_correct"`, ""},
		{"two units of time", "correct latency_s latency_ms confidence", "1 2 2000 0.%d", `latency_ms = "a_latency_ms"`, ""},
		{"scores", "score cost confidence", "0.25 1 0.%d", `score = "a_score"`, ""},
		{"scores of no model", "score", "0.%d", "", "there are no answers"},
		// Of log-probabilities of whole answers a mean of a token needs every count.
		{"texts, no counts", "text correct logprob completion_tokens", "Paris 1 -0.%d ", `generation = "sum"`, ""},
		{"texts, all counted", "text correct logprob completion_tokens", "Paris 1 -0.%d 5", `without "sum"`, ""},
		{"letters, no counts", "text correct logprob", "A 1 -0.%d", `generation = "sum"`, ""},
		{"nothing said, no counts", "correct logprob", "1 -0.%d", `generation = "sum"`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("id,question")
			for _, m := range []string{"a", "b"} {
				for _, c := range strings.Fields(test.columns) {
					b.WriteString("," + m + "_" + c)
				}
			}
			for i := range 20 {
				cells := fmt.Sprintf(strings.ReplaceAll(test.row, " ", ","), 1+i%9)
				fmt.Fprintf(&b, "\nq%d,What is %d?,%s,%s", i, i, cells, cells)
			}
			found, _, err := imported(t, importer.Options{Files: put(t, "wide.csv", b.String()+"\n")})
			if test.error != "" {
				if err == nil || !strings.Contains(err.Error(), test.error) {
					t.Errorf("error %v, want %q", err, test.error)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			text, err := found.Study(t.TempDir(), "questions.jsonl")
			not, absent := strings.CutPrefix(test.study, "without ")
			if err != nil || strings.Contains(text, not) == absent {
				t.Errorf("error %v; want %s in\n%s", err, test.study, text)
			}
		})
	}
}
