package manuscript

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// Ten errors are planted, each marked with its kind at the end of its line; nothing else is found.
func TestPlantedErrorsAreFound(t *testing.T) {
	path := filepath.Join("testdata", "planted.tex")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]string{}
	for i, line := range strings.Split(string(text), "\n") {
		if _, kind, ok := strings.Cut(line, "% PLANTED "); ok {
			want[i+1] = kind
		}
	}
	found, err := book(t, twoSets()).Check(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	got, all := map[int]string{}, ""
	for i, f := range found {
		got[f.Line] += string(f.Kind)
		all += f.String() + "\n"
		if i > 0 && found[i-1].Kind == Equal && f.Kind != Equal { // the gravest first
			t.Errorf("%s is below %s", f, found[i-1])
		}
	}
	if d := cmp.Diff(want, got); len(want) != 10 || d != "" {
		t.Errorf("lines and kinds of %d (-planted +found):\n%s", len(want), d)
	}
	for _, want := range []string{ // what a fix says can be pasted
		`planted.tex:17: unknown: \inf{sst-2.eror}: no number has this name; did you mean ` +
			`\inf{sst-2.error}?`,
		`planted.tex:19: equal: 82.1\,\%: typed by hand; the run has 82.1 %: write \inf{sst-2.savings}`,
		`the run has 26.7 %: write \inf{squad.savings}`, `the run has 0.041: write \inf{sst-2.p-embeddings}`,
		`old.tex: made from another run of this study than runs/two-sets`} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
}

// checked is what a check finds in a text: kinds and numbers, in the order of the text.
func checked(t *testing.T, b *Book, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "main.tex")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := b.Check(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range found {
		out = append(out, string(f.Kind)+" "+f.Text)
	}
	return strings.Join(out, ", ")
}

