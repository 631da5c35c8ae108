package local

import (
	"os"
	"testing"

	"infnet/backends/runtime/safetensors"
)

// What a folder says without its weights is what the opened model says, and
// the parameters counted from the shape are those in the files.
func TestInspect(t *testing.T) {
	for _, path := range []string{"testdata/tiny", "testdata/mixed"} { // tied and untied
		m := load(t, path, 1)
		facts, err := InspectFS(os.DirFS(path))
		if err != nil {
			t.Fatal(err)
		}
		if facts.Shape() != m.Shape() {
			t.Errorf("%s: shape %+v without weights, %+v with", path, facts.Shape(), m.Shape())
		}
		files, err := safetensors.Open(os.DirFS(path))
		if err != nil {
			t.Fatal(err)
		}
		defer files.Close()
		numbers := 0
		for _, name := range files.Names() {
			numbers += files.Size(name)
		}
		if got := facts.Shape().Params * 1e9; int(got+0.5) != numbers {
			t.Errorf("%s: %v parameters, the files hold %d numbers", path, got, numbers)
		}
		for _, labels := range [][]string{colours, {" good", " good cast"}, {""}} {
			a, b := facts.CheckLabels("the film :", labels), m.CheckLabels("the film :", labels)
			if (a == nil) != (b == nil) {
				t.Errorf("%s, %q: %v without weights, %v with", path, labels, a, b)
			}
		}
	}
	if _, err := InspectFS(without(randomFolder(t, smallest), "tokenizer.model")); err == nil {
		t.Error("no tokenizer: no error")
	}
}
