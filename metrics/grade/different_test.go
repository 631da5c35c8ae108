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
				if grade.Math(p[0], refs) == grade.Right || grade.Number(p[0], refs) == grade.Right ||
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
