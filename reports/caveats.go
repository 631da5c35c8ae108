package reports

import (
	"slices"

	"infnet/harness/result"
	"infnet/harness/result/note"
)

// Gravity is how much a caveat endangers a conclusion.
type Gravity int

// The gravities, the gravest first.
const (
	Invalid    Gravity = iota + 1 // the numbers may be about something else than they seem to be
	Shaky                         // the records may not be a fair sample, or not all there
	Imprecise                     // confidences, costs or scores are known in part or measured in another way
	Incidental                    // it explains a row or a table; a headline does not need it
)

// caveat is a kind of caveat. docs/caveats.md has a section for each that is not Incidental.
type caveat struct {
	kind    note.Kind
	gravity Gravity
	line    string // in few words; "" = the note's own first sentence
	// how many records it is about, of how many; nil = the note says it, or all
	share func(result.Counts) (n, of int)
}

// noWords marks kinds of which a short table says nothing.
const noWords = "-"

// caveats are the kinds, the gravest first. Within a gravity the order counts.
var caveats = []caveat{
	{kind: "incomplete", gravity: Incidental, line: "INCOMPLETE: more answers are missing than the study allows."},
	{kind: "near-zero", gravity: Invalid},
	{kind: "chance", gravity: Invalid},
	{kind: "labels", gravity: Invalid},
	{kind: "reversed", gravity: Invalid},
	{kind: "swapped", gravity: Invalid},
	{kind: "same", gravity: Invalid},
	{kind: "dearer", gravity: Invalid, line: "The model asked first costs more per query than the next: swapped?"},
	{kind: "infeasible", gravity: Invalid,
		line: "No thresholds meet the budget on the fit part: these have the fewest errors."},
	{kind: "misjudged", gravity: Invalid,
		line: "The judge's grades contradict people's: see Corrected in the table of models."},
	{kind: "unconfirmed", gravity: Invalid, line: "Nobody could ask the server which model answers."},
	{kind: "responders", gravity: Invalid},
	{kind: "missing", gravity: Shaky,
		line:  "Records that a model did not answer are left out.",
		share: func(n result.Counts) (int, int) { return n.Records - n.Used, n.Records }},
	{kind: "overlap", gravity: Shaky, line: "Some test records have the text of a fit record."},
	{kind: "two-labels", gravity: Shaky, line: "Some texts stand there with two labels."},
	{kind: "split", gravity: Shaky, line: "The fit part and the test part differ more than by chance."},
	{kind: "small", gravity: Shaky, line: "The test part has fewer than 100 records."},
	{kind: "few", gravity: Shaky},
	{kind: "source", gravity: Shaky},
	{kind: "cut", gravity: Shaky,
		share: func(n result.Counts) (int, int) { return known(n.Cut), n.Used }},
	{kind: "truncated", gravity: Shaky,
		line:  "Some prompts were cut to the model's context.",
		share: func(n result.Counts) (int, int) { return sum(n.Truncated), n.Used }},
	{kind: "no-answer", gravity: Shaky,
		line:  "In some replies no answer was found: they count as wrong.",
		share: func(n result.Counts) (int, int) { none, _ := ungraded(n.Graded); return none, n.Used }},
	{kind: "undecided", gravity: Shaky,
		line:  "Some answers no rule could decide: they count as wrong.",
		share: func(n result.Counts) (int, int) { _, open := ungraded(n.Graded); return open, n.Used }},
	{kind: "judged", gravity: Shaky,
		line:  "Some answers were graded by a model: its errors count as theirs.",
		share: func(n result.Counts) (int, int) { return judgedMost(n.Graded), n.Used }},
	{kind: "blank", gravity: Shaky},
	{kind: "skipped", gravity: Shaky,
		line:  "Bad rows of the source are left out.",
		share: func(n result.Counts) (int, int) { return n.Skipped, n.Records + n.Skipped }},
	{kind: "copies", gravity: Shaky},
	{kind: "hidden", gravity: Imprecise,
		line: "Log-probabilities are hidden: many confidences are 1 and order nothing."},
	{kind: "wide", gravity: Imprecise,
		line:  "Some confidences are known roughly: the server lists too few alternatives.",
		share: func(n result.Counts) (int, int) { return sum(n.Wide), n.Used }},
	{kind: "unseen", gravity: Imprecise,
		line:  "The server does not report every label's probability: confidences are upper bounds.",
		share: func(n result.Counts) (int, int) { return sum(n.Unseen), n.Used }},
	{kind: "label-mass", gravity: Imprecise,
		line: "On some queries the labels have little probability, or it is not known."},
	{kind: "otherwise", gravity: Imprecise, share: func(n result.Counts) (int, int) { return sum(n.Otherwise), n.Used }},
	{kind: "stand-in-scorer", gravity: Imprecise},
	{kind: "stand-in-embedder", gravity: Imprecise},
	{kind: "embedder", gravity: Imprecise,
		line: "The cosine is of a lexical embedder: it measures shared wording, not meaning."},
	{kind: "empty", gravity: Imprecise,
		line: "Some answers are empty.", share: func(n result.Counts) (int, int) { return sum(n.Empty), n.Used }},
	{kind: "estimated", gravity: Imprecise, line: "Some token counts, and with them costs, are estimated."},
	{kind: "batch-prices", gravity: Imprecise, line: "Some answers are from batch files, whose price may be lower."},
	{kind: "padding", gravity: Imprecise, line: "Costs are those of padded batches."},
	{kind: "slower", gravity: Imprecise, line: "Queries take longer than with the master alone."},
	{kind: "uncertified", gravity: Imprecise,
		line: "Nothing is promised: no candidate passed the test of the guarantee."},
	{kind: "never-predicted", gravity: Imprecise,
		line: "Classes that the student never predicts on the fit part are always deferred."},
	{kind: "form", gravity: Imprecise},
	{kind: "not-monotone", gravity: Imprecise},
	{kind: "no-spread", gravity: Imprecise},
	{kind: "assumed", gravity: Imprecise},
	{kind: "search-stopped", gravity: Imprecise},
	{kind: "grid-missed", gravity: Imprecise},
	{kind: "duality-gap", gravity: Imprecise},
	{kind: "budget-missed", gravity: Incidental},
	{kind: "stand-in-learner", gravity: Incidental},
	{kind: "single-model", gravity: Incidental, line: noWords},
	{kind: "own-cost", gravity: Incidental,
		line: "By each record's own cost the saving differs by more than its interval."},
	{kind: "certified", gravity: Incidental, line: "With a guarantee for records drawn like the fit part."},
	{kind: "charging", gravity: Incidental, line: "Charged as a router: a query pays one model only."},
	{gravity: Incidental}, // whatever is not in this list
	{kind: "oracle", gravity: Incidental, line: "Knows every error before it decides: the headroom, not a policy."},
	{kind: "random", gravity: Incidental, line: "An expectation: it defers at random."},
	{kind: "learned", gravity: Incidental, line: "Learned on the fit part."},
	{kind: "dropped", gravity: Incidental, line: "Columns of J that are functions of what the null knows are left out."},
	{kind: "value", gravity: Incidental,
		line: "In some folds no threshold met the budget: the one of fewest errors was taken."},
}

