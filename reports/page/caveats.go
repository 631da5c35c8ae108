package page

import (
	"math"
	"strings"

	"infnet/harness/result"
	"infnet/reports"
	"infnet/reports/table"
)

// caveat is a remark on what came out.
type caveat struct{ Text, Where string }

// firstCaveats is how many of them are seen before the others are asked for.
const firstCaveats = 3

// caveats are the warnings of the study, then what bears on its headlines, the gravest first. Footnotes of tables are
// under their tables.
func caveats(r *result.Results) (all []caveat) {
	for _, w := range r.Warnings {
		all = append(all, caveat{Text: table.Clean(w)})
	}
	concerns, _ := reports.StudyCaveats(reports.Headlines(r), math.MaxInt)
	for _, x := range concerns {
		all = append(all, caveat{Text: table.Clean(x.Text), Where: table.Clean(strings.Join(x.Datasets, ", "))})
	}
	return all
}

// Caveats are those that are seen at once.
func (v *view) Caveats() []caveat { return v.caveats[:min(firstCaveats, len(v.caveats))] }

// MoreCaveats are the others.
func (v *view) MoreCaveats() []caveat { return v.caveats[len(v.Caveats()):] }
