package page

import (
	"strings"

	"infnet/harness/result"
	"infnet/reports"
	"infnet/reports/table"
)

// answer is what came out on one dataset, in words.
type answer struct {
	Dataset, Models string
	Verdict         string
	Doubted         bool // by a caveat of what the numbers are about, or of drift: not in the colour of what is good
	Result          string
	Remarks         []string
	Sufficiency     string
	Action          string
	Caveats         []string
	CaveatsHead     string
}

// answers are the headlines of the study.
func answers(r *result.Results) (all []answer) {
	for _, h := range reports.Headlines(r) {
		a := answer{Dataset: table.Clean(h.Dataset), Verdict: string(h.Verdict), Result: table.Clean(h.Result),
			Sufficiency: table.Clean(h.Sufficiency), Action: table.Clean(h.Action)}
		if len(r.Cascades)+len(r.Pools) > 1 {
			a.Models = table.Clean(strings.Join(h.Models, " → "))
			if h.Pool {
				a.Models = table.Clean("pool " + h.Cascade)
			}
		}
		for _, x := range h.Remarks {
			a.Remarks = append(a.Remarks, table.Clean(x))
		}
		for _, c := range h.Caveats {
			if a.Caveats = append(a.Caveats, table.Clean(c.Text)); c.Gravity == reports.Invalid || c.Kind == "split" {
				a.Doubted = true
			}
		}
		a.CaveatsHead = counted(len(a.Caveats), "caveat")
		all = append(all, a)
	}
	return all
}
