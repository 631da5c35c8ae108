package note

import (
	"fmt"
	"strings"

	"infnet/metrics/infer"
)

// Caveats of a row.

// Ensemble: so many models answer every query, with texts or classes.
func Ensemble(models int, texts bool) Note {
	tie := "A tie goes to the surest model of the tied classes (equally sure: the later)."
	if models == 2 {
		tie = "Two models that disagree are a tie, which the surer one wins (equally sure: the master), so that both " +
			"rules decide alike."
	}
	if texts {
		tie = strings.ReplaceAll(tie, "classes", "answers") + " Answers are the same by the first rule of the dataset that " +
			"reads both alike, else by exact match."
	}
	return say("ensemble", "Every model answers every query and is paid for. %s", tie)
}

// OwnBudget: the row was fitted to another budget than the single threshold: its target, and the errors that it allows
// on the fit part, exact.
func OwnBudget(target, errors string) Note {
	return say("budget", "Fitted to a budget of its own: target %s allows thresholds of this form %s errors on the fit "+
		"part.", target, errors)
}

// NeverPredicted: classes that the student never predicts on the fit part.
func NeverPredicted(classes []string) Note {
	return say("never-predicted", "The student never predicts these classes on the fit part, so their queries are "+
		"always deferred: %s.", strings.Join(classes, ", "))
}

// NotMonotone: classes whose estimated excess error rises somewhere with the confidence.
func NotMonotone(classes []string) Note {
	return say("not-monotone", "The estimated excess error rises somewhere with the confidence (%s); the global "+
		"minimiser was taken, not the first crossing.", strings.Join(classes, ", "))
}

// NoSpread: classes whose confidences are all equal, or nearly so.
func NoSpread(classes []string) Note {
	return say("no-spread", "All confidences are equal or nearly so (%s): a narrow kernel stands in for the density.",
		strings.Join(classes, ", "))
}

// Oracle: the row decides by the errors themselves.
func Oracle(chain bool) Note {
	takes := ""
	if chain {
		takes = ", and takes the first model that makes the least"
	}
	return say("oracle", "Knows every error before it decides%s: the headroom, not a policy. Charged as a router.", takes)
}

// Coins: the row is an expectation over coins.
type Coins struct {
	P               float64  // probability to defer
	Chain           bool     // a coin at every stage
	Averaged        []string // titles of the metrics whose value is a mean over the draws
	Draws           int
	Metric          string  // the first metric's title; below it in single draws:
	Mean, Low, High float64 // as rates
	Level           float64 // share of the draws between Low and High
	Rival           *Rival  // what is cheaper without a cascade and errs no more; nil = nothing
}

// Note is the caveat.
func (c Coins) Note() Note {
	exact := "The exact expectation"
	if len(c.Averaged) > 0 {
		exact += fmt.Sprintf(" (%s: the mean of %d draws)", strings.Join(c.Averaged, ", "), c.Draws)
	}
	stages := ""
	if c.Chain {
		stages = " at every stage"
	}
	n := say("random", "%s of deferring with probability %s%s. %d single draws gave a mean %s of %.4f, %.0f %% of them "+
		"between %.4f and %.4f.",
		exact, shortest(c.P), stages, c.Draws, c.Metric, c.Mean, 100*c.Level, c.Low, c.High)
	if c.Rival != nil {
		n.Text += fmt.Sprintf(" Worth it? No: %s costs %s less and errs %s.", c.Rival.asking(),
			ShareOfCost(Negative(c.Rival.Saved)), AtMost(c.Rival.Margin))
	}
	return n
}

// Guarantee is what was tested of a promise.
type Guarantee struct {
	Method    string
	Level     float64 // error per record, or its excess over the reference's
	Reference string  // the model whose error it is relative to; "" = none
	Delta     float64 // probability that it is broken; 0 = it holds on average
	Proposed  int     // records that propose thresholds
	Tested    string  // records that test them, in words
	Split     string  // hash
	Largest   int     // most records of a group that the promise is about; 0 = every record is alone
}

// Certified: the promise holds.
func (c Guarantee) Certified() Note {
	of := ""
	if c.Largest > 0 {
		of = fmt.Sprintf(", in groups of at most %d,", c.Largest)
	}
	what := fmt.Sprintf("the error of records drawn like the fit part%s is at most %.4g", of, c.Level)
	if c.Reference != "" {
		what += fmt.Sprintf(" above that of the %s alone", c.Reference)
	}
	how := "on average over fit parts"
	if c.Delta > 0 {
		how = fmt.Sprintf("with probability %.4g", 1-c.Delta)
	}
	return say("certified", "Certified (%s): %s, %s. %d records proposed, %s tested; split %.12s. Of records "+
		"drawn otherwise, from other data or at another time, it says nothing.", c.Method, what, how,
		c.Proposed, c.Tested, c.Split)
}

// Uncertified: no candidate passed.
func (c Guarantee) Uncertified() Note {
	return say("uncertified", "Nothing is promised: on the %s that test no candidate passed; these are the thresholds "+
		"of least error on the %d that propose.", c.Tested, c.Proposed)
}

