package cli

import (
	"os"
	"path/filepath"
	"testing"

	"infnet/harness/dataset/files"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Every command that reads logs takes the same columns for the same things.
func TestColumnsRecognised(t *testing.T) {
	for _, tt := range []struct {
		name  string
		given columnFlags
		text  string
		want  columnFlags
	}{
		{name: "the usual names", text: "id,group,confidence,class,student,master\nq,g,.5,red,1,0\n",
			want: columnFlags{ID: "id", Group: "group", Confidence: "confidence", Class: "class", Student: "student", Master: "master"}},
		{name: "other names, and capitals", text: "Query_ID,Beta,label,student_correct,master_correct,cluster\nq,.5,red,true,false,c\n",
			want: columnFlags{ID: "Query_ID", Group: "cluster", Confidence: "Beta", Class: "label", Student: "student_correct", Master: "master_correct"}},
		{name: "answers and their reference", text: "score,student,master,gold\n.5,red,blue,red\n",
			want: columnFlags{Confidence: "score", Student: "student", Master: "master", Reference: "gold"}},
		{name: "an answer is its class too", text: "score,student_class,master_class,gold\n.5,red,blue,red\n",
			want: columnFlags{Confidence: "score", Student: "student_class", Master: "master_class", Reference: "gold", Class: "student_class"}},
		{name: "scores", text: "confidence,student,master\n.5,.25,1\n",
			want: columnFlags{Confidence: "confidence", Student: "student", Master: "master", Soft: true}},
		{name: "scores beside a text that is no score", text: "confidence,student,master,answer\n.5,.25,1,Paris\n",
			want: columnFlags{Confidence: "confidence", Student: "student", Master: "master", Soft: true}},
		{name: "numbers that answer a question of numbers", text: "confidence,student,master,answer\n.5,.25,1,.25\n",
			want: columnFlags{Confidence: "confidence", Student: "student", Master: "master", Reference: "answer"}},
		{name: "flags win", given: columnFlags{Confidence: "score", ID: "n", Single: true}, text: "n,id,score,confidence,class,student,master\n1,q,.5,.6,red,1,0\n",
			want: columnFlags{Confidence: "score", ID: "n", Single: true, Student: "student", Master: "master"}},
		{name: "a column has one part", given: columnFlags{Group: "id"}, text: "id,confidence,student,master\nq,.5,1,0\n",
			want: columnFlags{Group: "id", Confidence: "confidence", Student: "student", Master: "master"}},
		{name: "what is missing goes by its usual name", text: "x\n1\n",
			want: columnFlags{Confidence: "confidence", Student: "student", Master: "master"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log.csv")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			columns, rows, err := files.Peek(path, 0)
			if err != nil {
				t.Fatal(err)
			}
			got := tt.given
			got.recognise(columns, rows, nil)
			if d := cmp.Diff(tt.want, got, cmpopts.IgnoreUnexported(columnFlags{})); d != "" {
				t.Errorf("recognised (-want +got):\n%s", d)
			}
			// Row by row, as infnet route reads, the names and their order are the same.
			row := files.Row{Values: rows[0]}
			if want := tt.want.Confidence; tt.given.Confidence == "" && row.Has(want) && columnOf("", confidenceNames, row) != want {
				t.Errorf("confidence by rows: %q, want %q", columnOf("", confidenceNames, row), want)
			}
			if want := tt.want.ID; want != "" && columnOf(tt.given.ID, idNames, row, tt.given.Group) != want {
				t.Errorf("id by rows: %q, want %q", columnOf(tt.given.ID, idNames, row), want)
			}
		})
	}
}

// Columns that have another use are not taken.
func TestColumnsSpokenFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.csv")
	if err := os.WriteFile(path, []byte("confidence,student,master,class,label\n.5,1,0,1,red\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	columns, rows, err := files.Peek(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := sufficiencyCommand{Extra: []string{"class"}}
	c.recognise(columns, rows, c.extra)
	if c.Class != "label" {
		t.Errorf("class = %q, want label: class is extra information", c.Class)
	}
}

func TestColumnFlagsThatContradict(t *testing.T) {
	for _, tt := range []struct {
		name    string
		flags   columnFlags
		refused bool
	}{
		{name: "one threshold and classes", flags: columnFlags{Single: true, Class: "class"}, refused: true},
		{name: "scores against the master's answers", flags: columnFlags{Soft: true, oracle: true}, refused: true},
		{name: "scores and a reference", flags: columnFlags{Soft: true, Reference: "gold"}, refused: true},
		{name: "two references", flags: columnFlags{oracle: true, Reference: "gold"}, refused: true},
		{name: "scores", flags: columnFlags{Soft: true, Class: "class"}},
	} {
		if err := tt.flags.checkColumns(); (err != nil) != tt.refused {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
