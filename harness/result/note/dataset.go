package note

import (
	"fmt"
	"strings"

	"infnet/harness/choice"
	"infnet/metrics/infer"
	"infnet/sufficiency/permute"
)

// Caveats of a whole table.

// Copies: rows of the source left out before the split, since an earlier row has their text.
func Copies(rows int) Note {
	return say("copies", "Left out before the split: %d rows of the source whose text an earlier row has too (dedupe = "+
		"\"first\").", rows)
}

// Shown: records that every prompt shows as examples, drawn or (0) listed, and all that are left out with them.
func Shown(examples, out int) Note {
	if examples == 0 {
		return say("shown", "Every prompt shows examples that are also records of this dataset. These, and all records of "+
			"their groups or with their texts, %d in all, were left out before the split: no model was asked about them.", out)
	}
	return say("shown", "Every prompt shows %d records drawn from the fit part. They, and all records of their groups or "+
		"with their texts, %d in all, were left out before the split: no model was asked about them.", examples, out)
}

// PartialSource: the hub exports only the beginning of the split.
func PartialSource() Note {
	return say("source", "The hub exports only the beginning of this split: rows behind it are not seen, and a sample "+
		"is one of the beginning.")
}

// Untrained: a baseline that learns has no row, since the fit part has fewer units (groups, and records without one)
// than folds.
func Untrained(baseline string, units, folds int) Note {
	return say("untrained", "No row of %s: the fit part has %d records or groups of records, fewer than the %d folds "+
		"that its threshold takes.", baseline, units, folds)
}

// NoCurve: policies, by title, that have no curve, since the student costs as much as the master.
func NoCurve(policies []string) Note {
	return say("no-curve", "No cost–error curve and no matched comparison of %s: not asking the master saves nothing.",
		strings.Join(policies, ", "))
}

// Padding: costs are those of padded batches of so many queries.
func Padding(batch int) Note {
	return say("padding", "Costs are of padded batches of %d: each query is computed as long as the longest of its "+
		"batch, and their work is shared by tokens.", batch)
}

// Samples: a model whose n samples vote, and how often, over the test records, one of them is right, and any of all.
func Samples(model string, n, records int, one, all infer.Interval) Note {
	return say("samples", "%s answers %d times and its answers vote: pass@1 %s, pass@%d %s of %d test records. Its cost "+
		"is that of all answers, and its confidence a multiple of 1/%d.", model, n, share(one), n, share(all), records, n)
}

// Vendor: β of a decision model is what its server calls its confidence; statistic is what that is, "" = not known.
func Vendor(model, statistic string) Note {
	if statistic == "" {
		statistic = "a statistic of its own, which its probabilities do not tell"
	}
	return say("vendor", "The confidence of %s is what its server reports: %s.", model, statistic)
}

// share is a share of records with its interval, in percent.
func share(iv infer.Interval) string {
	return fmt.Sprintf("%.1f %% [%.1f, %.1f]", 100*iv.Value, 100*iv.Low, 100*iv.High)
}

// Right says on how many test records each model is right.
type Right struct {
	Models  []string
	Right   []float64 // by model; no whole number where errors are soft
	Records int       // of the test part
}

func (r Right) String() string {
	var parts []string
	for i, model := range r.Models {
		parts = append(parts, fmt.Sprintf("%s on %.4g", model, r.Right[i]))
	}
	return fmt.Sprintf("%s of %d test records", strings.Join(parts, ", "), r.Records)
}

// NearZero: hardly any model is ever right.
func NearZero(r Right) Note {
	return say("near-zero", "These models cannot do this task: right are %s. There is next to nothing for a policy to "+
		"choose between, and the rows say nothing of policies.", r)
}

// Chance: no model is right more often than the most frequent class of the fit part, which so many test records have.
func Chance(r Right, majority float64) Note {
	return say("chance", "These models are no better than chance here: right are %s, and always naming the most "+
		"frequent class of the fit part is right on %.4g.", r, majority)
}

