package page

import (
	"fmt"
	"strings"

	"infnet/docs"
	"infnet/harness/result"
	"infnet/reports"
	"infnet/reports/table"
)

// caveat is a remark on what came out: a line, and all of it where that is longer.
type caveat struct{ Line, Text, Where string }

// firstCaveats is how many of them are seen before the others are asked for.
const firstCaveats = 3

// caveats are the warnings of the study, then what bears on its headlines, the gravest first. Footnotes of tables are
// under their tables.
func caveats(r *result.Results, outcomes []card) (all []caveat) {
	for _, w := range r.Warnings {
		text := table.Clean(w)
		all = append(all, caveat{Line: reports.FirstSentence(text, longest), Text: text})
	}
	for _, x := range reports.StudyCaveats(reports.Headlines(r)) {
		text := x.Text
		if why := docs.Caveat(string(x.Kind)); why != "" {
			text += " " + strings.ReplaceAll(why, "`", "")
		}
		all = append(all, caveat{Line: table.Clean(x.Line), Text: table.Clean(text), Where: where(x.About, outcomes)})
	}
	return all
}

// longest is the number of letters of a caveat's line.
const longest = 120

// where names the outcomes of a caveat; "" = all.
func where(about []int, outcomes []card) string {
	const named = 2
	if len(about) == len(outcomes) {
		return ""
	}
	var names []string
	for _, i := range about {
		name := outcomes[i].Title
		if of := outcomes[i].Of; of != "" && of != outcomes[i].Name {
			name += " (" + of + ")"
		}
		names = append(names, name)
	}
	if n := len(names) - named; n > 0 {
		names = append(names[:named], fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}

// Caveats are those that are seen at once.
func (v *view) Caveats() []caveat { return v.caveats[:min(firstCaveats, len(v.caveats))] }

// MoreCaveats are the others.
func (v *view) MoreCaveats() []caveat { return v.caveats[len(v.Caveats()):] }
