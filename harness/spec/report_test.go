package spec

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/result/style"
)

// reported loads the small study with these lines in [report].
func reported(t *testing.T, lines string) (*Study, error) {
	t.Helper()
	small, err := os.ReadFile("testdata/valid/small.toml")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(small), `"builtin:reviews"`,
		"\"file:../files/reviews.csv\"\ntask = \"classification\"\nlabels = [\"a\", \"b\"]\nprompt = \"{text}\"", 1)
	return LoadFS(fstest.MapFS{
		"valid/s.toml":      {Data: []byte(text + "\n[report]\n" + lines)},
		"files/reviews.csv": {Data: []byte("text,label\n")}, "files/student/config.json": {}, "files/master/config.json": {},
	}, "valid/s.toml", Options{})
}

// What a spec says of the looks of tables is what the study holds.
func TestStyle(t *testing.T) {
	three := 3
	for _, tt := range []struct {
		name, lines string
		want        style.Style
	}{
		{name: "nothing", lines: ""},
		{name: "the defaults", lines: "layout = \"full\"\n", want: style.Style{Layout: style.Full}},
		{name: "all of it", lines: `layout = "paper"
columns = ["policy", "performance", "own_saved"]
intervals = "pm"
footnotes = "none"
digits = 3
caption = "Policies on {datasets} with {{braces}}."
figures = ["png", "tikz"]
draw = ["frontier"]
`, want: style.Style{Layout: style.Paper, Columns: []style.Column{style.Policy, style.Performance, style.OwnSaved},
			Intervals: style.PlusMinus, Footnotes: style.NoNotes, Digits: &three,
			Caption: "Policies on {datasets} with {{braces}}.",
			Figures: []style.Format{style.PNG, style.TikZ}, Draw: []style.Kind{style.Frontier}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := reported(t, tt.lines)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, s.Report.Style); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A mistake is shown with its place, and with what is valid.
func TestStyleMistakes(t *testing.T) {
	for _, tt := range []struct {
		lines string
		want  []string
	}{
		{`columns = ["policy", "perfomance"]`, []string{`columns = ["policy", "perfomance"]`, "^", `did you mean "performance"?`}},
		{`columns = ["dataset", "saved"]`, []string{"no column that says which policy", "policy"}},
		{`columns = ["policy", "saved", "policy"]`, []string{"the same as report.columns[0]"}},
		{`columns = []`, []string{"no column that says which policy"}},
		{`intervals = "plusminus"`, []string{"unknown form of intervals", "brackets, pm, none"}},
		{`footnotes = 5`, []string{"want a string"}},
		{`digits = 7`, []string{"want 0 to 6, got 7"}},
		{`digits = -1`, []string{"want 0 to 6, got -1"}},
		{`caption = ""`, []string{"the caption is empty"}},
		{`caption = "of {studnt}"`, []string{"nothing is called {studnt}", "{student}"}},
		{`caption = "of {student"`, []string{"a brace is not closed"}},
		{`caption = "of student}"`, []string{"a brace is not opened"}},
		{`figures = []`, []string{"the list is empty"}},
		{`figures = ["jpeg"]`, []string{"unknown format", "svg, pdf, png, tikz"}},
		{`draw = ["other"]`, []string{"unknown kind of figure"}},
		{`colums = ["policy"]`, []string{`did you mean "columns"?`}},
	} {
		_, err := reported(t, tt.lines+"\n")
		if err == nil {
			t.Errorf("%s: it loads", tt.lines)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: no %q in\n%v", tt.lines, want, err)
			}
		}
	}
}
