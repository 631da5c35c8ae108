// Package doubt asks the questions that a careful reader of a study would ask:
// is the same text in the fit and in the test part, are student and master
// swapped, are the labels in another order, is the confidence an uncertainty?
// It owns the questions and the tests behind them; it looks at plain columns,
// refuses to change anything, and knows nothing of files, models or tables.
//
// Its opinion: a question is asked only where the numbers cannot well be
// chance, by an exact test at Level, and it says the numbers. A study that is
// as it should be is asked nothing.
package doubt

// Level is the probability at most that a question about answers is asked of
// records in which nothing is reversed and everything is chance.
const Level = 0.001

// Doubt is a question, with its numbers and what would settle it.
type Doubt struct {
	Kind string // stable identifier: overlap, two-labels, blank, few, small, same, dearer, labels, reversed, swapped
	Text string // a sentence or two, as screens and footnotes show it
}
