package table

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// No cell is wider in LaTeX than the form of a table assumes, in Computer Modern and in Times; nor is it so much less
// wide that room is wasted.
func TestWidthsAreThoseOfTeX(t *testing.T) {
	pdflatex, err := exec.LookPath("pdflatex")
	if err != nil || testing.Short() {
		t.Skip("measured by pdflatex, which is not on the PATH or takes too long")
	}
	cells := []Cell{
		Of(Plain("Ours (threshold per class)")), Of(Plain("A long, plain sentence with 100 % of the usual & some <others>.")),
		Of(Name("tiny-student-4b_instruct"), Plain(" / "), Name("Qwen2.5")), Of(Plain("Größe, Łódź → 中文 β ≤ 0.5 – “so”")),
		Of(Num(Estimated(0.9341, 0.89, 0.97, 2)).Bold(), Plain(" / "), Num(Estimated(-12.5, -14, -1, 1))),
		Of(Num(Number{Value: 1.2345e-7, Significant: 3})), Of(Num(Estimated(math.Inf(1), -7, math.Inf(1), 1))),
		Of(Num(Exactly(47, 0)), Plain("/"), Num(Exactly(800, 0)), Plain(" = "), Num(Exactly(5.9, 1))),
		Of(Plain("MSE"), Sub("β+J")), Of(Plain("Policy id").Bold()),
	}
	for i := range cells {
		pm := Of()
		for _, p := range cells[i].Text {
			p.number.Ranges = PlusMinus
			pm.Text = append(pm.Text, p)
		}
		pm.Mark(1)
		cells = append(cells, pm)
	}
	var tab Table
	text := "\\documentclass{article}\n\\begin{document}\n"
	var want []float64
	for _, family := range []string{"cmr", "ptm"} {
		for _, size := range []int{7, 8} {
			for _, c := range cells {
				want = append(want, tab.cellWide(c, size))
				text += fmt.Sprintf("\\fontfamily{%s}\\fontsize{%d}{9}\\selectfont\\setbox0\\hbox{%s}\\typeout{WIDE "+
					"\\the\\wd0}%%\n",
					family, size, tab.latexText(c, latexPart))
			}
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.tex"), []byte(text+"\\end{document}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(pdflatex, "-interaction=nonstopmode", "-halt-on-error", "x.tex")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	found := regexp.MustCompile(`WIDE ([0-9.]+)pt`).FindAllStringSubmatch(string(out), -1)
	if len(found) != len(want) {
		t.Fatalf("%d widths, want %d", len(found), len(want))
	}
	for i, m := range found {
		wide, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		if wide > want[i]+0.5 {
			t.Errorf("%s: %.1f points in LaTeX, assumed %.1f", cells[i%len(cells)].Text.format(latexPart), wide, want[i])
		}
		if i < len(cells) && want[i] > 1.4*wide+4 {
			t.Errorf("%s: assumed %.1f points for %.1f", cells[i%len(cells)].Text.format(latexPart), want[i], wide)
		}
	}
}
