package note

import (
	"fmt"
	"strings"
)

// Caveats of a comparison with a published table: what the study has, and what was published.

// Absent: the study has no cascade of these models on the dataset.
func Absent(student, master, dataset string) Note {
	return say("absent", "The study has no cascade of %s and %s on %s.", student, master, dataset)
}

// OtherModels: the answers are other models'.
func OtherModels(ours, published []string) Note {
	return say("models", "Other models: %s, published %s.", strings.Join(ours, " and "), strings.Join(published, " and "))
}

// OtherRows: the rows are another source's.
func OtherRows(ours, published string) Note {
	return say("rows", "Other rows, or the same from elsewhere: %s, published %s.", ours, published)
}

// OtherLimit: the number of records differs; 0 = all.
func OtherLimit(ours, published int) Note {
	limit := fmt.Sprint(ours)
	if ours == 0 {
		limit = "all"
	}
	return say("limit", "Number of records: %s, published %d.", limit, published)
}

// OtherSplit: the share of the fit part differs, or the order before the split.
func OtherSplit(fit float64, order string, published float64, publishedOrder string) Note {
	return say("split", "Split: %g to fit, order %s; published %g, order %s.", fit, order, published, publishedOrder)
}

// GroupedSplit: records with the same value of the column share a part.
func GroupedSplit(column string) Note {
	return say("groups", "Here records of one %s stay on one side of the split, which moves a few of them.", column)
}

// OtherTask: the task differs.
func OtherTask(ours, published string) Note {
	return say("task", "Task: %s, published %s.", ours, published)
}

// OtherDirection: the direction of the translation differs, such as "de-en".
func OtherDirection(ours, published string) Note {
	return say("direction", "Direction: %s, published %s.", way(ours), way(published))
}

// OtherTokens: the limit of new tokens differs.
func OtherTokens(ours, published int) Note {
	return say("tokens", "New tokens: at most %d, published %d.", ours, published)
}

// OtherRule: an answer is right by another rule; tau 0 = ours has none. least is τ as published.
func OtherRule(ours string, tau float64, published, least, embedder string) Note {
	if tau > 0 {
		ours += fmt.Sprintf(" ≥ %v", tau)
	}
	return say("rule", "An answer is right by %s, published %s ≥ %s of %s.", ours, published, least, embedder)
}

// OtherCosine: the rule's cosine is another embedder's.
func OtherCosine(ours, published string) Note {
	return say("embedder", "The cosine is of %s, published of %s.", ours, published)
}

// Misprint: the printed saving of the row None contradicts that of the random row.
func Misprint(printed, implied string) Note {
	return say("misprint", "The None row is printed as %s and implied by the Random row as %s, which deferred shares "+
		"are computed with.", printed, implied)
}

// TextDirection: the paper's text names another direction than its numbers have.
func TextDirection(text, program string) Note {
	return say("text", "The paper's text says %s; the authors' program translates %s, and so the printed numbers are.",
		way(text), way(program))
}

// NoRow: the study has no row of the policy.
func NoRow(policy string) Note { return say("absent", "The study has no %s row.", policy) }

// OtherCharge: the row is charged in another way.
func OtherCharge(ours, published string) Note {
	return say("charging", "Published as charged like a %s; ours is charged as a %s, so that the savings cannot be "+
		"compared.", published, ours)
}

// OneDraw: the published row is one draw, ours the expectation.
func OneDraw() Note { return say("draw", "Published is one draw, ours the expectation.") }

// Quality is what makes one answer better than another.
type Quality string

// The qualities.
const (
	IsRight Quality = "is right: the same but where both are wrong."
	TokenF1 Quality = "has the larger token F1: no verdict."
	StandIn Quality = "stand-in" // of a scorer that is not the study's
)

// OtherQuality: the router learned from another comparison of the answers.
func OtherQuality(ours Quality, published string) Note {
	if ours == StandIn {
		return say("quality", "Another scorer than the study's tells which answer has the larger %s: no verdict.", published)
	}
	return say("quality", "Published, the router learned which answer has the larger %s, here which %s", published, ours)
}

// OtherLearner: another learner than the published encoder.
func OtherLearner(published string) Note {
	return say("learner", "Another learner than the published one, which is a fine-tuned %s: no verdict.", published)
}

// Untested: the study has no test of this, or one that ended in a state without one.
func Untested(state string) Note {
	if state == "" {
		return say("absent", "The study does not test this.")
	}
	return say("absent", "Ours is not tested: %s.", state)
}

// OtherEmbedder: the inputs are embedded by another embedder.
func OtherEmbedder(ours, published string) Note {
	return say("embeddings", "The inputs are embedded by %s, published by %s.", ours, published)
}

// OtherTest: the test differs. published is the number of permutations; ours are permutations, or, with 0, random
// halves of the projected covariance measure.
func OtherTest(published float64, permutations, halves int) Note {
	ours := fmt.Sprintf("%d at most", permutations)
	if permutations == 0 {
		ours = fmt.Sprintf("the covariance measures, on %d random halves, which shuffles nothing", halves)
	}
	return say("permutations", "Published: %g shuffles of J, anywhere, on all records. Ours: %s, on the fit part.",
		published, ours)
}

// Undecided: the regression of Δ on β does not fit.
func Undecided() Note {
	return say("fit", "Ours cannot decide: the regression of Δ on β does not fit.")
}

// way names the direction of a translation.
func way(direction string) string {
	names := map[string]string{"de": "German", "en": "English", "fr": "French"}
	name := func(code string) string {
		if n, ok := names[code]; ok {
			return n
		}
		return code
	}
	from, to, ok := strings.Cut(direction, "-")
	if !ok {
		return "not said"
	}
	return name(from) + " into " + name(to)
}
