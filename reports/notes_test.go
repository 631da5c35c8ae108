package reports

import (
	"math"
	"strings"
	"testing"

	"infnet/harness/result"
)

// Sentences whose parts depend on what was counted, each by hand from its figures.
func TestNotesInWords(t *testing.T) {
	mass := func(list ...result.LabelMass) string {
		for i := range list {
			list[i].Model, list[i].Floor = string(rune('a'+i)), 0.5
		}
		return massNote(list)
	}
	cut := func(model, finish string, n int) result.Cut {
		return result.Cut{Model: model, Finish: finish, Count: n, Answers: 40, MaxTokens: 30}
	}
	bounds := datasetNotes(&result.Dataset{Counts: result.Counts{Records: 10, Used: 10, Test: 10,
		Unseen: []result.Missing{{Model: "s", Count: 5}}, Wide: []result.Missing{{Model: "s", Count: 2}}}})
	for _, c := range []struct{ got, want string }{
		{thetaWords(1.0 / 3), "0.333333"}, {thetaWords(1.5e-7), "1.5e-07"}, {thetaWords(math.Inf(1)), "inf"},
		{cutNote([]result.Cut{cut("a", "length", 3), cut("a", "", 2), cut("b", "not said", 1), cut("b", "recitation", 1)},
			40).Text, "3 of 40 answers of a were cut at max_tokens = 30; whether 2 of 40 answers of a were cut is not " +
			"recorded; 1 of 40 answers of b ended for a reason that the server does not say; 1 of 40 answers of b ended by " +
			"\"recitation\"."},
		{mass(result.LabelMass{Answers: 40, Known: 40, Low: 0.9, High: 0.9}, result.LabelMass{Answers: 40}), ""},
		{mass(result.LabelMass{Answers: 1, Known: 1, Open: 1}), "1 of 1 classification of a may put less than 0.5 of the " +
			"probability on the labels, which the server only bounds: their confidence speaks of the labels alone."},
		{mass(result.LabelMass{Answers: 40, Known: 30, Below: 3, Open: 2}, result.LabelMass{Answers: 40, Below: 40}),
			"3 of 40 classifications of a put less than 0.5 of the probability on the labels, and 2 more may; 40 of 40 " +
				"classifications of b put less than 0.5 of the probability on the labels: their confidence speaks of the " +
				"labels alone."},
		{bounds[0].Text, "The server did not report the probability of every label; the rest is bounded, not known, and " +
			"the confidence is the upper end of its bounds (s: 5)."},
		{bounds[1].Text, "Of these, the confidence may be lower by more than 0.1, for it is the upper end of its bounds " +
			"(s: 2): ask for labels by another mode, or for more alternatives."},
	} {
		if c.got != c.want {
			t.Errorf("%s\nwant %s", c.got, c.want)
		}
	}
}

// A policy at the price of an error has no budget to miss.
func TestPricesMissNoBudget(t *testing.T) {
	for method, want := range map[string]bool{"exact": true, "priced": false, "abstaining": false} {
		if p := (&result.Policy{Method: method, MinErrors: 5, Budget: 2}); infeasible(p) != want {
			t.Errorf("%s: infeasible is %v", method, !want)
		}
	}
}

// A line is the first sentence, or the clauses of it that the limit holds. No clause is cut.
func TestFirstSentences(t *testing.T) {
	for text, want := range map[string]string{
		"Short.":                       "Short.",
		"One thing. And why it is so.": "One thing.",
		"Swapped? The costs say so.":   "Swapped? The costs say so.",
		strings.Repeat("long ", 40):    strings.Repeat("long ", 40),
		"A clause: a second; " + strings.Repeat("long ", 40): "A clause: a second.",
	} {
		if got := FirstSentence(text, 120); got != want {
			t.Errorf("%.40q begins with %q, want %q", text, got, want)
		}
	}
}
