package reports

import (
	"fmt"
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

// Gravity is how much a caveat endangers a conclusion.
type Gravity int

// The gravities, the gravest first.
const (
	Invalid    Gravity = iota + 1 // the numbers may be about something else than they seem to be
	Shaky                         // the records may not be a fair sample, or not all there
	Imprecise                     // confidences, costs or scores are known in part or measured in another way
	Incidental                    // it explains a row; a headline does not need it
)

// gravities lists the kinds that bear on a headline, and how much. Within a gravity the order counts.
// A kind that is not listed explains a row or a table: it is Incidental.
var gravities = []struct {
	gravity Gravity
	kinds   []note.Kind
}{
	{Invalid, []note.Kind{"near-zero", "chance", "labels", "reversed", "swapped", "same", "dearer", "infeasible",
		"unconfirmed", "responders"}},
	{Shaky, []note.Kind{"missing", "overlap", "two-labels", "split", "small", "few", "source", "cut",
		"truncated", "blank", "skipped", "copies"}},
	{Imprecise, []note.Kind{"hidden", "wide", "unseen", "label-mass", "otherwise", "stand-in-scorer", "stand-in-embedder",
		"embedder", "empty", "estimated", "batch-prices", "padding", "slower", "uncertified", "never-predicted",
		"form", "not-monotone", "no-spread", "assumed", "search-stopped", "grid-missed", "duality-gap"}},
}

// CaveatKinds are the kinds that bear on a headline, the gravest first.
func CaveatKinds() (out []note.Kind) {
	for _, g := range gravities {
		out = append(out, g.kinds...)
	}
	return out
}

// minor is the share of the records below which a caveat that counts records weighs a gravity less.
const minor = 0.01

// gravityOf returns a kind's gravity and its place.
func gravityOf(k note.Kind) (Gravity, int) {
	place := 0
	for _, g := range gravities {
		if i := slices.Index(g.kinds, k); i >= 0 {
			return g.gravity, place + i
		}
		place += len(g.kinds)
	}
	return Incidental, place
}

// concerns are the caveats of the dataset, of our row and of the test of sufficiency that bear on it and are not the
// headline itself, the gravest first.
func (o *outcome) concerns(v Verdict) []Concern {
	notes := datasetNotes(o.d)
	if o.ours != nil {
		notes = append(notes, rowNotes(o.c, o.d, o.ours)...)
	}
	return slices.DeleteFunc(weigh(notes, o.d.Counts), func(c Concern) bool {
		return slices.Contains(said[v], c.Kind) || c.Kind == "embedder" && !lexical(o.d.Embedder)
	})
}

// said are the caveats that a headline's own words are about.
var said = map[Verdict][]note.Kind{
	Infeasible: {"infeasible"}, Incomplete: {"missing"}, NoSignal: {"near-zero", "chance"}, TooFew: {"small", "few"},
}

// weigh drops what is incidental and sorts the rest.
func weigh(notes []result.Note, n result.Counts) (out []Concern) {
	for _, x := range notes {
		g, place := gravityOf(x.Kind)
		if g != Incidental && concerned(x, n) < minor {
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

// concerned is the share of the records that a caveat is about; 1 where it counts none.
func concerned(x result.Note, n result.Counts) float64 {
	of := func(count, all int) float64 { return float64(count) / float64(max(all, 1)) }
	sum := func(list []result.Missing) (total int) {
		for _, m := range list {
			total += m.Count
		}
		return total
	}
	switch x.Kind {
	case "missing":
		return of(n.Records-n.Used, n.Records)
	case "skipped":
		return of(n.Skipped, n.Records+n.Skipped)
	case "truncated":
		return of(sum(n.Truncated), n.Used)
	case "unseen":
		return of(sum(n.Unseen), n.Used)
	case "cut":
		cut := 0 // that it is not known how an answer ended is no sign that it was cut
		for _, m := range n.Cut {
			if m.Finish != "" {
				cut += m.Count
			}
		}
		return of(cut, n.Used)
	case "wide":
		return of(sum(n.Wide), n.Used)
	case "otherwise":
		return of(sum(n.Otherwise), n.Used)
	case "empty":
		return of(sum(n.Empty), n.Used)
	case "overlap", "two-labels", "blank", "copies":
		// questions of package doubt begin with what they count: "1 of 400 test records"
		var count, all int
		if _, err := fmt.Sscanf(x.Text, "%d of %d", &count, &all); err == nil {
			return of(count, all)
		}
	}
	return 1
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
