package reports

import (
	"slices"

	"infnet/harness/result"
	"infnet/harness/result/note"
)

// Concern is a caveat that bears on a headline.
type Concern struct {
	Kind    note.Kind `json:"kind"`
	Gravity Gravity   `json:"gravity"`
	Line    string    `json:"line"` // one short line; docs/caveats.md explains the kind
	Text    string    `json:"text"` // in full

	place int // among those of its gravity
}

// minor is the share of the records below which a caveat that counts records weighs a gravity less.
const minor = 0.01

// concerns are the caveats of the dataset, of our row and of the test of sufficiency that bear on it and are not the
// headline itself, the gravest first.
func (o *outcome) concerns(v Verdict) []Concern {
	notes := datasetNotes(o.d)
	if o.ours != nil {
		notes = append(notes, rowNotes(o.c, o.d, o.ours)...)
	}
	return slices.DeleteFunc(weigh(notes, o.d.Counts), func(c Concern) bool {
		return slices.Contains(said[v], c.Kind)
	})
}

// said are the caveats that a headline's own words are about.
var said = map[Verdict][]note.Kind{
	Infeasible: {"infeasible"}, Incomplete: {"missing"}, NoSignal: {"near-zero", "chance"}, TooFew: {"small", "few"},
}

// weigh drops what is incidental and sorts the rest.
func weigh(notes []result.Note, n result.Counts) (out []Concern) {
	for _, x := range notes {
		c, place := caveatOf(x.Kind)
		g := c.gravity
		if g != Incidental && c.shareOf(x, n) < minor {
			g, place = g+1, place+last
		}
		if g < Incidental {
			out = append(out, Concern{Kind: x.Kind, Gravity: g, Line: lineOf(x), Text: x.Text, place: place})
		}
	}
	slices.SortStableFunc(out, byGravity)
	return out
}

// last is beyond every place: what is about few records comes after what is about many.
const last = 1000

func byGravity(a, b Concern) int {
	if a.Gravity != b.Gravity {
		return int(a.Gravity - b.Gravity)
	}
	return a.place - b.place
}

// StudyCaveat is a caveat, and the headlines that it is about.
type StudyCaveat struct {
	Concern
	Datasets []string `json:"datasets"`
	About    []int    `json:"about"` // headlines by their index
}

// StudyCaveats are the caveats that matter most over all headlines, at most limit; left says how many more
// there are. Equal texts count once.
func StudyCaveats(all []Headline, limit int) (list []StudyCaveat, left int) {
	at := map[string]int{}
	for i := range all {
		for _, c := range all[i].Caveats {
			k, known := at[c.Text]
			if !known {
				k = len(list)
				at[c.Text], list = k, append(list, StudyCaveat{Concern: c})
			}
			list[k].About = append(list[k].About, i)
			if !slices.Contains(list[k].Datasets, all[i].Dataset) {
				list[k].Datasets = append(list[k].Datasets, all[i].Dataset)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b StudyCaveat) int { return byGravity(a.Concern, b.Concern) })
	if len(list) > limit {
		return list[:limit], len(list) - limit
	}
	return list, 0
}

// kindCaveat is the gravest caveat of its kind, and how many headlines have another one of that kind.
type kindCaveat struct {
	StudyCaveat
	More int
}

// ofEachKind keeps the gravest caveat of each kind.
func ofEachKind(list []StudyCaveat) (out []kindCaveat) {
	at, seen := map[note.Kind]int{}, map[note.Kind]map[int]bool{}
	for _, c := range list {
		k, known := at[c.Kind]
		if !known {
			at[c.Kind], seen[c.Kind] = len(out), map[int]bool{}
			k, out = len(out), append(out, kindCaveat{StudyCaveat: c})
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
