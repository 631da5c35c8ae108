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
