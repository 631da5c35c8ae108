// Package doubt checks a study for likely mistakes: the same text in the fit and the test part, student and master
// swapped, labels in another order, a confidence that is really an uncertainty. It owns these questions and the tests
// behind them, and words them itself, since the command line also asks them of logs, without results. It reads plain
// columns and refuses to change anything; files, models and tables are the caller's.
//
// Its opinion: raise a question only where chance is an unlikely explanation, by
// an exact test at Level, and give the numbers. A sound study is asked nothing.
package doubt

import (
	"math"

	"infnet/harness/calc"
)

// Level bounds the probability that a question about answers is raised by chance alone.
const Level = 0.001

// Doubt is a question, with its numbers and how to resolve it.
type Doubt struct {
	Kind string // stable identifier: overlap, same, labels, reversed, swapped
	Text string // a sentence or two, as screens and footnotes show it

	Count, Of int // records it is about, of how many; 0 = it counts none
}

// lower is the one-sided p-value of Fisher's exact test for a negative association in a 2×2 table: the probability of
// a first cell of a or less, given the margins and no association.
//
//	a b
//	c d
//
// In [0,1]; 1 where a margin is empty.
func lower(a, b, c, d int) float64 {
	// Fisher, Statistical Methods for Research Workers (1934), 21.02.
	row, column, n := a+b, a+c, a+b+c+d
	if row == 0 || row == n || column == 0 || column == n {
		return 1
	}
	p := 0.0
	for x := max(0, row+column-n); x <= a; x++ {
		p += calc.Exp(calc.LogChoose(column, x) + calc.LogChoose(n-column, row-x) - calc.LogChoose(n, row))
	}
	return math.Min(1, p)
}

// upper is the p-value of a first cell of a or more.
func upper(a, b, c, d int) float64 { return lower(b, a, d, c) }
