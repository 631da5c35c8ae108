package spec

import (
	"strings"
	"testing"
)

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

func TestSlurmMistakes(t *testing.T) {
	for _, test := range []struct{ table, want string }{
		{"shards = 0", "want 1 to 1000, got 0"},
		{"shards = 1001", "want 1 to 1000, got 1001"},
		{"partition = \"gpu\"", "options = [\"--partition=…\"]"},
		{"time = \"3m\"", "a shard stops 3m0s before its time limit, which is 3m0s"},
		{"time = \"-1h\"", `-1h0m0s is no duration above zero`},
		{"time = \"forever\"", `"forever" is no duration`},
		{"options = [\"x\"]", `"x" is no option of sbatch`},
		{"options = [\"--array=1-3\"]", "infnet sets --array itself"},
		{"options = [\"-d afterok:1\"]", "infnet sets -d itself"},
		{"setup = [\"a\\nb\"]", "is no line"},
		{"setup = [\" \"]", "is no line"},
		{"setup = [\"export K=sk-abcdefghijklmnopqrstuvwxyz0123456789\"]", "this looks like a secret"},
		{"env = [\"sk-abcdefghijklmnopqrstuvwxyz0123456789\"]", "this looks like a secret itself"},
		{"env = [\"A=B\"]", "this is no name of an environment variable"},
	} {
		_, err := slurmOf(t, slurmStudy+"[slurm]\n"+test.table+"\n", "", "")
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "sk-abc") {
			t.Errorf("%s: error %v, want %q", test.table, err, test.want)
		}
	}
}
