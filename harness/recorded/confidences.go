package recorded

import (
	"infnet/backends"
	"infnet/harness/calc"
)

// Confidences finds out whether all confidences of a model are one number, which cannot tell which of
// its answers are right.
type Confidences struct {
	Value float64 // of the first answer that was added
	Place string  // of the answer with the lowest number

	n, at  int
	varies bool
}

// Add adds an answer: its confidence or, where it has none, the log-probabilities of its tokens. An
// answer with neither is taken to vary. Number orders answers, and place says where the answer is.
func (c *Confidences) Add(confidence *float64, tokens []backends.Token, number int, place string) {
	var beta float64
	switch {
	case confidence != nil:
		beta = *confidence
	case len(tokens) > 0:
		for _, t := range tokens {
			beta += t.Logprob / float64(len(tokens))
		}
		beta = calc.Exp(beta)
	default:
		c.varies = true // log-probabilities of labels
		return
	}
	if c.n == 0 {
		c.Value = beta
	}
	if c.n == 0 || number < c.at {
		c.at, c.Place = number, place
	}
	c.n++
	c.varies = c.varies || beta != c.Value
}

// Same reports whether two answers or more were added and all had the same confidence.
func (c *Confidences) Same() bool { return c.n > 1 && !c.varies }
