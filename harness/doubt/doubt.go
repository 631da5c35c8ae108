// Package doubt checks a study for likely mistakes: the same text in the fit and
// the test part, student and master swapped, labels in another order, a
// confidence that is really an uncertainty. It owns these questions and the tests
// behind them, and words them itself, since the command line also asks them of
// logs, without results. It reads plain columns and refuses to change anything;
// files, models and tables are the caller's.
//
// Its opinion: raise a question only where chance is an unlikely explanation, by
// an exact test at Level, and give the numbers. A sound study is asked nothing.
package doubt

// Level bounds the probability that a question about answers is raised by chance
// alone.
const Level = 0.001

// Doubt is a question, with its numbers and how to resolve it.
type Doubt struct {
	Kind string // stable identifier: overlap, two-labels, blank, few, small, same, dearer, labels, reversed, swapped
	Text string // a sentence or two, as screens and footnotes show it

	Count, Of int // records it is about, of how many; 0 = it counts none
}