// The numbers are those of twoSets: on sst-2 ours saves 82.1 % [80.6, 83.6], frugalgpt 87.2 %, and errs on 9.6 %; the
// student errs on 15.7 %; on squad ours saves 26.7 %.
func TestWhatAuthorsWrite(t *testing.T) {
	b := book(t, twoSets())
	for text, want := range map[string]string{
		`On SST-2 we save \SI{82.1}{\percent}, or \num{63}\,\%.`:                                  `contradicts 63\,\%, equal 82.1\percent`,
		`On SST-2 we save $71.1 \pm 0.3\,\%$.`:                                                    `contradicts 71.1`,
		`On SST-2 we save 82.1\,\% [80.6, 83.6].`:                                                 `equal 82.1\,\%, equal 80.6, equal 83.6`,
		`On SST-2 we save 82.1\,\% (95\,\% CI [70.6, 73.6]).`:                                     `equal 82.1\,\%`,
		`On SST-2 the error of ours has a 95\,\% CI.`:                                             ``,
		`\newcommand{\pc}{\,\%} On SST-2 we save 63\pc{}, not 82.1\pc.`:                           `contradicts 63\%, equal 82.1\%`,
		`On SST-2 we save 63\,\%, and on SQuAD 26.7\,\%.`:                                         `unclear 63\,\%, equal 26.7\,\%`,
		`On SST-2 we save 80.6--83.6\,\% or 70--73\,\%.`:                                          `equal 80.6, equal 83.6\,\%`,
		`\SIrange{80.6}{83.6}{\percent} is saved on SST-2.`:                                       `equal 80.6, equal 83.6\percent`,
		`On SST-2 and SQuAD we save 82.1 and 26.7\,\%.`:                                           `equal 82.1, equal 26.7\,\%`,
		`SST-2 & ours & 82.1 & 63.0 \\`:                                                           `equal 82.1`,
		`On SST-2 we err on 2.0 points more at $\alpha = 0.05$.`:                                  ``,
		`On SST-2 the $p$-value is 0.51.`:                                                         `contradicts 0.51`,
		`On SST-2 small-1b errs on 12.0\,\%.`:                                                     `contradicts 12.0\,\%`,
		`On SST-2 we save 63\,\% of the cost of large-12b.`:                                       `contradicts 63\,\%`,
		`On SST-2 others save 63\,\% \citep{chen2023}.`:                                           ``,
		`On SST-2~\citep{socher2013} we save 63\,\%.`:                                             `contradicts 63\,\%`,
		`On SST-2, FrugalGPT \citep{chen2023} saves 63\,\%.`:                                      `contradicts 63\,\%`,
		`On \textit{SST-2} we save \textbf{63\,\%}.`:                                              `contradicts 63\,\%`,
		`\verb|On SST-2 we save 63 \%| \iffalse So, on SST-2 we save 63\,\%. \fi`:                 ``,
		"% \\begin{verbatim}\nOn SST-2 we save 63\\,\\%.\n\\end{document} And on SST-2 62\\,\\%.": `contradicts 63\,\%`,
		`\[ s = \inf{sst-2.saving} > \inf{0.5 x} \]`:                                              `unknown \inf{sst-2.saving}`,
	} {
		if got := checked(t, b, text); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// Of several cascades on a dataset the sentence's models tell which is meant, and nothing is contradicted where nothing
// tells. The second pair saves 10 points less than the first, and its master is right in as many cases.
func TestSeveralCascades(t *testing.T) {
	r := twoSets()
	c := r.Cascades[0]
	c.Name, c.Models, c.Datasets = "small-1b-it+large-12b", []string{"small-1b-it", "large-12b"}, slices.Clone(c.Datasets)
	for i := range c.Datasets {
		c.Datasets[i].Rows = slices.Clone(c.Datasets[i].Rows)
		c.Datasets[i].Rows[3].Saved = interval(c.Datasets[i].Rows[3].Saved.Value-10, 1.5)
	}
	r.Cascades = append(r.Cascades, c)
	b := book(t, r)
	for text, want := range map[string]string{
		`On SST-2, small-1b before large-12b saves 82.1\,\%.`:    `equal 82.1\,\%`,
		`On SST-2, small-1b before large-12b saves 72.1\,\%.`:    `contradicts 72.1\,\%`,
		`On SST-2, Small-1B-it before large-12b saves 72.1\,\%.`: `equal 72.1\,\%`,
		`On SST-2 we save 72.1\,\%.`:                             `equal 72.1\,\%`,
		`On SST-2 we save 63\,\%.`:                               `unclear 63\,\%`,
		`On SST-2 large-12b has an error of 8.0\,\%.`:            `contradicts 8.0\,\%`,
		`\inf{sst-2.savings}`:                                    `unknown \inf{sst-2.savings}`,
	} {
		if got := checked(t, b, text); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
	for name, want := range map[string]string{
		"sst-2.savings":          "several numbers have this name: say which, as in \\inf{small-large.sst-2.savings}",
		"two-sets.sst-2.records": "did you mean \\inf{sst-2.records}?",
	} {
		got := missing(name, []string{"small-large.sst-2.savings", "sst-2.records"})
		if !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Files are found however they are inputted, each once, and a manuscript that is missing is named.
func TestInputs(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.tex": "\\input part\n\\include{res.v2}\\import{sub/}{deep}\n\\input{main}\n",
		"part.tex": "On SQuAD we save 61 \\%.", "res.v2.tex": "On SQuAD we save 62 \\%.",
		"sub/deep.tex": "On SQuAD we save 63 \\%."} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	found, err := book(t, twoSets()).Check(t.Context(), filepath.Join(dir, "main.tex"))
	if err != nil || len(found) != 3 || found[0].Text != `61 \%` || found[1].Text != `62 \%` || found[2].Text != `63 \%` {
		t.Errorf("%v, %v: want 61, 62 and 63", found, err)
	}
	if _, err := book(t, twoSets()).Check(t.Context(), "testdata/none.tex"); err == nil ||
		!strings.Contains(err.Error(), "none.tex") {
		t.Errorf("error %v", err)
	}
}

// Whatever a manuscript holds, a check ends, and every finding is at a line of it.
func FuzzCheck(f *testing.F) {
	text, err := os.ReadFile(filepath.Join("testdata", "planted.tex"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add("\\inf{sst-2.x}\n\\input{main}On squad we save 1{,}000\\,\\% % \xff\n\\[ 12")
	b, err := NewBook([]Run{{"runs/two-sets", twoSets()}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "main.tex")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		found, err := b.Check(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Count(text, "\n") + 1
		for _, x := range found {
			if x.Line < 1 || x.Line > lines {
				t.Errorf("%s is not in the %d lines", x, lines)
			}
		}
	})
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
	path := filepath.Join(t.TempDir(), "results.tex")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if found, err := b.Check(t.Context(), path); err != nil || len(found) > 0 {
		t.Errorf("its own draft: %v, %v", found, err)
	}
}
