// Package note owns the words of what several parts of the program say of results: whether a policy is worth it, and
// the numbers in such sentences. It refuses to say how grave a caveat is, which package reports does. Its opinion: a
// caveat is written where its numbers are known, once, and is never read back.
package note

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/sufficiency"
)

// Kind names a caveat in results.json, for programs. Several caveats on one subject share a kind.
type Kind = result.Kind

// Note is a caveat.
type Note = result.Note

// Say is a caveat of a kind, in words.
func Say(kind Kind, format string, args ...any) Note {
	return Note{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

// TooFewPermutations: so many permutations cannot give a p-value of alpha.
func TooFewPermutations(n int, alpha float64) Note {
	return Say("permutations", "%d permutations cannot give a p-value below %.4g, so α = %g is never reached; at least "+
		"%d are needed", n, sufficiency.SmallestP(n), alpha, sufficiency.Needed(n, alpha))
}

// ByDefinition is the method of an interval that is no estimate.
const ByDefinition = "by definition"

// Points is a difference of errors, in percentage points: "0.5 points more [-1, 2]".
func Points(d infer.Interval) string {
	word := "more"
	if d.Value < 0 {
		word, d = "less", Negative(d)
	}
	return fmt.Sprintf("%s points %s [%s, %s]", decimals(100*d.Value, 2), word, decimals(100*d.Low, 2),
		decimals(100*d.High, 2))
}

// ShareOfCost is a share of a cost with its interval, in percent.
func ShareOfCost(iv infer.Interval) string {
	if iv.High-iv.Low < 1e-9 { // by definition, but for the order of sums
		return fmt.Sprintf("%.1f %%", 100*iv.Value)
	}
	return fmt.Sprintf("%.1f %% [%.1f, %.1f]", 100*iv.Value, 100*iv.Low, 100*iv.High)
}

// Percent is a share or a difference of shares in percent, without its sign.
func Percent(v float64) string { return decimals(100*v, Digits(100*v)) }

// AtMost says how much more errors count as none.
func AtMost(margin float64) string {
	if margin == 0 {
		return "no more"
	}
	return fmt.Sprintf("at most %s points more", Percent(margin))
}

// Negative is the same difference the other way round; 0 stays 0.
func Negative(iv infer.Interval) infer.Interval {
	iv.Value, iv.Low, iv.High = 0-iv.Value, 0-iv.High, 0-iv.Low
	return iv
}

// Digits is one decimal, or as many more as it takes, up to three, for none of the numbers but zero to print as zero.
func Digits(values ...float64) int {
	n := 1
	for ; n < 3; n++ {
		lost := false
		for _, v := range values {
			lost = lost || math.Abs(v) > 1e-9 && math.Abs(v) < 0.5*math.Pow10(-n)
		}
		if !lost {
			break
		}
	}
	return n
}

// decimals writes a finite number; a rounded zero has no sign.
func decimals(v float64, n int) string {
	s := strconv.FormatFloat(v, 'f', n, 64)
	if !strings.ContainsAny(s, "123456789") {
		return strings.TrimPrefix(s, "-")
	}
	return s
}
