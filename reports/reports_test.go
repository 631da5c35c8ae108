package reports

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/result"
	"infnet/sufficiency"
	"infnet/sufficiency/pcm"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with testdata/name, or writes it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with: go test ./reports -update", err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s differs (-want +got):\n%s", name, d)
	}
}

func TestFilesOfAHandMadeStudy(t *testing.T) {
	files, err := render(study())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		golden(t, f.name, f.data)
		names = append(names, f.name)
	}
	stored, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range stored {
		if !f.IsDir() && !slices.Contains(names, f.Name()) && !strings.HasPrefix(f.Name(), "terminal-") &&
			!strings.HasPrefix(f.Name(), "brief-") && !strings.HasPrefix(f.Name(), "headlines-") {
			t.Errorf("testdata/%s is not written any more: delete it", f.Name())
		}
	}
}

func TestTerminal(t *testing.T) {
	for _, width := range []int{80, 40} {
		var b bytes.Buffer
		if err := Terminal(&b, study(), Screen{Width: width}); err != nil {
			t.Fatal(err)
		}
		golden(t, fmt.Sprintf("terminal-%d.txt", width), b.Bytes())
	}
}

// writeFile writes a file.
func writeFile(path string, data []byte) error { return os.WriteFile(path, data, 0o600) }

func TestWriteNamesTheFileThatFailed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	paths, err := Write(study(), dir, writeFile)
	if entries, _ := os.ReadDir(dir); err != nil || len(entries) != len(paths) || filepath.Dir(paths[0]) != dir {
		t.Errorf("%d files on disk, paths %q: %v", len(entries), paths, err)
	}
	full := errors.New("no space left on device")
	paths, err = Write(study(), dir, func(path string, _ []byte) error {
		if strings.HasSuffix(path, "data.csv") {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || !strings.Contains(err.Error(), "data.csv") {
		t.Errorf("error %v does not name the file and the cause", err)
	}
	if len(paths) == 0 || slices.ContainsFunc(paths, func(p string) bool { return strings.HasSuffix(p, "data.csv") }) {
		t.Errorf("paths %v: want those that were written", paths)
	}
	if _, err := Write(study(), "/dev/null/tables", writeFile); err == nil {
		t.Error("a folder that cannot be made gave no error")
	}
}

// Every number of a row that was not tested is undefined, and a level that the shuffles cannot reach is said aloud.
func TestSufficiencyTable(t *testing.T) {
	untested := &result.Results{Cascades: []result.Cascade{{Datasets: []result.Dataset{reviews()}}}}
	if len(Sufficiency(untested).Columns) > 0 {
		t.Error("a table of nothing")
	}
	s := study()
	s.Cascades[0].Datasets[0].Sufficiency.Alpha = 0.05 // 10 shuffles: p ≥ 1/11
	table := Sufficiency(s)
	var b bytes.Buffer
	if err := table.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"can never be reached", "max, log-odds"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table does not say %q", want)
		}
	}
}

// A row tested by PCM whose check of the fit failed decides nothing, and the table names the method and the check.
func TestSufficiencyCannotDecide(t *testing.T) {
	row := sufficiency.Row{Set: "output-stats", State: sufficiency.Undecided, Method: sufficiency.PCM, P: 0.0004, Holm: 1,
		Gain: at(0.002, 0.001, 797),
		PCM: &pcm.Result{P: 0.0004, Splits: make([]pcm.Split, 8),
			Fit: pcm.Fit{P: 0.002, Failed: true}}, Notes: []string{"the regression of Δ on what the null knows does not fit"}}
	s := concluded()
	s.Cascades[0].Datasets[0].Sufficiency = &result.Sufficiency{Records: 797, Folds: 5,
		Method: "pcm", Alpha: 0.05, Rows: []sufficiency.Row{row}}
	md, csv := written(t, Sufficiency(s))
	golden(t, "made/undecided.md", []byte(md+csv))
}

func TestEmptyStudies(t *testing.T) {
	for _, c := range []struct {
		name string
		s    *result.Results
	}{
		{"nothing", &result.Results{}},
		{"a cascade without datasets", &result.Results{Cascades: []result.Cascade{{Name: "x", Models: []string{"a"}}}}},
		{"a dataset without rows", &result.Results{Cascades: []result.Cascade{{Name: "x",
			Datasets: []result.Dataset{{Name: "d", Metrics: []string{"m"}}}}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := render(c.s); err != nil {
				t.Error(err)
			}
			if err := Terminal(&bytes.Buffer{}, c.s, Screen{Width: 80, Color: true}); err != nil {
				t.Error(err)
			}
		})
	}
}
