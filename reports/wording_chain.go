package reports

import (
	"fmt"
	"strings"

	"infnet/harness/result/note"
)

// ofChain words the caveats of a chain's row; "" = it is none of those.
func ofChain(c note.Caveat) string {
	switch c := c.(type) {
	case note.PairsOnly:
		return pairsOnlyWords(c)
	case note.Descent:
		text := "More than three models: the thresholds are the best that a descent from the chains of three found, "
		if !c.Feasible {
			return text + "and nothing is proved about them."
		}
		return text + fmt.Sprintf("at a cost of %.4g per query on the fit part, where no thresholds within the budget "+
			"cost less than %.4g.", c.Cost, c.Bound)
	case note.ChainInfeasible:
		return "No thresholds of the chain meet the budget on the fit part, so the rows say nothing about what a further " +
			"model is worth."
	case note.ChainAlone:
		return "On the fit part the chain meets the budget and no pair of its models does: it takes more than two."
	case note.SamePair:
		return fmt.Sprintf("Asking %s too does not pay: at this budget the chain does what the best pair alone does, %s "+
			"→ %s.",
			strings.Join(c.Models, " and "), c.Pair[0], c.Pair[1])
	case note.ExtraModel:
		return extraModelWords(c)
	}
	return ""
}

func pairsOnlyWords(c note.PairsOnly) string {
	var left []string
	if c.Classed {
		left = append(left, "thresholds per class")
	}
	if len(c.Compare) > 0 {
		left = append(left, "other ways to find a policy ("+strings.Join(c.Compare, ", ")+")")
	}
	if c.Guarantee {
		left = append(left, "the guarantee")
	}
	left = append(left, "cost–error curves and matched comparisons")
	return "One threshold for each model but the last. Of pairs alone, in tables of their own: " +
		strings.Join(left, "; ") + "."
}

func extraModelWords(c note.ExtraModel) string {
	verdict := "It is not clear whether asking %s too pays"
	switch c.Pays {
	case "yes":
		verdict = "Asking %s too pays"
	case "no":
		verdict = "Asking %s too does not pay"
	}
	return fmt.Sprintf(verdict, strings.Join(c.Models, " and ")) + fmt.Sprintf(
		": at the same budget the chain saves %.2f percentage points [%.2f, %.2f] more of the master's cost than the best "+
			"pair alone, %s → %s, with an error rate %.2f points [%.2f, %.2f] higher; negative numbers mean less and lower. "+
			"The pair was chosen on the fit part; the differences are of the test part, record by record.",
		c.Saved.Value, c.Saved.Low, c.Saved.High, c.Pair[0], c.Pair[1], 100*c.Error.Value, 100*c.Error.Low, 100*c.Error.High)
}
