package spec

import (
	"cmp"
	"fmt"
	"slices"

	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/spec/place"
	"infnet/harness/task"
)

// Over is the part of a reply whose tokens make its confidence: answer, or "", the whole reply.
type Over string

// checkReading wants a dataset that says what in a reply is the answer, and deciding models that call something their
// confidence.
func checkReading(f *file, s *Study) {
	if s.Confidence.Over != "" && !slices.ContainsFunc(s.Datasets, func(d Dataset) bool { return len(d.Answer) > 0 }) {
		f.wrong("confidence.over", "no dataset says what in a reply is the answer",
			`leave it out, or say it: answer = "boxed"`)
	}
	if s.Confidence.Classification != confidence.Vendor {
		return
	}
	for _, c := range s.Cascades {
		for _, name := range c.Models[:max(0, len(c.Models)-1)] {
			m, known := s.Model(name)
			if !known {
				continue
			}
			switch {
			case m.Config.Model.Kind != backends.Decisions:
				f.wrong("confidence.score", fmt.Sprintf("%s is no decision model, and only these report a confidence of their own",
					name), `leave it out, or write score = "softmax"`)
			case s.Policy.Calibration == confidence.Temperature:
				f.wrong("policy.calibration", "temperature is for probabilities, and a vendor's confidence is none",
					"use isotonic or platt")
			default:
				continue
			}
			return
		}
	}
}

// usualMass marks answers where everything that is not a label is together more probable than all labels.
const usualMass = 0.5

func checkConfidence(f *file, c Confidence, p Policy) Confidence {
	if !slices.Contains(confidence.OfTokens(), c.Generation) {
		f.wrong("confidence.generation", fmt.Sprintf("%s is over label tokens, and a generation has no labels", c.Generation),
			"want one of exp, minmax, sum, sigmoid, quantiles")
	}
	if slices.Contains(confidence.OfTokens(), c.Classification) {
		f.wrong("confidence.score", fmt.Sprintf("%s is over the tokens of a generation, and this is of classifications",
			c.Classification), "want softmax or vendor")
	}
	if g := c.Generation; p.Guarantee != nil && (g == confidence.MinMax || g == confidence.Sigmoid ||
		g == confidence.Quantiles) {
		f.wrong("confidence.generation", fmt.Sprintf("%s learns from the records that test the guarantee", g),
			"use exp or sum, which learn nothing, or leave the guarantee out")
	}
	c.Signals = checkSignals(f, c.Signals)
	return c
}

// checkAlike checks the signals that compare answers by their embeddings. Where the lexical embedder stands in for a
// model, they compare them as others do.
func checkAlike(s *Study, f *file) {
	if len(s.Confidence.Signals) < len(f.raw.Confidence.Signals) {
		return // some are mistakes, which are reported
	}
	for i := range s.Confidence.Signals {
		x, at := &s.Confidence.Signals[i], place.Element("confidence.signals", i)+".cosine"
		switch {
		case x.Cosine == 0:
		case s.wordingStandsIn():
			x.Cosine = 0
		case !s.Embedder.Measures():
			f.wrong(at, "the "+s.Embedder.Name()+" embedder counts shared n-grams, which is no measure of meaning",
				"leave it out, or name an embedder that is a model: [embedder] model = \"…\"")
		case !slices.ContainsFunc(s.Datasets, func(d Dataset) bool { return d.Task != task.Classification }):
			f.wrong(at, "every dataset is a classification, whose samples say the same where they name one class",
				"leave it out")
		}
	}
}

// Compares reports whether a signal compares answers to a dataset by their embeddings.
func (s *Study) Compares(d *Dataset) bool {
	return d.Task != task.Classification &&
		slices.ContainsFunc(s.Confidence.Signals, func(x Signal) bool { return x.Cosine > 0 })
}

func checkSignals(f *file, list []Signal) (out []Signal) {
	seen := map[string]int{}
	for i, s := range list {
		at := place.Element("confidence.signals", i)
		if s.Kind == "" {
			continue // reported
		}
		s.Name = cmp.Or(s.Name, string(s.Kind))
		if j, again := seen[s.Name]; again {
			f.wrong(at, fmt.Sprintf("the name %q is that of signals[%d]", s.Name, j), "give one of them another name")
			continue
		}
		seen[s.Name] = i
		out = append(out, s)
	}
	return out
}