// ByCost is what deferrals cost where policies minimise that.
type ByCost struct {
	Minimised       bool
	Cost, ExactCost float64 // of the row, and of the exact policy that it is next to
	Unit            string
}

// beside sets a row next to the exact policy on the fit part: what is deferred, or what that costs.
func (c ByCost) beside(deferred, exactly, policy string) string {
	if c.Minimised {
		return fmt.Sprintf("its deferrals cost %.4g %s where those of the %s cost %.4g", c.Cost, c.Unit, policy, c.ExactCost)
	}
	return fmt.Sprintf("it defers %s records where the %s %s", deferred, policy, exactly)
}

// Mixture: a coin between two policies, alpha the probability of the stricter one, and the deterministic one next to
// it: the records of the fit part that are deferred, expected, and by the best deterministic policy.
func Mixture(alpha, deferred float64, exact int, c ByCost) Note {
	return say("randomised", "An expectation: each query follows the stricter of two neighbouring policies with "+
		"probability %.4f. On the fit part %s.",
		alpha, c.beside(fmt.Sprintf("%.1f", deferred), fmt.Sprintf("defers %d", exact), "best deterministic policy"))
}

// FreeForm: a policy without threshold form, which accepts up to a level of the estimated excess error, and the best
// thresholds.
func FreeForm(level float64, deferred, exact int, c ByCost) Note {
	return say("generalised", "No threshold form: accepts where the estimated excess error is at most %.4f. Out of fold "+
		"on the fit part %s. No thresholds, so no file in the folder of policies either.",
		level, c.beside(fmt.Sprint(deferred), fmt.Sprintf("defer %d", exact), "best thresholds"))
}

// PairsOnly: what the study asks for that chains do not have: thresholds per class, other ways to find a policy, a
// guarantee.
func PairsOnly(classed bool, compare []string, guarantee bool) Note {
	var left []string
	if classed {
		left = append(left, "thresholds per class")
	}
	if len(compare) > 0 {
		left = append(left, "other ways to find a policy ("+strings.Join(compare, ", ")+")")
	}
	if guarantee {
		left = append(left, "the guarantee")
	}
	if left == nil {
		return say("pairs-only", "One threshold for each model but the last.")
	}
	return say("pairs-only", "One threshold for each model but the last. Of pairs alone, in tables of their own: %s.",
		strings.Join(left, "; "))
}

// Descent: thresholds of more than three models, found by descent. Costs are per query on the fit part, in the
// cascade's unit; no thresholds within the budget cost less than bound.
func Descent(feasible bool, cost, bound float64) Note {
	proved := "and nothing is proved about them."
	if feasible {
		proved = fmt.Sprintf("at a cost of %.4g per query on the fit part, where no thresholds within the budget cost "+
			"less than %.4g.", cost, bound)
	}
	return say("descent", "More than three models: the thresholds are the best that a descent from the chains of three "+
		"found, %s", proved)
}

// ChainInfeasible: no thresholds of the chain meet the budget.
func ChainInfeasible() Note {
	return say("extra-model", "No thresholds of the chain meet the budget on the fit part, so the rows say nothing "+
		"about what a further model is worth.")
}

// ChainAlone: the chain meets the budget and no pair does.
func ChainAlone() Note {
	return say("extra-model", "On the fit part the chain meets the budget and no pair of its models does: it takes more "+
		"than two.")
}

// SpareUnused: the chain asks none of these models on the test part.
func SpareUnused(models []string) Note {
	return say("extra-model", "Whether asking %s too pays is not compared: the chain does so on no test record.",
		strings.Join(models, " and "))
}

// SamePair: the chain does what its best pair does, without the models.
func SamePair(models []string, pair [2]string) Note {
	return say("extra-model", "Asking %s too does not pay: at this budget the chain does what the best pair alone does, "+
		"%s → %s.", strings.Join(models, " and "), pair[0], pair[1])
}

// ExtraModel: what a chain saves beyond its best pair, which does without the models; whether that pays is "yes", "no"
// or unclear. saved is of the chain minus the pair, in percent of the master's cost, err a difference of rates.
func ExtraModel(models []string, pair [2]string, pays string, saved, err infer.Interval) Note {
	verdict := "It is not clear whether asking %s too pays"
	switch pays {
	case "yes":
		verdict = "Asking %s too pays"
	case "no":
		verdict = "Asking %s too does not pay"
	}
	return say("extra-model", verdict+
		": at the same budget the chain saves %.2f percentage points [%.2f, %.2f] more of the master's cost than the best "+
		"pair alone, %s → %s, with an error rate %.2f points [%.2f, %.2f] higher; negative numbers mean less and lower. "+
		"The pair was chosen on the fit part; the differences are of the test part, record by record.",
		strings.Join(models, " and "), saved.Value, saved.Low, saved.High, pair[0], pair[1], 100*err.Value, 100*err.Low,
		100*err.High)
}
