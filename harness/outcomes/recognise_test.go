package outcomes

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every command that reads logs takes the same columns for the same things.
func TestColumnsRecognised(t *testing.T) {
	for _, tt := range []struct {
		name  string
		given Columns
		text  string
		want  Columns
	}{
		{name: "the usual names", text: "id,group,confidence,class,student,master\nq,g,.5,red,1,0\n",
			want: Columns{ID: "id", Group: "group", Confidence: "confidence", Class: "class", Student: "student",
				Master: "master"}},
		{name: "other names, and capitals",
			text: "Query_ID,Beta,label,student_correct,master_correct,cluster\nq,.5,red,true,false,c\n",
			want: Columns{ID: "Query_ID", Group: "cluster", Confidence: "Beta", Class: "label", Student: "student_correct",
				Master: "master_correct"}},
		{name: "answers and their reference", text: "score,student,master,gold\n.5,red,blue,red\n",
			want: Columns{Confidence: "score", Student: "student", Master: "master", Reference: "gold"}},
		{name: "an answer is its class too", text: "score,student_class,master_class,gold\n.5,red,blue,red\n",
			want: Columns{Confidence: "score", Student: "student_class", Master: "master_class", Reference: "gold",
				Class: "student_class"}},
		{name: "scores", text: "confidence,student,master\n.5,.25,1\n",
			want: Columns{Confidence: "confidence", Student: "student", Master: "master", Soft: true}},
		{name: "scores beside a text that is no score", text: "confidence,student,master,answer\n.5,.25,1,Paris\n",
			want: Columns{Confidence: "confidence", Student: "student", Master: "master", Soft: true}},
		{name: "numbers that answer a question of numbers", text: "confidence,student,master,answer\n.5,.25,1,.25\n",
			want: Columns{Confidence: "confidence", Student: "student", Master: "master", Reference: "answer"}},
		{name: "flags win", given: Columns{Confidence: "score", ID: "n", Single: true},
			text: "n,id,score,confidence,class,student,master\n1,q,.5,.6,red,1,0\n",
			want: Columns{Confidence: "score", ID: "n", Single: true, Student: "student", Master: "master"}},
		{name: "a column has one part", given: Columns{Group: "id"}, text: "id,confidence,student,master\nq,.5,1,0\n",
			want: Columns{Group: "id", Confidence: "confidence", Student: "student", Master: "master"}},
		{name: "what is missing goes by its usual name", text: "x\n1\n",
			want: Columns{Confidence: "confidence", Student: "student", Master: "master"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log.csv")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			got := tt.given
			f.Recognise(&got, nil)
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("recognised (-want +got):\n%s", d)
			}
		})
	}
}

func TestColumnsThatContradict(t *testing.T) {
	for _, tt := range []struct {
		name    string
		columns Columns
		refused bool
	}{
		{name: "one threshold and classes", columns: Columns{Single: true, Class: "class"}, refused: true},
		{name: "scores against the master's answers", columns: Columns{Soft: true, Oracle: true}, refused: true},
		{name: "scores and a reference", columns: Columns{Soft: true, Reference: "gold"}, refused: true},
		{name: "two references", columns: Columns{Oracle: true, Reference: "gold"}, refused: true},
		{name: "scores", columns: Columns{Soft: true, Class: "class"}},
		{name: "one cost", columns: Columns{StudentCost: "1"}, refused: true},
		{name: "a negative cost", columns: Columns{StudentCost: "-1", MasterCost: "2"}, refused: true},
		{name: "costs in columns", columns: Columns{StudentCost: "a", MasterCost: "b"}},
	} {
		if err := tt.columns.Check(); (err != nil) != tt.refused {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
