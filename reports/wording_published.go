package reports

import (
	"fmt"
	"strings"

	"infnet/harness/result/note"
	"infnet/sufficiency"
)

// ofPublished words how a study differs from a published table; "" = it is none
// of those caveats.
func ofPublished(c note.Caveat) string {
	switch c := c.(type) {
	case note.Absent:
		return fmt.Sprintf("The study has no cascade of %s and %s on %s.", c.Student, c.Master, c.Dataset)
	case note.OtherModels:
		return fmt.Sprintf("Other models: %s, published %s.", strings.Join(c.Ours, " and "),
			strings.Join(c.Published, " and "))
	case note.OtherRows:
		return fmt.Sprintf("Other rows, or the same from elsewhere: %s, published %s.", c.Ours, c.Published)
	case note.OtherLimit:
		limit := fmt.Sprint(c.Ours)
		if c.Ours == 0 {
			limit = "all"
		}
		return fmt.Sprintf("Number of records: %s, published %d.", limit, c.Published)
	case note.OtherSplit:
		return fmt.Sprintf("Split: %g to fit, order %s; published %g, order %s.", c.Ours.Fit, c.Ours.Order, c.Published.Fit,
			c.Published.Order)
	case note.GroupedSplit:
		return fmt.Sprintf("Here records of one %s stay on one side of the split, which moves a few of them.", c.Column)
	case note.OtherTask:
		return fmt.Sprintf("Task: %s, published %s.", c.Ours, c.Published)
	case note.OtherDirection:
		return fmt.Sprintf("Direction: %s, published %s.", way(c.Ours), way(c.Published))
	case note.OtherTokens:
		return fmt.Sprintf("New tokens: at most %d, published %d.", c.Ours, c.Published)
	case note.OtherRule:
		ours := c.Ours
		if c.Tau > 0 {
			ours += fmt.Sprintf(" ≥ %v", c.Tau)
		}
		return fmt.Sprintf("An answer is right by %s, published %s ≥ %s of %s.", ours, c.Published, c.Least, c.Embedder)
	case note.OtherCosine:
		return fmt.Sprintf("The cosine is of %s, published of %s.", c.Ours, c.Published)
	}
	return ofPrintedRow(c)
}

// ofPrintedRow words the caveats of printed numbers.
func ofPrintedRow(c note.Caveat) string {
	switch c := c.(type) {
	case note.Misprint:
		return fmt.Sprintf("The None row is printed as %s and implied by the Random row as %s, which deferred shares are "+
			"computed with.", c.Printed, c.Implied)
	case note.TextDirection:
		return fmt.Sprintf("The paper's text says %s; the authors' program translates %s, and so the printed numbers are.",
			way(c.Text), way(c.Program))
	case note.NoRow:
		return fmt.Sprintf("The study has no %s row.", c.Policy)
	case note.OtherCharge:
		return fmt.Sprintf("Published as charged like a %s; ours is charged as a %s, so that the savings cannot be compared.",
			c.Published, c.Ours)
	case note.OneDraw:
		return "Published is one draw, ours the expectation."
	case note.OtherQuality:
		return otherQualityWords(c)
	case note.OtherLearner:
		return fmt.Sprintf("Another learner than the published one, which is a fine-tuned %s: no verdict.", c.Published)
	case note.Untested:
		if c.State == "" {
			return "The study does not test this."
		}
		return fmt.Sprintf("Ours is not tested: %s.", c.State)
	case note.OtherEmbedder:
		return fmt.Sprintf("The inputs are embedded by %s, published by %s.", c.Ours, c.Published)
	case note.OtherTest:
		return fmt.Sprintf("Published: %g shuffles of J, anywhere, on all records. Ours: %s, on the fit part.", c.Published,
			testWords(c))
	case note.Undecided:
		return "Ours cannot decide: the regression of Δ on β does not fit."
	}
	return ""
}

func otherQualityWords(c note.OtherQuality) string {
	if c.Ours == note.StandIn {
		return fmt.Sprintf("Another scorer than the study's tells which answer has the larger %s: no verdict.", c.Published)
	}
	text := fmt.Sprintf("Published, the router learned which answer has the larger %s, here which ", c.Published)
	if c.Ours == note.TokenF1 {
		return text + "has the larger token F1: no verdict."
	}
	return text + "is right: the same but where both are wrong."
}

// testWords say how a study tested.
func testWords(c note.OtherTest) string {
	switch c.Method {
	case sufficiency.Plain.String():
		return fmt.Sprintf("%d at most", c.Permutations)
	}
	return fmt.Sprintf("the covariance measures, on %d random halves, which shuffles nothing", c.Splits)
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
