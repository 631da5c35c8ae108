package reports

import (
	"fmt"
	"strings"

	"infnet/harness/choice"
	"infnet/harness/result/note"
)

// ofDataset words the caveats of a whole table; "" = it is none of those.
func ofDataset(c note.Caveat) string {
	switch c := c.(type) {
	case note.NoEnsembles:
		return fmt.Sprintf("No ensembles: they vote on classes, and this is a task of %s.", c.Task)
	case note.Copies:
		return fmt.Sprintf("Left out before the split: %d rows of the source whose text an earlier row has too (dedupe = "+
			"\"first\").", c.Rows)
	case note.PartialSource:
		return "The hub exports only the beginning of this split: rows behind it are not seen, and a sample is one of the " +
			"beginning."
	case note.Untrained:
		return fmt.Sprintf("No row of %s: the fit part has %d records or groups of records, fewer than the %d folds that "+
			"its threshold takes.",
			c.Baseline, c.Units, c.Folds)
	case note.NoCurve:
		return fmt.Sprintf("No cost–error curve and no matched comparison of %s: not asking the master saves nothing.",
			strings.Join(c.Policies, ", "))
	case note.Padding:
		return fmt.Sprintf("Costs are of padded batches of %d: each query is computed as long as the longest of its "+
			"batch, and their work is shared by tokens.", c.Batch)
	case note.NearZero:
		return fmt.Sprintf("These models cannot do this task: right are %s. There is next to nothing for a policy to "+
			"choose between, and the rows say nothing of policies.",
			rightWords(c.Right))
	case note.Chance:
		return fmt.Sprintf("These models are no better than chance here: right are %s, and always naming the most "+
			"frequent class of the fit part is right on %.4g.",
			rightWords(c.Right), c.Majority)
	case note.TwoModels:
		return choice.And(c.Baselines) +
			" decide between two models: their rows are in the tables of the pairs that this chain contains."
	case note.EmbedderReplaced:
		return fmt.Sprintf("Texts are embedded by %s in place of %s, the embedder that the study names: what rests on "+
			"embeddings says nothing of %s.", c.Model, c.For, c.For)
	case note.ScorerReplaced:
		return fmt.Sprintf("Answers are scored by %s in place of %s, the scorer that the study names: what rests on "+
			"scores says nothing of %s.", c.Model, c.For, c.For)
	case note.ScorerLeftOut:
		return fmt.Sprintf("No answer is scored in place of %s, the scorer that the study names: what rests on qualities "+
			"says nothing of %s.", c.For, c.For)
	case note.DerivedStats:
		return "Output statistics that are functions of β by the way they are made are left out."
	case note.Drift:
		return driftWords(c)
	case note.Form:
		return formWords(c)
	case note.TooFewPermutations:
		return permutationWords(c.Permutations, c.Alpha)
	case note.Embeddings:
		return embeddingWords(c)
	}
	return ofResponders(c)
}

// ofResponders words what is not certain of who answered.
func ofResponders(c note.Caveat) string {
	switch c := c.(type) {
	case note.Responders:
		return "Answered under more than one name: " +
			listWords(c.Models, "; ", func(x note.Names) string {
				return x.Model + " by " + listWords(x.Names, ", ",
					func(n note.Counted) string { return fmt.Sprintf("%s: %d", n.Name, n.Count) })
			}) + "."
	case note.Unconfirmed:
		return "Not confirmed which model answers: " +
			listWords(c.Models, "; ", func(x note.Doubtful) string { return x.Model + ", as " + x.Why }) + "."
	case note.Hidden:
		return "Log-probabilities are hidden (0 for what was said, nothing of the rest), so that the confidence is 1 and " +
			"orders nothing: " + listWords(c.Models, "; ", func(x note.Share) string {
			return fmt.Sprintf("%d of %d answers of %s", x.Count, x.Of, x.Model)
		}) + "."
	case note.BatchPrices:
		return batchPriceWords(c)
	}
	return ""
}