// Counted is a name and how often it was counted.
type Counted struct {
	Name  string
	Count int
}

// Names are the names under which a model answered.
type Names struct {
	Model string
	Names []Counted
}

// Responders: models that answered under more than one name.
func Responders(models []Names) Note {
	return say("responders", "Answered under more than one name: %s.", each(models, "; ", func(x Names) string {
		return x.Model + " by " + each(x.Names, ", ",
			func(n Counted) string { return fmt.Sprintf("%s: %d", n.Name, n.Count) })
	}))
}

// Doubtful is a model and why it is not certain who answers.
type Doubtful struct{ Model, Why string }

// Unconfirmed: models of which it is not certain who answers.
func Unconfirmed(models []Doubtful) Note {
	return say("unconfirmed", "Not confirmed which model answers: %s.",
		each(models, "; ", func(x Doubtful) string { return x.Model + ", as " + x.Why }))
}

// Share is how many of a model's answers something is true of.
type Share struct {
	Model     string
	Count, Of int
}

// Hidden: models whose answers say nothing of probabilities but 1 for what was said.
func Hidden(models []Share) Note {
	return say("hidden", "Log-probabilities are hidden (0 for what was said, nothing of the rest), so that the "+
		"confidence is 1 and orders nothing: %s.", each(models, "; ", func(x Share) string {
		return fmt.Sprintf("%d of %d answers of %s", x.Count, x.Of, x.Model)
	}))
}

// BatchPrice says how many of a model's answers came in batch files, and the share taken off their price; 0 = none is
// stated.
type BatchPrice struct {
	Model       string
	Batched, Of int
	Discount    float64
}

// BatchPrices: models whose prices are lower for answers from batch files, or that have such answers. counted: the
// study counts the discount.
func BatchPrices(counted bool, models []BatchPrice) Note {
	head := "Costs are list prices, also of answers from batch files (cost.batch counts discounts): "
	if counted {
		head = "Answers from batch files cost less by the discount of their provider, all others the list price: "
	}
	return say("batch-prices", "%s.", head+each(models, "; ", func(x BatchPrice) string {
		off := "no discount is stated"
		if x.Discount > 0 {
			off = fmt.Sprintf("%.4g %% off", 100*x.Discount)
		}
		return fmt.Sprintf("%s %d of %d (%s)", x.Model, x.Batched, x.Of, off)
	}))
}

// TwoModels: baselines, by title, that have no rows in a chain's table.
func TwoModels(baselines []string) Note {
	return say("two-models", "%s decide between two models: their rows are in the tables of the pairs that this chain "+
		"contains.", choice.And(baselines))
}

// EmbedderReplaced: another embedder than the study's.
func EmbedderReplaced(model, instead string) Note {
	return say("stand-in-embedder", "Texts are embedded by %s in place of %s, the embedder that the study names: what "+
		"rests on embeddings says nothing of %s.", model, instead, instead)
}

// ScorerReplaced: another scorer than the study's.
func ScorerReplaced(model, instead string) Note {
	return say("stand-in-scorer", "Answers are scored by %s in place of %s, the scorer that the study names: what rests "+
		"on scores says nothing of %s.", model, instead, instead)
}

// ScorerLeftOut: answers are not scored, though the study names a scorer.
func ScorerLeftOut(instead string) Note {
	return say("stand-in-scorer", "No answer is scored in place of %s, the scorer that the study names: what rests on "+
		"qualities says nothing of %s.", instead, instead)
}

// DerivedStats: output statistics that are functions of β are left out of J.
func DerivedStats() Note {
	return say("output-stats", "Output statistics that are functions of β by the way they are made are left out.")
}

// Embeddings: whose embeddings J has; lexical is the built-in embedder of hashed n-grams.
func Embeddings(embedder string, lexical bool) Note {
	sees := ""
	if lexical {
		sees = ", which hashes words and characters: it sees wording, not meaning"
	}
	return say("embeddings", "Embeddings are those of the prompt's fields by the embedder %s%s.", embedder, sees)
}

