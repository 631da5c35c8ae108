package page

import (
	"fmt"
	"math"
	"strings"

	"infnet/harness/result"
	"infnet/reports"
	"infnet/reports/table"
)

// caveat is a remark on results, and where it applies.
type caveat struct {
	Text  string
	Where []where
	Grave bool // it bears on what came out; else it explains a row of a table
}

type where struct{ Name, Link string }

// caveats gathers the warnings of the study, what bears on its headlines, the gravest first, and the footnotes of all
// tables: each text once, with its places.
func caveats(r *result.Results, tables []shownTable) []caveat {
	var all []caveat
	at := map[string]int{}
	add := func(text string) *caveat {
		text = table.Clean(text)
		i, seen := at[text]
		if !seen {
			i = len(all)
			at[text] = i
			all = append(all, caveat{Text: text})
		}
		return &all[i]
	}
	for _, w := range r.Warnings {
		c := add(w)
		c.Grave, c.Where = true, append(c.Where, where{Name: "the study"})
	}
	concerns, _ := reports.StudyCaveats(reports.Headlines(r), math.MaxInt)
	for _, x := range concerns {
		c := add(x.Text)
		c.Grave, c.Where = true, append(c.Where, where{Name: table.Clean(strings.Join(x.Datasets, ", "))})
	}
	for _, t := range tables {
		if t.Apart {
			continue // the same notes
		}
		for i, n := range t.table.Notes {
			letter := table.Letters(i)
			c := add(n.Text)
			c.Where = append(c.Where,
				where{Name: fmt.Sprintf("Table %d, %s", t.Number, letter), Link: string(t.ID) + "-" + letter})
		}
	}
	return all
}

// GraveCaveats are those that bear on what came out.
func (v *view) GraveCaveats() []caveat { return v.caveats(true) }

// OtherCaveats explain a row of a table.
func (v *view) OtherCaveats() []caveat { return v.caveats(false) }

func (v *view) caveats(grave bool) (out []caveat) {
	for _, c := range v.Caveats {
		if c.Grave == grave {
			out = append(out, c)
		}
	}
	return out
}
