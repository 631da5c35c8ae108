package experiments_test

import (
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Two questions, the confidences by hand. "the red house" is "red house" to
// token-F1, which drops articles: 1 with "red house", 2/3 with "house" (one of
// one and of two tokens), 0 with "tree": (1 + 2/3 + 0)/3 = 5/9. The second
// student is alone: 0. A question without answers of the systems is left out.
func TestSquadSystemsJoin(t *testing.T) {
	dir := t.TempDir()
	pack(t, filepath.Join(dir, "squad.jsonl.gz"), `{"id":"a","context":"c","question":"q","answers":["red house","house"]}
{"id":"b","context":"c","question":"q","answers":["blue"]}
{"id":"c","context":"c","question":"q","answers":["green"]}
`)
	pack(t, filepath.Join(dir, "squad_systems.jsonl.gz"), `{"id":"a","predictions":{"BERT (ensemble)":"a house","Match-LSTM (x)":"the red house","Logistic Regression (x)":"tree","r-net+ (x)":"red house","SLQA+ (x)":"house"}}
{"id":"b","predictions":{"BERT (ensemble)":"blue","Match-LSTM (x)":"white","Logistic Regression (x)":"tree","r-net+ (x)":"blue","SLQA+ (x)":"blue"}}
`)
	out := filepath.Join(dir, "out")
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not on the PATH")
	}
	text, err := exec.Command(python, "squad-systems/join.py", dir, out).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for name, want := range map[string]string{
		"student.jsonl": `{"id":"a","text":"the red house","confidence":0.5555555555555555}` + "\n" +
			`{"id":"b","text":"white","confidence":0}` + "\n",
		"master.jsonl": `{"id":"a","text":"a house"}` + "\n" + `{"id":"b","text":"blue"}` + "\n",
		"answers.csv":  "id,confidence,student,master\na,0.5555555555555555,1,1\nb,0,0,1\n",
	} {
		got, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func pack(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
