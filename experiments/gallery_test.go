package experiments_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/experiments/public/gallery"
	"infnet/harness/spec"
)

// The gallery's page and figures are what the records say now.
func TestGalleryPage(t *testing.T) {
	data := os.Getenv("INFNET_DATA")
	if data == "" {
		t.Skip("INFNET_DATA is not set: it names the folder that has the recorded answers, see public/README.md")
	}
	b, err := gallery.Read(os.DirFS("public"))
	if err != nil {
		t.Fatal(err)
	}
	g, err := gallery.Compare(t.Context(), b, data)
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := g.Write(&page); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"public/README.md": page.Bytes()}
	for i := range g.Curves {
		if files["public/figures/"+g.Curves[i].Set+".svg"], err = g.Curves[i].SVG(); err != nil {
			t.Fatal(err)
		}
	}
	for name, now := range files {
		if *update {
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, now, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(now)); diff != "" {
			t.Errorf("%s is out of date; go generate ./experiments (-want +got):\n%s", name, diff)
		}
	}
}

// The gallery and the studies are about the same answers.
func TestGalleryAndStudiesHaveTheSameAnswers(t *testing.T) {
	dir := t.TempDir() // files of these names: specs are checked, the rows are not read
	if err := os.Mkdir(filepath.Join(dir, "answers"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, set := range gallery.Sets {
		files, want := []string{"questions." + set + ".jsonl.gz"}, map[string]string{}
		for _, c := range gallery.Chains {
			for _, m := range c.Models {
				want[m] = "answers." + set + "." + m + ".jsonl.gz"
				files = append(files, want[m])
			}
		}
		for _, f := range files {
			if err := os.WriteFile(filepath.Join(dir, "answers", f), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := spec.Load("public/"+set+".toml", spec.Options{
			Getenv: func(name string) (string, bool) { return dir, name == "INFNET_DATA" }})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, m := range s.Models {
			got[m.Name] = filepath.Base(m.Recording.File)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-gallery +study):\n%s", set, diff)
		}
	}
}

// RouteLLM's studies take the two columns of grades that the gallery takes.
func TestRouteLLMStudies(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "answers"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, set := range []string{"mmlu", "gsm8k"} {
		file := filepath.Join(dir, "answers", "routellm."+set+".csv.gz")
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := spec.Load("public/routellm-"+set+".toml", spec.Options{
			Getenv: func(name string) (string, bool) { return dir, name == "INFNET_DATA" }})
		if err != nil {
			t.Fatal(err)
		}
		for i, column := range []string{"student_correct", "master_correct"} {
			if r := s.Models[i].Recording; r.File != file || r.Facts.Correct != column {
				t.Errorf("%s, %s: %s of %s", set, s.Models[i].Name, r.Facts.Correct, r.File)
			}
		}
	}
}
