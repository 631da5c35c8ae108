package grade_test

import (
	_ "embed"
	"strings"
	"testing"

	"infnet/metrics/grade"
)

//go:embed testdata/different.txt
var different string

// Pairs that look alike and differ, or may: none is called equal. A line is what they are of, and pairs; by hand.
func TestDifferentIsNeverEqual(t *testing.T) {
	pairs := 0
	for _, line := range strings.Split(strings.TrimSpace(different), "\n") {
		of, rest, _ := strings.Cut(line, " ")
		for _, pair := range strings.Fields(rest) {
			at := strings.Index(pair[1:], "|") + 1
			a, b := pair[:at], pair[at+1:]
			pairs++
			for _, p := range [][2]string{{a, b}, {b, a}} {
				refs := p[1:]
				if grade.Math(p[0], refs) == grade.Right || grade.Number(p[0], refs, nil) == grade.Right ||
					grade.Alike(p[0], refs) {
					t.Errorf("%s: %q is called equal to %q", of, p[0], p[1])
				}
			}
		}
	}
	if pairs != 343 {
		t.Errorf("%d pairs", pairs)
	}
}

// What models write for the same answer: it is equal, and never different; by hand.
func TestTheSameIsEqual(t *testing.T) {
	for _, p := range [][2]string{{`1,000\text{ km}`, "1000"}, {"x = 1,000", "1000"}, {`12,345\text{ dollars}`, `\$12345`},
		{`1,000^\circ`, "1000"},
		{`1,000\pi`, `1000\pi`}, {`x \le 1,000`, `x\le1000`}, {`25^\circ\text{C}`, "25"}, {"No", "no"}, {"x-y", "-y+x"},
		{"xy-2", "yx-2"},
		{`5\ \text{m/s}`, "5"}, {`5\text{ months}`, "5"}, {"(100,200)", "(100, 200)"}, {`2+3\mathrm{i}`, "2+3i"},
		{`\text{An even number}`, "even number"}} {
		if got := grade.Math(p[0], p[1:]); got != grade.Right {
			t.Errorf("%q against %q: %v", p[0], p[1], got)
		}
	}
	for _, p := range [][2]string{{`90^\circ`, `\frac{\pi}{2}`}, {"1,234, 2,567", "1234, 2567"}, {"(1,000,2)", "(1000,2)"},
		{"1, 1", "1"}} {
		if got := grade.Math(p[0], p[1:]); got != grade.Undecided {
			t.Errorf("%q against %q: %v", p[0], p[1], got)
		}
	}
}
