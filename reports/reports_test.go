package reports

import (
	"bytes"
	"encoding/csv"
	"errors"
	"flag"
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
		if err := os.MkdirAll("testdata", 0o777); err != nil {
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
	for _, c := range []struct {
		name  string
		width int
		color bool
	}{
		{"terminal-wide.txt", 0, false},
		{"terminal-80.txt", 80, false},
		{"terminal-40.txt", 40, false},
		{"terminal-80-color.txt", 80, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Terminal(&b, study(), Screen{Width: c.width, Color: c.color}); err != nil {
				t.Fatal(err)
			}
			golden(t, c.name, b.Bytes())
		})
	}
}

func TestEqualStudiesGiveEqualBytes(t *testing.T) {
	a, err := render(study())
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		b, err := render(study())
		if err != nil {
			t.Fatal(err)
		}
		for i := range a {
			if !bytes.Equal(a[i].data, b[i].data) {
				t.Fatalf("%s differs between two runs", a[i].name)
			}
		}
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

// records reads a written CSV file as one map per row.
func records(t *testing.T, name string) []map[string]string {
	t.Helper()
	files, err := render(study())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.name != name {
			continue
		}
		all, err := csv.NewReader(bytes.NewReader(f.data)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var out []map[string]string
		for _, r := range all[1:] {
			m := map[string]string{}
			for i, v := range r {
				m[all[0][i]] = v
			}
			out = append(out, m)
		}
		return out
	}
	t.Fatalf("no file %s", name)
	return nil
}

func TestCSVIsUnrounded(t *testing.T) {
	rows := records(t, "policies.csv")
	got := rows[5]                              // reviews, one threshold
	for field, want := range map[string]string{ // by hand, from the fixture
		"dataset": "reviews", "policy_id": "single", "accuracy": "0.919999999999", "budget_errors": "104",
		"budget_records": "797",
		"cost_saved_pct": "50", "cost_saved_pct_low": "48.5", "cost_saved_pct_high": "51.5", "test_records": "200",
		"level":     "0.95",
		"certified": "yes", "baseline": "no", "charge": "cascade",
	} {
		if got[field] != want {
			t.Errorf("%s = %q, want %q", field, got[field], want)
		}
	}
}

// Bold is decided on unrounded values: 0.92 − 1e-12 prints as 0.92 and is not the best; two rows at exactly 0.92 are.
// The oracle router, at 0.95, does not compete.
func TestBest(t *testing.T) {
	d := reviews()
	best := bests(&d)
	if best["accuracy"] != 0.92 {
		t.Errorf("best accuracy %v, want 0.92", best["accuracy"])
	}
	var b bytes.Buffer
	if err := tableNamed(t, Tables(study()), "policies").Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(b.String(), "\n") {
		bold := strings.Contains(line, "**0.92**")
		switch {
		case strings.Contains(line, "All Deferred"), strings.Contains(line, "| Ours (threshold per class)<sup>") &&
			strings.Contains(line, "53.00"):
			if !bold {
				t.Errorf("not bold: %s", line)
			}
		case strings.Contains(line, "Ours (one threshold)"):
			if bold {
				t.Errorf("bold: %s", line)
			}
		}
	}
}

func TestCaveatsBecomeFootnotes(t *testing.T) {
	tables := Tables(study())
	var kinds []string
	for _, n := range tableNamed(t, tables, "policies").Notes {
		kinds = append(kinds, n.Kind)
	}
	slices.Sort(kinds)
	want := []string{"certified", "charging", "embedder", "empty", "infeasible", "missing", "never-predicted", "oracle",
		"own-cost", "random", "server", "skipped", "small", "split", "truncated", "unseen"} // of the fixture
	if d := cmp.Diff(want, slices.Compact(kinds)); d != "" {
		t.Errorf("kinds (-want +got):\n%s", d)
	}
	var b bytes.Buffer
	for _, file := range []string{"policies", "data"} {
		if err := tableNamed(t, tables, file).Markdown(&b); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"INCOMPLETE", "not a physical cost", "reference is the master's answer"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the tables do not say %q", want)
		}
	}
}

// Every number of a row that was not tested is undefined, and a level that the shuffles cannot reach is said aloud.
func TestSufficiencyTable(t *testing.T) {
	rows := records(t, "sufficiency.csv")
	if len(rows) != 5 {
		t.Fatalf("%d rows, want 5", len(rows))
	}
	for field, want := range map[string]string{ // from the fixture
		"dataset": "reviews", "models": "tiny-student / tiny-master", "extra": "output-stats", "null": "β",
		"mse_null": "0.10123", "delta_mse": "0.00247",
		"p": "0.0909", "p_low": "0.002", "p_holm": "0.1818", "value_saved_pct": "3.21", "verdict": "J helps",
		"shuffles": "10",
	} {
		if got := rows[0][field]; got != want {
			t.Errorf("%s = %q, want %q", field, got, want)
		}
	}
	for _, field := range []string{"mse_null", "mse_full", "delta_mse", "p", "p_holm", "value_saved_pct", "reached"} {
		if got := rows[2][field]; got != "" {
			t.Errorf("determined by β, and %s = %q", field, got)
		}
	}
	if got := rows[2]["verdict"]; got != "determined by β" {
		t.Errorf("verdict %q", got)
	}
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
	s := study()
	s.Cascades[0].Datasets[0].Sufficiency = &result.Sufficiency{Records: 797, Folds: 5, Learner: "hist", Trees: 100,
		Depth: 3, Method: "pcm", Splits: 8, Alpha: 0.05, Rows: []sufficiency.Row{row}}
	s.Cascades = s.Cascades[:1]
	s.Cascades[0].Datasets = s.Cascades[0].Datasets[:1]
	table := Sufficiency(s)
	var b bytes.Buffer
	if err := table.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"**cannot decide**", "Projected covariance measure", "8 random halves",
		"The regression of Δ on what the null knows does not fit", "Gasparin, Wang and Ramdas 2025"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table does not say %q:\n%s", want, b.String())
		}
	}
	for _, never := range []string{"J helps**", "shuffle", "0.000 [n/a]"} {
		if strings.Contains(b.String(), never) {
			t.Errorf("the table says %q", never)
		}
	}
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
			if err := Terminal(&bytes.Buffer{}, c.s, Screen{Width: 80, Color: true, All: true}); err != nil {
				t.Error(err)
			}
		})
	}
}
