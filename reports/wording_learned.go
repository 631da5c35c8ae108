package reports

import (
	"fmt"

	"infnet/harness/result/note"
)

// ofLearner words the caveats of baselines that learn; "" = it is none of
// those.
func ofLearner(c note.Caveat) string {
	switch c := c.(type) {
	case note.LearnedScore:
		return learnerWords(c.Learner) + scoreWords(c) + "; " + overheadWords(c.Learner)
	case note.LearnedRouter:
		return learnerWords(c.Learner) + routerWords(c) + "; " + overheadWords(c.Learner)
	case note.OneLabel:
		label := "never"
		if c.One {
			label = "always"
		}
		return fmt.Sprintf("All %d records of the fit part have one label (%s: %s): there was nothing to learn, every "+
			"score is %g, and the policy %s.",
			c.Records, c.Predicts, label, c.Score, allOrNone(c.Defers))
	case note.DropMissed:
		return fmt.Sprintf("No threshold keeps the drop of the mean %s within δ = %s on the fit part; this is the "+
			"nearest, with %.4g.", c.Quality, shortest(c.Delta), c.Drop)
	case note.Trivial:
		return fmt.Sprintf("On the fit part the best threshold does without the learner: the policy %s.", allOrNone(c.Defers))
	case note.LearnerReplaced:
		return fmt.Sprintf("Learned by %s in place of %s, the program that the study names: this row says nothing of the "+
			"program.", c.Model, c.For)
	case note.EmbedderUncounted:
		return fmt.Sprintf("The learner looks at embeddings by %q, whose own compute is not counted.", c.Embedder)
	case note.FitSeen:
		text := fmt.Sprintf("As in the authors' code one fit scores everything: it was trained on %d of the records of the "+
			"fit part that its threshold is fitted to", c.Records)
		if c.Held > 0 {
			text += fmt.Sprintf(", and stopped and calibrated by the other %d", c.Held)
		}
		return text + ". Scores of records that a fit saw are better than those of new records, so the threshold suits the " +
			"fit part better than the test part, of which the fit saw nothing."
	case note.Uncalibrated:
		were := "were"
		if c.Fits == 1 {
			were = "was"
		}
		return fmt.Sprintf("Of the %d fits that made the out-of-fold scores, %d %s not calibrated: on the records that "+
			"they held out a larger score did not go with more labels of 1, or nothing at all was learned.", c.Of, c.Fits, were)
	}
	return ""
}

func learnerWords(l note.Learner) string {
	scores := "out-of-fold scores of the fit part"
	if l.Released {
		scores = "scores of the fit part by the same fit"
	}
	return fmt.Sprintf("A learner (%s) reads the %s and estimates the probability that %s; the threshold is from %s. ",
		l.Name, l.Reads, l.Predicts, scores)
}

func scoreWords(c note.LearnedScore) string {
	text := fmt.Sprintf("The learner alone costs more than all that %s defers on the fit part, so it never asks the "+
		"master and is dearer all the same", c.Ours)
	if c.Affordable {
		text = fmt.Sprintf("It makes the fewest errors at no more than the cost of %s on the fit part", c.Ours)
	}
	text += ". Charged as a " + c.Charge
	if c.Sure {
		text += ". As in the authors' code the score is the larger of P(right) and P(wrong), so that a sure verdict of " +
			"\"wrong\" is accepted too"
	}
	return text
}

func routerWords(c note.LearnedRouter) string {
	drop := shortest(c.Delta)
	if c.Relative {
		drop += " of the master's"
	}
	text := fmt.Sprintf("It saves most with a mean %s at most %s below the master's (δ). Charged as a %s", c.Quality, drop,
		c.Charge)
	if c.Released {
		text += ", as the published rows are, though tuned as a router, with labels and δ as in the paper"
	}
	return text
}

// overheadWords say what a query pays for its score.
func overheadWords(l note.Learner) string {
	switch l.Overhead {
	case note.Operations:
		return fmt.Sprintf("every query also pays the learner's own operations, %.3g %s.", l.Cost, l.Unit)
	case note.Uncharged:
		return "the learner's own operations are not charged, since the summary of costs is no sum of operations."
	case note.Unpriced:
		return "what the learner itself costs is not known and charged as 0: cost.model = \"tflops\" counts it."
	}
	return ""
}

// allOrNone says what a threshold that divides nothing does.
func allOrNone(defers bool) string {
	if defers {
		return "always asks the master"
	}
	return "never asks the master"
}