// batchPriceWords say what answers from batch files cost.
func batchPriceWords(c note.BatchPrices) string {
	head := "Costs are list prices, also of answers from batch files (cost.batch counts discounts): "
	if c.Counted {
		head = "Answers from batch files cost less by the discount of their provider, all others the list price: "
	}
	return head + listWords(c.Models, "; ", func(x note.BatchPrice) string {
		off := "no discount is stated"
		if x.Discount > 0 {
			off = fmt.Sprintf("%.4g %% off", 100*x.Discount)
		}
		return fmt.Sprintf("%s %d of %d (%s)", x.Model, x.Batched, x.Of, off)
	}) + "."
}

// rightWords say on how many test records each model is right.
func rightWords(r note.Right) string {
	var parts []string
	for i, model := range r.Models {
		parts = append(parts, fmt.Sprintf("%s on %.4g", model, r.Right[i]))
	}
	return fmt.Sprintf("%s of %d test records", strings.Join(parts, ", "), r.Records)
}

func embeddingWords(c note.Embeddings) string {
	sees := ""
	if c.Lexical {
		sees = ", which hashes words and characters: it sees wording, not meaning"
	}
	return fmt.Sprintf("Embeddings are those of the prompt's fields by the embedder %s%s.", c.Embedder, sees)
}

func driftWords(c note.Drift) string {
	help := "order \"shuffle\" makes them alike"
	if c.Column != "" {
		help = fmt.Sprintf("the parts are those of the column %q, and nothing says that they were drawn from one source",
			c.Column)
	} else if !c.InFile {
		help = fmt.Sprintf("the split is shuffled, and so by chance about 1 such test in %.0f warns, more where records "+
			"come in groups: look at repeats of the split", 1/c.Level)
	}
	if c.Models > 0 {
		c.What = fmt.Sprintf("%s (%.1f %% and %.1f %%)", c.What, c.Rates[0], c.Rates[1])
		c.By = fmt.Sprintf("%s, adjusted for %s", c.By, plural(c.Models, "model"))
	}
	return fmt.Sprintf("%s differs between the fit part (%d records) and the test part (%d): p = %.2g (%s); what is "+
		"fitted on the one may not hold on the other (%s)", c.What, c.Fit, c.Test, c.P, c.By, help)
}

// formWords answer in plain words whether the threshold form loses anything.
func formWords(c note.Form) string {
	var text string
	switch {
	case c.Classes == 0:
		text = "No records: nothing can be said about the threshold form."
	case len(c.Rising) == 0 && c.Classes == 1:
		text = fmt.Sprintf("No sign that the threshold form loses anything: the student's excess error does not rise with "+
			"its confidence beyond chance (p = %.3g).", c.Least)
	case len(c.Rising) == 0:
		text = fmt.Sprintf("No sign that the threshold form loses anything: in none of %d classes does the student's excess "+
			"error rise with its confidence beyond chance (smallest adjusted p = %.3g).", c.Classes, c.Least)
	case c.Classes == 1:
		text = fmt.Sprintf("The threshold form may lose: the student's excess error rises with its confidence somewhere "+
			"(p = %.3g), so some surer answers deserve deferral before less sure ones.", c.Least)
	default:
		text = fmt.Sprintf("The threshold form may lose: in %d of %d classes the student's excess error rises with its "+
			"confidence somewhere, so some surer answers deserve deferral before less sure ones: %s.", len(c.Rising), c.Classes,
			listWords(c.Rising, ", ", func(x note.RisingClass) string {
				return fmt.Sprintf("%s (adjusted p = %.3g)", x.Class, x.P)
			}))
	}
	if c.Price == nil {
		return text
	}
	if !c.Price.Met {
		return text + " Its price could not be measured: the budget was not met both with and without it."
	}
	text += fmt.Sprintf(" The best thresholds for these records defer %.1f %% of the queries, accepting by estimated "+
		"excess "+
		"error (out of fold) %.1f %%: ", c.Price.With, c.Price.Without)
	if c.Price.Loss > 0 {
		return text + fmt.Sprintf("the form costs %.1f points at least.", c.Price.Loss)
	}
	return text + "giving up the form gains nothing that these records can show."
}