// TooFewPermutations: so many permutations cannot give a p-value of alpha.
func TooFewPermutations(n int, alpha float64) Note {
	return say("permutations", "%d permutations cannot give a p-value below %.4g, so α = %g is never reached; at least "+
		"%d are needed", n, permute.Smallest(n), alpha, permute.Needed(n, alpha))
}

// Drift: fit and test part do not look like draws from one source.
type Drift struct {
	What      string // differs
	Fit, Test int    // records
	P         float64
	By        string     // the test
	Level     float64    // share of such tests that warn by chance
	InFile    bool       // the split keeps the file's order
	Column    string     // that says which part a record is in; "" = none does
	Models    int        // whose errors are compared, and that P is adjusted for; 0 = it is not about errors
	Rates     [2]float64 // of errors in the fit and the test part, in percent
}

func (c Drift) String() string {
	help := "order \"shuffle\" makes them alike"
	if c.Column != "" {
		help = fmt.Sprintf("the parts are those of the column %q, and nothing says that they were drawn from one source",
			c.Column)
	} else if !c.InFile {
		help = fmt.Sprintf("the split is shuffled, and so by chance about 1 such test in %.0f warns, more where records "+
			"come in groups: look at repeats of the split", 1/c.Level)
	}
	if c.Models > 0 {
		models := "models"
		if c.Models == 1 {
			models = "model"
		}
		c.What = fmt.Sprintf("%s (%.1f %% and %.1f %%)", c.What, c.Rates[0], c.Rates[1])
		c.By = fmt.Sprintf("%s, adjusted for %d %s", c.By, c.Models, models)
	}
	return fmt.Sprintf("%s differs between the fit part (%d records) and the test part (%d): p = %.2g (%s); what is "+
		"fitted on the one may not hold on the other (%s)", c.What, c.Fit, c.Test, c.P, c.By, help)
}

// Form is whether the threshold form loses anything, in plain words.
type Form struct {
	Classes int
	Least   float64 // smallest adjusted p-value
	Rising  []RisingClass
	Price   *FormPrice // nil = not measured
}

// RisingClass is a class whose excess error rises with the confidence.
type RisingClass struct {
	Class string
	P     float64 // adjusted
}

// FormPrice is what is deferred with and without thresholds, in percent of the fit part.
type FormPrice struct {
	Met           bool // the budget, both with and without
	With, Without float64
	Loss          float64 // in points; 0 = nothing that these records show
}

func (c Form) String() string {
	var text string
	switch {
	case c.Classes == 0:
		text = "No records: nothing can be said about the threshold form."
	case len(c.Rising) == 0 && c.Classes == 1:
		text = fmt.Sprintf("No sign that the threshold form loses anything: the student's excess error does not rise with "+
			"its confidence beyond chance (p = %.3g).", c.Least)
	case len(c.Rising) == 0:
		text = fmt.Sprintf("No sign that the threshold form loses anything: in none of %d classes does the student's "+
			"excess error rise with its confidence beyond chance (smallest adjusted p = %.3g).", c.Classes, c.Least)
	case c.Classes == 1:
		text = fmt.Sprintf("The threshold form may lose: the student's excess error rises with its confidence somewhere "+
			"(p = %.3g), so some surer answers deserve deferral before less sure ones.", c.Least)
	default:
		text = fmt.Sprintf("The threshold form may lose: in %d of %d classes the student's excess error rises with its "+
			"confidence somewhere, so some surer answers deserve deferral before less sure ones: "+
			"%s.", len(c.Rising), c.Classes,
			each(c.Rising, ", ", func(x RisingClass) string {
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
		"excess error (out of fold) %.1f %%: ", c.Price.With, c.Price.Without)
	if c.Price.Loss > 0 {
		return text + fmt.Sprintf("the form costs %.1f points at least.", c.Price.Loss)
	}
	return text + "giving up the form gains nothing that these records can show."
}
