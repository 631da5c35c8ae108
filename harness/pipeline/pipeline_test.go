package pipeline_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"infnet/harness/fault"
	"infnet/harness/pipeline"
	"infnet/harness/spec"
)

// text is a study of two simulated models and four rows, two of which have the
// same text.
const text = `
study = "colours"
cost  = { model = "fixed" }

[[models]]
name       = "small"
backend    = "simulated"
simulated  = { alpha = 2, beta = 1, intercept = 0.3 }
fixed_cost = 1

[[models]]
name       = "large"
backend    = "simulated"
simulated  = { alpha = 4, beta = 1, intercept = 0.1 }
fixed_cost = 2

[[datasets]]
name   = "colours"
source = "file:colours.csv"
task   = "classification"
labels = ["red", "blue"]
label  = "colour"
prompt = "Item {item}:"

[[cascades]]
models = ["small", "large"]
`

const rows = "item,colour\na,red\nb,blue\na,red\nc,blue\n"

func open(t *testing.T, study, csv string, events pipeline.Events) (*pipeline.Study, error) {
	t.Helper()
	files := fstest.MapFS{
		"study.toml": {Data: []byte(study)}, "colours.csv": {Data: []byte(csv)}, "none/config.json": {Data: []byte("{}")},
	}
	loaded, err := pipeline.Load(files, "study.toml", spec.Options{})
	if err != nil {
		return nil, err
	}
	return pipeline.Open(t.Context(), loaded, pipeline.Options{Store: t.TempDir(), Out: t.TempDir(), Events: events})
}

// Whoever opens a study can branch on what failed.
func TestOpenSaysWhatFailed(t *testing.T) {
	for _, tt := range []struct {
		name, study, csv string
		want             fault.Kind
	}{
		{name: "a key that is not known", study: strings.Replace(text, "task ", "tasks ", 1), csv: rows, want: fault.Spec},
		{name: "a class that has no label", study: text, csv: rows + "d,green\n", want: fault.Data},
		{name: "too few rows to fit and to test", study: text, csv: "item,colour\na,red\n", want: fault.Spec},
		{name: "a folder without a model", csv: rows, want: fault.Model,
			study: strings.Replace(text, "backend    = \"simulated\"\nsimulated  = { alpha = 2, beta = 1, intercept = 0.3 }",
				"backend    = \"local\"\npath       = \"none\"", 1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := open(t, tt.study, tt.csv, nil)
			var e *fault.Error
			if !errors.As(err, &e) || e.Kind != tt.want {
				t.Errorf("want a failure of kind %s, got %T: %v", tt.want, err, err)
			}
		})
	}
}

// Models and datasets of an opened study are found by their names.
func TestOpen(t *testing.T) {
	st, err := open(t, text, rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := st.Dataset("colours"); d == nil || d.Sheet.Len() != 4 {
		t.Errorf("dataset colours: %+v, want 4 rows", d)
	}
	if st.Model("large") == nil || st.Model("largest") != nil || len(st.Missing()) > 0 {
		t.Errorf("models %v, missing %v", st.Models, st.Missing())
	}
	if _, err := st.Collect(t.Context(), pipeline.CollectOptions{}); err != nil {
		t.Fatal(err)
	}
}

// A pair the wrong way round, and one of the same model, are questioned before anything is paid for.
func TestPairsAreQuestioned(t *testing.T) {
	recorded := "backend    = \"replay\"\nanswers    = \"colours.csv\""
	drawn := []string{"backend    = \"simulated\"\nsimulated  = { alpha = 2, beta = 1, intercept = 0.3 }",
		"backend    = \"simulated\"\nsimulated  = { alpha = 4, beta = 1, intercept = 0.1 }"}
	for _, tt := range []struct{ name, study, want string }{
		{"cheapest first", text, ""},
		{"dearest first", strings.Replace(text, `["small", "large"]`, `["large", "small"]`, 1),
			"Is large dearer than small on purpose? Its fixed_cost is 2 against 1. Models are listed cheapest first: swapped?"},
		{"the same answers", strings.NewReplacer(drawn[0], recorded, drawn[1], recorded).Replace(text),
			"Are small and large the same weights on purpose? Both are the recorded answers of colours.csv."},
	} {
		said := &warnings{}
		_, _ = open(t, tt.study, "id,item,colour,answer\n1,a,red,red\n2,b,blue,red\n3,c,red,red\n4,d,blue,blue\n", said)
		var questions []string
		for _, s := range said.list {
			if question, _, ok := strings.Cut(s, " cascade "); ok && strings.Contains(s, "on purpose?") {
				questions = append(questions, question)
			}
		}
		if got := strings.Join(questions, "\n"); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
