package outcomes

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infnet/harness/fault"
)

func open(t *testing.T, name, text string) *File {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func read(t *testing.T, f *File, c Columns) (*Log, error) {
	t.Helper()
	f.Recognise(&c, nil)
	f.RecogniseCosts(&c)
	return f.Read(c)
}

// Truth values, scores, answers with a reference and answers against the master's give the errors that each means.
func TestRead(t *testing.T) {
	for _, tt := range []struct {
		name            string
		columns         Columns
		text            string
		student, master []float64 // errors
		soft            bool
	}{
		{name: "truths", text: "confidence,student,master\n.9,1,true\n.8,false,0\n", student: []float64{0, 1},
			master: []float64{0, 1}},
		{name: "scores", text: "confidence,student,master\n.9,.25,1\n.8,1,.5\n", student: []float64{.75, 0},
			master: []float64{0, .5}, soft: true},
		{name: "answers", text: "confidence,student,master,gold\n.9,a,b,a\n.8,a,b,b\n", student: []float64{0, 1},
			master: []float64{1, 0}},
		{name: "the master is right", columns: Columns{Oracle: true}, text: "confidence,student,master\n.9,a,a\n.8,a,b\n",
			student: []float64{0, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := read(t, open(t, "log.csv", tt.text), tt.columns)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(l.Records.Student, tt.student) || !slices.Equal(l.Records.Master, tt.master) ||
				l.SoftErrors() != tt.soft {
				t.Errorf("errors %v and %v, soft %t", l.Records.Student, l.Records.Master, l.SoftErrors())
			}
			if l.IDOf(0) != "1" || l.IDOf(1) != "2" || l.Clusters([]int{0, 1}) != nil {
				t.Errorf("ids %q, %q, clusters %v: want row numbers and none", l.IDOf(0), l.IDOf(1), l.Clusters([]int{0, 1}))
			}
		})
	}
}

// A log is asked about in every setting: also where the master is the reference and has no errors of its own.
func TestDoubts(t *testing.T) {
	const header = "confidence,student,master,gold,question\n"
	for _, tt := range []struct {
		name    string
		columns Columns
		rows    string // of 20 records, each of them so
		kinds   []string
	}{
		{name: "truths", rows: ".9,1,1,,a text\n"},
		{name: "scores", rows: ".9,.5,1,,a text\n"},
		{name: "answers", rows: ".9,a,b,b,a text\n"},
		{name: "answers, the student is better", rows: ".9,a,b,a,a text\n", kinds: []string{"swapped"}},
		{name: "oracle, truths", columns: Columns{Oracle: true}, rows: ".9,1,0,,a text\n"},
		{name: "oracle, answers", columns: Columns{Oracle: true}, rows: ".9,a,b,,a text\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.columns.Single = true
			l, err := read(t, open(t, "log.csv", header+strings.Repeat(tt.rows, 20)), tt.columns)
			if err != nil {
				t.Fatal(err)
			}
			l.Shed()
			var kinds []string
			for _, d := range l.Doubts([]int{0}, []int{1}) {
				if d.Kind != "overlap" { // all rows have the same text
					kinds = append(kinds, d.Kind)
				}
			}
			if !slices.Equal(kinds, tt.kinds) {
				t.Errorf("kinds %q, want %q", kinds, tt.kinds)
			}
		})
	}
}

// Rows of one group have one number; a row without a group is alone.
func TestClusters(t *testing.T) {
	l, err := read(t, open(t, "log.jsonl", `{"confidence":0.9,"student":1,"master":1,"group":"g"}
{"confidence":0.8,"student":1,"master":1,"group":null}
{"confidence":0.7,"student":0,"master":1,"group":"g"}
`), Columns{})
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Clusters([]int{0, 1, 2}); !slices.Equal(got, []int{0, -2, 0}) {
		t.Errorf("clusters %v", got)
	}
	if r := l.Pick([]int{2, 0}); !slices.Equal(r.Beta, []float64{.7, .9}) || !slices.Equal(r.Student, []float64{1, 0}) {
		t.Errorf("picked %+v", r)
	}
}

// What cannot be read is named with its file, row and column, as bad data.
func TestReadRefuses(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{name: "a query twice", text: "id,confidence,student,master\na,.5,1,1\na,.5,1,1\n",
			want: `row 2 has the id "a" of row 1`},
		{name: "a confidence above 1", text: "confidence,student,master\n1.5,1,1\n",
			want: `row 1, column "confidence": confidence "1.5" is no number in [0,1]`},
		{name: "a decimal comma", text: "confidence,student,master\n\"0,5\",1,1\n", want: "write a point, not a comma"},
		{name: "no such column", text: "sure,student,master\n.5,1,1\n",
			want: `row 1 has no column "confidence"; there are master, student, sure`},
		{name: "a free master", text: "confidence,student,master,student_cost,master_cost\n.5,1,1,1,0\n",
			want: "there is nothing to save"},
		{name: "a negative cost", text: "confidence,student,master,student_cost,master_cost\n.5,1,1,-1,2\n",
			want: `row 1, column "student_cost": cost "-1"`},
	} {
		_, err := read(t, open(t, "log.csv", tt.text), Columns{})
		var kind *fault.Error
		if !errors.As(err, &kind) || kind.Kind != fault.Data || !strings.Contains(err.Error(), tt.want) ||
			!strings.Contains(err.Error(), "log.csv: ") {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// A list is a covariate per place; what is known only afterwards, what is no number and what is named twice is refused.
func TestCovariates(t *testing.T) {
	l, err := read(t, open(t, "log.jsonl", `{"confidence":0.9,"student":1,"master":1,"emb":[1,2],"long":[1,2],"emb_word":"x","emb_ok":true}
{"confidence":0.8,"student":0,"master":1,"emb":[3,4],"long":[3,4,5],"emb_word":"y","emb_ok":false}
`), Columns{})
	if err != nil {
		t.Fatal(err)
	}
	set, err := l.Covariates("emb", []string{"emb", "emb_ok"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range set.Columns {
		names = append(names, c.Name)
	}
	if !slices.Equal(names, []string{"emb[0]", "emb[1]", "emb_ok"}) ||
		!slices.Equal(set.Columns[1].Values, []float64{2, 4}) || !slices.Equal(set.Columns[2].Values, []float64{1, 0}) {
		t.Errorf("covariates %+v", set.Columns)
	}
	for _, tt := range []struct {
		name    string
		columns []string
		want    string
	}{
		{name: "an outcome", columns: []string{"student"}, want: "holds the outcome of the query"},
		{name: "twice", columns: []string{"emb", "emb"}, want: "named twice"},
		{name: "a longer list", columns: []string{"long"}, want: "row 2: column \"long\" is no list of 2 numbers"},
		{name: "a word", columns: []string{"emb_word"}, want: "no finite number"},
	} {
		if _, err := l.Covariates(tt.name, tt.columns); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := l.CovariatesBy("nothing_"); err == nil || !strings.Contains(err.Error(), "no column begins with") {
		t.Errorf("an unknown prefix: %v", err)
	}
}
