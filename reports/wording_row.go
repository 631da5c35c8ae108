package reports

import (
	"fmt"
	"strings"

	"infnet/harness/result/note"
)

// ofRow words the caveats of a row; "" = it is none of those.
func ofRow(c note.Caveat) string {
	switch c := c.(type) {
	case note.Ensemble:
		return ensembleWords(c)
	case note.OwnBudget:
		return fmt.Sprintf("Fitted to a budget of its own: target %s allows thresholds of this form %s errors on the "+
			"fit part.", c.Target, c.Errors)
	case note.NeverPredicted:
		return fmt.Sprintf("The student never predicts these classes on the fit part, so their queries are always "+
			"deferred: %s.", strings.Join(c.Classes, ", "))
	case note.NotMonotone:
		return fmt.Sprintf("The estimated excess error rises somewhere with the confidence (%s); the global minimiser was "+
			"taken, not the first crossing.", strings.Join(c.Classes, ", "))
	case note.NoSpread:
		return fmt.Sprintf("All confidences are equal or nearly so (%s): a narrow kernel stands in for the density.",
			strings.Join(c.Classes, ", "))
	case note.Oracle:
		if c.Chain {
			return "Knows every error before it decides, and takes the first model that makes the least: the headroom, not a " +
				"policy. Charged as a router."
		}
		return "Knows every error before it decides: the headroom, not a policy. Charged as a router."
	case note.Coins:
		return randomWords(c)
	case note.Certified:
		return certifiedWords(c)
	case note.Uncertified:
		return fmt.Sprintf("Nothing is promised: on the %s that test no candidate passed; these are the thresholds of "+
			"least error on the %d that propose.", c.Tested, c.Proposed)
	case note.Mixture:
		return fmt.Sprintf("An expectation: each query follows the stricter of two neighbouring policies with "+
			"probability %.4f. On the fit part %s.",
			c.Alpha, gainWords(fmt.Sprintf("%.1f", c.Deferred), c.ByCost, fmt.Sprintf("defers %d", c.Exact),
				"best deterministic policy"))
	case note.FreeForm:
		return fmt.Sprintf("No threshold form: accepts where the estimated excess error is at most %.4f. Out of fold on "+
			"the fit part %s. No thresholds, so no file in the folder of policies either.",
			c.Level, gainWords(fmt.Sprint(c.Deferred), c.ByCost, fmt.Sprintf("defer %d", c.Exact), "best thresholds"))
	}
	return ""
}

func ensembleWords(c note.Ensemble) string {
	text := "Every model answers every query and is paid for."
	if c.Models == 2 {
		return text + " Two models that disagree are a tie, which the surer one wins (equally sure: the master), so that " +
			"both rules decide alike."
	}
	return text + " A tie goes to the surest model of the tied classes (equally sure: the later)."
}

func randomWords(c note.Coins) string {
	exact := "The exact expectation"
	if len(c.Averaged) > 0 {
		exact += fmt.Sprintf(" (%s: the mean of %d draws)", strings.Join(c.Averaged, ", "), c.Draws)
	}
	stages := ""
	if c.Chain {
		stages = " at every stage"
	}
	text := fmt.Sprintf("%s of deferring with probability %s%s. %d single draws gave a mean %s of %.4f, %.0f %% of them "+
		"between %.4f and %.4f.",
		exact, shortest(c.P), stages, c.Draws, c.Metric, c.Mean, 100*c.Level, c.Low, c.High)
	if c.Rival == nil {
		return text
	}
	return text + fmt.Sprintf(" Worth it? No: %s costs %s less and errs %s.", asking(*c.Rival),
		shareWords(negative(c.Rival.Saved)), atMost(c.Rival.Margin))
}

func certifiedWords(c note.Certified) string {
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
	return fmt.Sprintf("Certified (%s): %s, %s. %d records proposed, %s tested; split %.12s.", c.Method, what, how,
		c.Proposed, c.Tested, c.Split)
}

// gainWords set a row next to the exact policy on the fit part: what is
// deferred, or what that costs.
func gainWords(deferred string, c note.ByCost, exactly string, policy string) string {
	if c.Minimised {
		return fmt.Sprintf("its deferrals cost %.4g %s where those of the %s cost %.4g", c.Cost, c.Unit, policy, c.ExactCost)
	}
	return fmt.Sprintf("it defers %s records where the %s %s", deferred, policy, exactly)
}
