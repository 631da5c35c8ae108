package reports

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports/table"
)

// debian are the packages with the classes that are tried, and their fonts.
const debian = "texlive-publishers texlive-fonts-recommended texlive-fonts-extra"

// latex returns the path of pdflatex, or skips the test.
func latex(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles documents")
	}
	path, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("pdflatex is not on the PATH: install TeX Live (Debian: " + debian + ")")
	}
	return path
}

// faults are what a log must not say: anything that sticks out, lacks a letter or has no place.
var faults = regexp.MustCompile(`(?m)^(Overfull|!|LaTeX Font Warning|LaTeX Warning: .*(undefined|too large|multiply)|` +
	`Missing character|pdfTeX warning).*$`)

// compile runs pdflatex twice, for references, and returns what is wrong.
func compile(t *testing.T, pdflatex, dir, name, text string) []string {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name+".tex"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		cmd := exec.Command(pdflatex, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", name+".tex")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("pdflatex %s.tex: %v\n%s", name, err, out)
		}
	}
	log, err := os.ReadFile(filepath.Join(dir, name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	return faults.FindAllString(string(log), -1)
}

// crowded is the hand-made study with what makes tables long and wide.
func crowded(st style.Style) *result.Results {
	s := study()
	s.Style = st
	d := &s.Cascades[0].Datasets[1]
	for i := range 100 { // more classes than a page has lines
		d.Policies[0].Thresholds = append(d.Policies[0].Thresholds, result.Threshold{Class: strconv.Itoa(i), Theta: 0.5})
	}
	d.Policies[0].Thresholds[7].Class = strings.Repeat("gedankenexperimentell", 6)
	d.Name = "nur_ein-langer.Name: 100 % groß & → 中文"
	return s
}

// Every table file goes untouched into papers of two columns, and of one (as wide as article's, or NeurIPS's 5.5
// inches): nothing sticks out, no font is missing, no label is doubled.
func TestTablesFitPapers(t *testing.T) {
	pdflatex := latex(t)
	classes := []struct{ name, class, options, preamble string }{
		{"article", "article", "twocolumn", ""}, {"IEEEtran", "IEEEtran", "conference", ""},
		{"acmart", "acmart", "sigconf,nonacm", ""}, {"one-column", "article", "10pt", ""},
		{"neurips", "article", "10pt", "\\usepackage[textwidth=5.5in,textheight=9in]{geometry}\n"},
	}
	styles := map[string]style.Style{"usual": {}, "paper": {Layout: style.Paper}}
	for _, c := range classes {
		files := []string{c.class + ".cls"}
		switch c.class { // whose fonts are in other packages
		case "IEEEtran":
			files = append(files, "ptmr7t.tfm")
		case "acmart":
			files = append(files, "libertine.sty", "newtxmath.sty", "zi4.sty")
		}
		if err := exec.Command("kpsewhich", files...).Run(); err != nil {
			t.Logf("TeX lacks one of %v (Debian: %s): not compiled", files, debian)
			continue
		}
		for name, st := range styles {
			if c.name != "article" && name != "usual" {
				continue // the class decides the fonts and the room, the style what is set
			}
			t.Run(c.name+"/"+name, func(t *testing.T) {
				dir := t.TempDir()
				paths, err := Write(crowded(st), dir, writeFile)
				if err != nil {
					t.Fatal(err)
				}
				var b strings.Builder
				fmt.Fprintf(&b, "\\documentclass[%s]{%s}\n%s\\usepackage{%s}\n\\begin{document}\n", c.options, c.class,
					c.preamble, strings.Join(table.Packages, ","))
				if c.class == "acmart" {
					b.WriteString("\\title{T}\\author{A}\\affiliation{\\institution{I}\\city{C}\\country{D}}\\maketitle\n")
				}
				for _, path := range paths {
					if file := filepath.Base(path); strings.HasSuffix(file, ".tex") {
						fmt.Fprintf(&b, "Text.\\input{%s}\\clearpage\n", file)
					}
				}
				b.WriteString("\\end{document}\n")
				for _, fault := range compile(t, pdflatex, dir, "paper", b.String()) {
					t.Error(fault)
				}
			})
		}
	}
}
