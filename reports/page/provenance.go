package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/result"
	"infnet/reports"
	"infnet/reports/table"
)

// facts are a small table of the page's own.
type facts struct {
	Title string
	Head  []string
	Rows  [][]string
}

// provenance says what the numbers were computed from.
func provenance(r *result.Results) []facts {
	run := facts{Title: "Run", Rows: [][]string{
		{"infnet", r.Spec.Program}, {"Spec", r.Spec.SpecHash}, {"Answers", r.Spec.AnswersHash},
		{"Seed", strconv.FormatUint(r.Seed, 10)}, {"Level of intervals", strconv.FormatFloat(100*r.Level, 'g', 4, 64) + " %"},
	}}
	if p := r.Spec.Prices; p != nil {
		run.Rows = append(run.Rows, []string{"Prices", fmt.Sprintf("%s of %s, %s", p.File, p.Date, p.Hash)})
	}
	models := facts{Title: "Models", Head: []string{"Name", "Model", "Revision", "Backend", "Parameters", "Answered by"}}
	for _, m := range r.Models {
		parameters := ""
		if m.Params > 0 {
			parameters = strconv.FormatFloat(m.Params, 'g', 4, 64) + " B"
		}
		models.Rows = append(models.Rows, []string{m.Name, m.ID, m.Revision, m.Backend, parameters, responders(&m)})
	}
	data := facts{Title: "Datasets", Head: []string{"Name", "Source", "Content", "Split", "Records", "Fit", "Test"}}
	seen := map[string]bool{}
	for _, c := range r.Cascades {
		for _, d := range c.Datasets {
			source := d.Source
			if d.Revision != "" {
				source += " at " + d.Revision
			}
			row := []string{d.Name, source, d.Hash, fmt.Sprintf("%s %s, %.12s", d.Split.Order, d.Split.Fraction, d.Split.Hash),
				strconv.Itoa(d.Counts.Records), strconv.Itoa(d.Counts.Fit), strconv.Itoa(d.Counts.Test)}
			if key := strings.Join(row, "\n"); !seen[key] {
				seen[key] = true
				data.Rows = append(data.Rows, row)
			}
		}
	}
	all := slices.DeleteFunc([]facts{run, models, data}, func(f facts) bool { return len(f.Rows) == 0 })
	for _, f := range all {
		for _, row := range f.Rows {
			for i := range row {
				row[i] = table.Clean(row[i])
			}
		}
	}
	return all
}

func responders(m *result.Model) string {
	var out []string
	for _, s := range m.Servers {
		name := strings.TrimSpace(s.Name + " " + s.Version)
		if name == "" {
			name = "a server that does not say what it is"
		}
		out = append(out, name)
	}
	for _, a := range m.AnsweredBy {
		out = append(out, fmt.Sprintf("%s (%s)", a.Name, reports.Plural(a.Answers, "answer")))
	}
	if m.Unconfirmed != "" {
		out = append(out, "not confirmed: "+m.Unconfirmed)
	}
	return strings.Join(out, "; ")
}
