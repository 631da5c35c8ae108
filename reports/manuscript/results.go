package manuscript

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports"
	"infnet/reports/figure"
	"infnet/reports/table"
)

// Folder is the folder of a run's tables and figures, beside results.tex.
func Folder(r *result.Results) string { return table.Segment(r.Name) }

// ResultsFile is results.tex: a document that compiles alone, with a section for each run: what came out in sentences
// whose numbers are macros, then the tables and the figures, which are in [Folder].
func (b *Book) ResultsFile() []byte {
	var out bytes.Buffer
	out.WriteString(b.comments())
	out.WriteString("% A draft to take what you need from. Tables and figures are in files of their own; infnet paper\n" +
		"% writes them and numbers.tex again, and leaves this file as you change it.\n" +
		"\\documentclass{article}\n\\usepackage[T1]{fontenc}\n" +
		"\\usepackage{booktabs,multirow,adjustbox,pgf}\n" +
		"\\input{numbers}\n\\emergencystretch=3em % long names\n\\begin{document}\n")
	for _, r := range b.runs {
		fmt.Fprintf(&out, "\n\\section{Results of %s}\n", table.LaTeX(r.Results.Name))
		for _, h := range reports.Headlines(r.Results) {
			out.WriteString(b.sentence(r.Results.Name, &h))
		}
		out.WriteByte('\n')
		for _, t := range reports.Tables(r.Results) {
			if !t.Detail && t.Kind != "data" { // which is caveats, for those who check
				fmt.Fprintf(&out, "\\input{%s/tables/%s}\n", Folder(r.Results), t.File)
			}
		}
		for _, f := range figure.Figures(r.Results) {
			if slices.Contains(r.Results.Style.Drawn(), style.Kind(f.Kind)) {
				fmt.Fprintf(&out, "\\begin{figure}[tp]\n  \\centering\n  \\begin{adjustbox}{max width=\\linewidth}\n"+
					"    \\input{%s/figures/%s}\n  \\end{adjustbox}\n  \\caption{%s}\n\\end{figure}\n", Folder(r.Results), f.Name,
					table.LaTeX(f.Caption))
			}
		}
		out.WriteString("\\clearpage\n")
	}
	out.WriteString("\\end{document}\n")
	return out.Bytes()
}

// sentence says what a cascade came to on a dataset, in macros.
func (b *Book) sentence(study string, h *reports.Headline) string {
	if h.Ours == nil || h.Master == nil || h.Student == nil {
		return ""
	}
	where := []string{part(study), part(h.Cascade), part(h.Dataset)}
	full := strings.ToLower(strings.Join(where, "."))
	macro := func(policy, quantity string) string {
		at, ok := b.at[full+"."+part(policy)+"."+quantity]
		if !ok {
			return "n/a"
		}
		return `\inf{` + b.shortest(at) + `}`
	}
	ours := h.Ours.Policy
	return fmt.Sprintf("\nOn %s, asking %s only where the confidence of %s is low saves %s\\,\\%% [%s, %s] of the\n"+
		"cost of asking it always, at an error of %s\\,\\%% (%s alone: %s\\,\\%%; %s alone: %s\\,\\%%). Verdict: %s.\n",
		table.LaTeX(h.Dataset), table.LaTeX(h.Models[len(h.Models)-1]), table.LaTeX(h.Models[0]),
		macro(ours, "savings"), macro(ours, "savings-low"), macro(ours, "savings-high"), macro(ours, "error"),
		table.LaTeX(h.Models[len(h.Models)-1]), macro("master", "error"), table.LaTeX(h.Models[0]), macro("student", "error"),
		table.LaTeX(h.Verdict.Word()))
}
