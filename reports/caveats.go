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

// grave are the kinds of each gravity, the gravest first. Within a gravity the order counts. docs/caveats.md has a
// section for each. What is not in these lists is Incidental.
var grave = map[Gravity][]note.Kind{
	Invalid: {"near-zero", "chance", "labels", "reversed", "swapped", "same", "infeasible", "misjudged",
		"unconfirmed", "responders"},
	Shaky: {"missing", "overlap", "split", "small", "source", "cut", "truncated", "no-answer",
		"undecided", "judged"},
	Imprecise: {"hidden", "wide", "unseen", "label-mass", "otherwise", "stand-in-scorer", "stand-in-embedder",
		"embedder", "empty", "estimated", "padding", "uncertified", "never-predicted",
		"form", "not-monotone", "no-spread", "search-stopped", "grid-missed", "duality-gap"},
}

// CaveatKinds are the kinds that bear on a headline, the gravest first.
func CaveatKinds() []note.Kind { return slices.Concat(grave[Invalid], grave[Shaky], grave[Imprecise]) }

func gravityOf(k note.Kind) (of Gravity, place int) {
	for of := Invalid; of < Incidental; of++ {
		if place := slices.Index(grave[of], k); place >= 0 {
			return of, place
		}
	}
	return Incidental, 0
}

// Concern is a caveat that bears on a headline.
type Concern struct {
	Kind    note.Kind
	Gravity Gravity
	Line    string // the first sentence of Text; docs/caveats.md explains the kind
	Text    string

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
	const longest = 160 // characters of a line on the screen
	for _, n := range notes {
		of, place := gravityOf(n.Kind)
		if n.Of > 0 && float64(n.Count)/float64(n.Of) < minor {
			of, place = of+1, place+last
		}
		if of < Incidental {
			out = append(out, Concern{n.Kind, of, FirstSentence(n.Text, longest), n.Text, place})
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