// CaveatKinds are the kinds that bear on a headline, the gravest first.
func CaveatKinds() (out []note.Kind) {
	for _, c := range caveats {
		if c.gravity < Incidental {
			out = append(out, c.kind)
		}
	}
	return out
}

// caveatOf returns a kind's row and its place.
func caveatOf(k note.Kind) (caveat, int) {
	at := slices.IndexFunc(caveats, func(c caveat) bool { return c.kind == k })
	if at < 0 {
		at = slices.IndexFunc(caveats, func(c caveat) bool { return c.kind == "" })
	}
	return caveats[at], at
}

// shareOf is the share of the records that a caveat is about; 1 where it counts none.
func (c caveat) shareOf(x result.Note, counts result.Counts) float64 {
	n, of := x.Count, x.Of
	if c.share != nil {
		n, of = c.share(counts)
	}
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}

func sum(list []result.Missing) (total int) {
	for _, m := range list {
		total += m.Count
	}
	return total
}

// known counts the answers that were cut. That it is not known how one ended is no sign of it.
func known(list []result.Cut) (total int) {
	for _, m := range list {
		if m.Finish != "" {
			total += m.Count
		}
	}
	return total
}

// inFewWords is a caveat in few words, "" = none.
func inFewWords(n result.Note) string {
	c, _ := caveatOf(n.Kind)
	switch {
	case n.Line != "":
		return n.Line
	case c.line == noWords:
		return ""
	case c.line == "":
		return firstSentence(n.Text)
	}
	return c.line
}
