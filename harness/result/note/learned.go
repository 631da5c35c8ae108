package note

import (
	"fmt"
	"math"
)

// Learner is what a learner reads and predicts, and what asking it costs.
type Learner struct {
	Name, Reads, Estimates string
	Released               bool   // one fit, as the authors' code: it saw the records that it scores
	Charge                 string // "cascade" or "router"
	Overhead               Overhead
	Cost                   float64 // of one score, in Unit
	Unit                   string
}

// Overhead says how the learner's own work is charged.
type Overhead string

// The ways.
const (
	Operations Overhead = "operations" // its own, added to the query's
	Uncharged  Overhead = "uncharged"  // the summary of costs is no sum of operations
	Unpriced   Overhead = "unpriced"   // the spec states no cost: 0
)

// describe puts what a threshold does between what the learner is and what it costs.
func (l Learner) describe(threshold string) Note {
	scores := "out-of-fold scores of the fit part"
	if l.Released {
		scores = "scores of the fit part by the same fit"
	}
	pays := map[Overhead]string{
		Operations: fmt.Sprintf("every query also pays the learner's own operations, %.3g %s.", l.Cost, l.Unit),
		Uncharged:  "the learner's own operations are not charged, since the summary of costs is no sum of operations.",
		Unpriced:   "what the learner itself costs is not known and charged as 0: cost.model = \"tflops\" counts it.",
	}
	return say("learned", "A learner (%s) reads the %s and estimates %s; the threshold is from %s. "+
		"%s; %s", l.Name, l.Reads, l.Estimates, scores, threshold, pays[l.Overhead])
}

// Score: the learner estimates whether the student's answer is right. ours is the title of the row whose cost it may
// spend; affordable: its scores alone cost no more than what ours defers; sure: the larger of P(right) and P(wrong) is
// compared with the threshold.
func (l Learner) Score(ours string, affordable, sure bool) Note {
	text := fmt.Sprintf("The learner alone costs more than all that %s defers on the fit part, so it never asks the "+
		"master and is dearer all the same", ours)
	if affordable {
		text = fmt.Sprintf("It makes the fewest errors at no more than the cost of %s on the fit part", ours)
	}
	text += ". Charged as a " + l.Charge
	if sure {
		text += ". As in the authors' code the score is the larger of P(right) and P(wrong), so that a sure verdict of " +
			"\"wrong\" is accepted too"
	}
	return l.describe(text)
}

// Modelled: no error was counted to find the threshold; a model of both models' confidences expects it to err least.
func (l Learner) Modelled(ours string, expected, counted, deferred, counts float64) Note {
	tenth := func(x float64) float64 { return math.Round(10*x) / 10 }
	return l.describe(fmt.Sprintf("A joint distribution of both models' confidences expects it to err least at no more "+
		"than the cost of %s: %v errors and %v deferrals on the fit part, where there are %v and %v. Charged as a %s",
		ours, tenth(expected), tenth(deferred), tenth(counted), counts, l.Charge))
}

// NoSecond: a baseline that needs a confidence of the master.
func NoSecond(title, master string) Note {
	return say("untrained", "There is no row of %s: it needs a confidence of %s, and not every answer has one.", title,
		master)
}

// Router: the learner estimates whether the student's answer is as good as the master's. delta is the allowed drop of
// the mean quality, relative: as a share of the master's.
func (l Learner) Router(quality string, delta float64, relative bool) Note {
	drop := shortest(delta)
	if relative {
		drop += " of the master's"
	}
	text := fmt.Sprintf("It saves most with a mean %s at most %s below the master's (δ). Charged as a %s", quality, drop,
		l.Charge)
	if l.Released {
		text += ", as the published rows are, though tuned as a router, with labels and δ as in the paper"
	}
	return l.describe(text)
}

// OneLabel: all labels of the fit part are equal, so every record has the same score, and the policy defers everything
// or nothing.
func OneLabel(records int, predicts string, one bool, score float64, defers bool) Note {
	label := "never"
	if one {
		label = "always"
	}
	return say("one-label", "All %d records of the fit part have one label (%s: %s): there was nothing to learn, every "+
		"score is %g, and the policy %s.", records, predicts, label, score, allOrNone(defers))
}

// DropMissed: no threshold keeps the drop of the mean quality within δ; drop is of the one next to it.
func DropMissed(quality string, delta, drop float64) Note {
	return say("delta", "No threshold keeps the drop of the mean %s within δ = %s on the fit part; this is the nearest, "+
		"with %.4g.", quality, shortest(delta), drop)
}

// Trivial: the best threshold defers everything or nothing.
func Trivial(defers bool) Note {
	return say("trivial", "On the fit part the best threshold does without the learner: the policy %s.", allOrNone(defers))
}

// LearnerReplaced: another learner than the program that the study names.
func LearnerReplaced(model, instead string) Note {
	return say("stand-in-learner", "Learned by %s in place of %s, the program that the study names: this row says "+
		"nothing of the program.", model, instead)
}

// EmbedderUncounted: the learner looks at embeddings, which are not charged.
func EmbedderUncounted(embedder string) Note {
	return say("learner", "The learner looks at embeddings by %q, whose own compute is not counted.", embedder)
}

// FitSeen: the one fit trained on most of the records that its threshold is fitted to, and stopped and was calibrated
// by the rest.
func FitSeen(records, held int) Note {
	by := ""
	if held > 0 {
		by = fmt.Sprintf(", and stopped and calibrated by the other %d", held)
	}
	return say("fit-seen", "As in the authors' code one fit scores everything: it was trained on %d of the records of "+
		"the fit part that its threshold is fitted to%s. Scores of records that a fit saw are better than those of new "+
		"records, so the threshold suits the fit part better than the test part, of which the fit saw "+
		"nothing.", records, by)
}

// Uncalibrated: fits of the cross-fit that could not be calibrated.
func Uncalibrated(fits, of int) Note {
	were := "were"
	if fits == 1 {
		were = "was"
	}
	n := say("learner", "Of the %d fits that made the out-of-fold scores, %d %s not calibrated: on the records that "+
		"they held out a larger score did not go with more labels of 1, or nothing at all was learned.", of, fits, were)
	n.Line = "Not all fits of the learner were calibrated."
	return n
}

// allOrNone says what a threshold that divides nothing does.
func allOrNone(defers bool) string {
	if defers {
		return "always asks the master"
	}
	return "never asks the master"
}
