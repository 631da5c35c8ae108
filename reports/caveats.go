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
}

// noWords marks kinds of which a short table says nothing.
const noWords = "-"

// caveats are the kinds, the gravest first. Within a gravity the order counts. What is not in this list is Incidental.
var caveats = []caveat{
	{"near-zero", Invalid, ""},
	{"chance", Invalid, ""},
	{"labels", Invalid, ""},
	{"reversed", Invalid, ""},
	{"swapped", Invalid, ""},
	{"same", Invalid, ""},
	{"infeasible", Invalid, "No thresholds meet the budget on the fit part: these have the fewest errors."},
	{"misjudged", Invalid, "The judge's grades contradict people's: see Corrected in the table of models."},
	{"unconfirmed", Invalid, "Nobody could ask the server which model answers."},
	{"responders", Invalid, ""},
	{"missing", Shaky, "Records that a model did not answer are left out."},
	{"overlap", Shaky, "Some test records have the text of a fit record."},
	{"split", Shaky, "The fit part and the test part differ more than by chance."},
	{"small", Shaky, "The test part has fewer than 100 records."},
	{"source", Shaky, ""},
	{"cut", Shaky, ""},
	{"truncated", Shaky, "Some prompts were cut to the model's context."},
	{"no-answer", Shaky, "In some replies no answer was found: they count as wrong."},
	{"undecided", Shaky, "Some answers no rule could decide: they count as wrong."},
	{"judged", Shaky, "Some answers were graded by a model: its errors count as theirs."},
	{"skipped", Shaky, "Bad rows of the source are left out."},
	{"hidden", Imprecise, "Log-probabilities are hidden: many confidences are 1 and order nothing."},
	{"wide", Imprecise, "Some confidences are known roughly: the server lists too few alternatives."},
	{"unseen", Imprecise, "The server does not report every label's probability: confidences are upper bounds."},
	{"label-mass", Imprecise, "On some queries the labels have little probability, or it is not known."},
	{"otherwise", Imprecise, ""},
	{"stand-in-scorer", Imprecise, ""},
	{"stand-in-embedder", Imprecise, ""},
	{"embedder", Imprecise, "The cosine is of a lexical embedder: it measures shared wording, not meaning."},
	{"empty", Imprecise, "Some answers are empty."},
	{"estimated", Imprecise, "Some token counts, and with them costs, are estimated."},
	{"padding", Imprecise, "Costs are those of padded batches."},
	{"uncertified", Imprecise, "Nothing is promised: no candidate passed the test of the guarantee."},
	{"never-predicted", Imprecise, "Classes that the student never predicts on the fit part are always deferred."},
	{"form", Imprecise, ""},
	{"not-monotone", Imprecise, ""},
	{"no-spread", Imprecise, ""},
	{"assumed", Imprecise, ""},
	{"search-stopped", Imprecise, ""},
	{"grid-missed", Imprecise, ""},
	{"duality-gap", Imprecise, ""},
	{"incomplete", Incidental, "INCOMPLETE: more answers are missing than the study allows."},
	{"single-model", Incidental, noWords},
	{"own-cost", Incidental, "By each record's own cost the saving differs by more than its interval."},
	{"certified", Incidental, "With a guarantee for records drawn like the fit part."},
	{"charging", Incidental, "Charged as a router: a query pays one model only."},
	{"oracle", Incidental, "Knows every error before it decides: the headroom, not a policy."},
	{"random", Incidental, "An expectation: it defers at random."},
	{"learned", Incidental, "Learned on the fit part."},
	{"dropped", Incidental, "Columns of J that are functions of what the null knows are left out."},
	{"value", Incidental, "In some folds no threshold met the budget: the one of fewest errors was taken."},
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

func caveatOf(k note.Kind) (caveat, int) {
	if at := slices.IndexFunc(caveats, func(c caveat) bool { return c.kind == k }); at >= 0 {
		return caveats[at], at
	}
	return caveat{k, Incidental, ""}, len(caveats)
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
		return FirstSentence(n.Text, lineRoom)
	}
	return c.line
}

// Concern is a caveat that bears on a headline.
type Concern struct {
	Kind    note.Kind
	Gravity Gravity
	Line    string // one short line; docs/caveats.md explains the kind
	Text    string // in full

	place int // among those of its gravity
}

// minor is the share of the records below which a caveat that counts records weighs a gravity less. It then comes after
// what is about many: last is beyond every place.
const (
	minor = 0.01
	last  = 1000
)

// weigh drops what is incidental and sorts the rest, the gravest first.
func weigh(notes []result.Note) (out []Concern) {
	const longest = 110 // characters of a line on the screen
	for _, n := range notes {
		c, place := caveatOf(n.Kind)
		if n.Of > 0 && float64(n.Count)/float64(n.Of) < minor {
			c.gravity, place = c.gravity+1, place+last
		}
		if c.gravity < Incidental {
			out = append(out, Concern{n.Kind, c.gravity, FirstSentence(inFewWords(n), longest), n.Text, place})
		}
	}
	slices.SortStableFunc(out, byGravity)
	return out
}

func byGravity(a, b Concern) int {
	if a.Gravity != b.Gravity {
		return int(a.Gravity - b.Gravity)
	}
	return a.place - b.place
}

// StudyCaveat is a caveat, and the headlines that it is about.
type StudyCaveat struct {
	Concern
	About []int // headlines by their index
	More  int   // of the gravest of a kind: how many headlines have another one
}

// StudyCaveats are the caveats of all headlines, the gravest first. Equal texts count once.
func StudyCaveats(all []Headline) (list []StudyCaveat) {
	at := map[string]int{}
	for i := range all {
		for _, c := range all[i].Caveats {
			k, known := at[c.Text]
			if !known {
				k = len(list)
				at[c.Text], list = k, append(list, StudyCaveat{Concern: c})
			}
			list[k].About = append(list[k].About, i)
		}
	}
	slices.SortStableFunc(list, func(a, b StudyCaveat) int { return byGravity(a.Concern, b.Concern) })
	return list
}

// ofEachKind keeps the gravest caveat of each kind.
func ofEachKind(list []StudyCaveat) (out []StudyCaveat) {
	at, seen := map[note.Kind]int{}, map[note.Kind]map[int]bool{}
	for _, c := range list {
		k, known := at[c.Kind]
		if !known {
			at[c.Kind], seen[c.Kind] = len(out), map[int]bool{}
			k, out = len(out), append(out, c)
		}
		for _, i := range c.About {
			if known && !seen[c.Kind][i] {
				out[k].More++
			}
			seen[c.Kind][i] = true
		}
	}
	return out
}
