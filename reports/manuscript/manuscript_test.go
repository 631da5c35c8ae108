package manuscript

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/sufficiency"
)

var update = flag.Bool("update", false, "write the golden files again")

func interval(v, half float64) infer.Interval {
	return infer.Interval{Value: v, Low: v - half, High: v + half, Level: 0.95, N: 1000}
}

// twoSets is a study by hand. Its numbers are made up; those that the tests expect are these, rounded.
func twoSets() *result.Results {
	row := func(policy string, saved, deferred, err, accuracy float64) result.Row {
		return result.Row{Policy: policy, Title: policy, Saved: interval(saved, 1.5), SavedPerQuery: interval(saved+2, 1.5),
			Deferred: interval(deferred, 0.02), Error: interval(err, 0.013),
			Metrics: map[string]infer.Interval{"accuracy": interval(accuracy, 0.013)}}
	}
	set := func(name string, rows ...result.Row) result.Dataset {
		return result.Dataset{Name: name, Task: "classification", Metrics: []string{"accuracy"},
			Counts: result.Counts{Records: 5000, Used: 5000, Fit: 4000, Test: 1000},
			Budget: result.Budget{Target: "best", Errors: 380, Records: 4000}, Rows: rows,
			Policies: []result.Policy{{Policy: "multi", Thresholds: []result.Threshold{{Class: "pos", Theta: 0.81234},
				{Class: "neg", Theta: 0.5}}}}}
	}
	sst := set("sst-2", row("none", 98.31, 0, 0.1574, 0.8426), row("all", 0, 1, 0.0977, 0.9023),
		row("frugalgpt", 87.16, 0.11, 0.1412, 0.8588), row("multi", 82.09, 0.16, 0.0962, 0.9038))
	sst.Sufficiency = &result.Sufficiency{Rows: []sufficiency.Row{{Set: "embeddings", State: sufficiency.Tested, P: 0.0412,
		Holm: 0.0824, Gain: interval(0.0191, 0.004)}}}
	squad := set("squad", row("none", 99.09, 0, 0.61, 0.39), row("all", 0, 1, 0.4288, 0.5712),
		row("frugalgpt", 26.22, 0.73, 0.431, 0.569), row("multi", 26.66, 0.4117, 0.4297, 0.5703))
	return &result.Results{Version: result.Version, Name: "two-sets", Level: 0.95,
		Spec: result.Provenance{Program: "0.0.0-test", SpecHash: "5bec", AnswersHash: "a15e"},
		Cascades: []result.Cascade{{Name: "small+large", Models: []string{"small-1b", "large-12b"}, Setting: "non-oracle",
			Target: "best", Datasets: []result.Dataset{sst, squad}}}}
}

func book(t *testing.T, all ...*result.Results) *Book {
	t.Helper()
	var runs []Run
	for _, r := range all {
		runs = append(runs, Run{Folder: "runs/" + r.Name, Results: r})
	}
	b, err := NewBook(runs)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The names of a version's numbers are those of the next: papers have them.
func TestNamesStay(t *testing.T) {
	path := filepath.Join("testdata", "numbers.tex")
	got := book(t, twoSets()).NumbersFile()
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("numbers.tex (-want +got):\n%s", d)
	}
}

// A short name is of one number alone: of two studies of the same datasets names begin with the study. Long names are
// whole, and what is spelt alike is counted.
func TestNamesAreOfOneNumber(t *testing.T) {
	later, r, long := twoSets(), twoSets(), strings.Repeat("a-long-name-", 6)
	later.Name = "later"
	r.Cascades[0].Name = long + "one"
	r.Cascades = append(r.Cascades, r.Cascades[0])
	r.Cascades[1].Name = long + "two"
	p := r.Cascades[0].Datasets[0].Policies[0].Thresholds
	p[0].Class, p[1].Class = "C", "C++"
	text := string(book(t, r).NumbersFile()) + string(book(t, twoSets(), later).NumbersFile())
	for want, there := range map[string]bool{"{sst-2.savings}": false, "{later.small-large.sst-2.savings}{82.1}": true,
		long + "one.sst-2.error}{9.6}": true, long + "two.sst-2.error}{9.6}": true,
		"two.sst-2.multi.threshold-c}{0.8123}": true, "two.sst-2.multi.threshold-c-2}{0.5000}": true} {
		if strings.Contains(text, want) != there {
			t.Errorf("%s is there: %v, in\n%s", want, !there, text)
		}
	}
	if _, err := NewBook([]Run{{"a", twoSets()}, {"b", twoSets()}}); err == nil ||
		!strings.Contains(err.Error(), "both runs of the study two-sets") {
		t.Errorf("two runs of a study: %v", err)
	}
}

// LaTeX reads numbers.tex: in text, in mathematics, in section titles with bookmarks; the operator stays, and an
// unknown name is an error that says so.
func TestLaTeXReadsTheNumbers(t *testing.T) {
	pdflatex, err := exec.LookPath("pdflatex")
	if err != nil || testing.Short() {
		t.Skip("pdflatex is not on the PATH, or -short")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "numbers.tex"), book(t, twoSets()).NumbersFile(), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // TeX has loops
	defer cancel()
	compile := func(body string) string {
		text := "\\documentclass{article}\\usepackage{hyperref,amsmath}\\input{numbers}\\begin{document}\n" + body +
			"\n\\end{document}\n"
		if err := os.WriteFile(filepath.Join(dir, "x.tex"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(ctx, pdflatex, "-interaction=nonstopmode", "-no-shell-escape", "x.tex")
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput() // an error is in what it prints
		return string(out)
	}
	good := compile(`\section{Saves \inf{sst-2.savings} \%}\typeout{IS \csname infnet@squad.savings\endcsname}` +
		`Text \inf{sst-2.error}, $\inf{sst-2.savings} > \inf_{x} x, \inf{X}$. \begin{figure}\caption{\inf{squad.error}}\end{figure}`)
	if strings.Contains(good, "\n!") || !strings.Contains(good, "IS 26.7") ||
		strings.Contains(good, "hyperref Warning: Token") {
		t.Errorf("LaTeX says\n%s", good)
	}
	if bad := compile(`\inf{sst-2.nothing}`); !strings.Contains(bad, "No number is called sst-2.nothing") {
		t.Errorf("LaTeX says\n%s", bad)
	}
}

// The draft names tables that the run has, and its sentences take every number from a macro.
func TestDraft(t *testing.T) {
	b := book(t, twoSets())
	text := b.ResultsFile()
	for _, want := range []string{`\inf{sst-2.savings}`, `\inf{squad.student.error}`, `\input{two-sets/tables/policies}`,
		`% study two-sets; infnet 0.0.0-test`} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}
