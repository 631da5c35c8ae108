package importer_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
		{[]string{"lm-eval-small.jsonl", "lm-eval-large.jsonl"}, "fixed"},
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
			if q := found.Questions; q.N != 12 || q.Everybody != 12 || q.Text == "" {
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

// lm-eval's target of a choice is its number: the choices are the labels, and the study runs as it was written.
func TestNumbersOfChoices(t *testing.T) {
	var o importer.Options
	dir := t.TempDir()
	for _, name := range []string{"small", "large"} {
		var b strings.Builder
		for i := range 20 {
			fmt.Fprintf(&b, `{"doc_id":%d,"target":"%d","arguments":[["Q %d"," no"],["Q %d"," yes"]],`+
				`"filtered_resps":[[-0.5,true],[-1.%d,false]],"acc":%d}`+"\n", i, i%2, i, i, i, 1-i%2)
		}
		path := filepath.Join(dir, name+".jsonl")
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		o.Files = append(o.Files, path)
	}
	found, _, err := imported(t, o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"no", "yes"}, found.Questions.Labels); diff != "" {
		t.Error(diff)
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
}

// What makes no study is said with what to do.
func TestImportMistakes(t *testing.T) {
	write := func(name, text string) string { return put(t, name, text)[0] }
	two := write("two.csv", "id,model,correct\n1,a,1\n1,b,1\n1,b,1\n")
	for _, test := range []struct {
		name  string
		files []string
		want  string
	}{
		{"one model", []string{fixtures + "small.eval"}, "import the answers of another model too"},
		{"an id twice", []string{two}, `two.csv: line 4`},
		{"no answers", []string{write("none.csv", "id,colour\n1,red\n")}, "no answer: neither a text nor a label"},
		{"no grades", []string{write("x.csv", "id,text,logprob\n1,a,-1\n"), write("y.csv", "id,text,logprob\n1,a,-1\n")},
			"--column correct=COLUMN"},
		{"a pickle", []string{write("p.pkl", "x")}, "a Python pickle"},
		{"no file", []string{filepath.Join(t.TempDir(), "gone.csv")}, "gone.csv"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := importer.Options{Files: test.files}
			if _, _, err := imported(t, o); err == nil ||
				!strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}
