package reports

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/reports/table"
)

// document is all.tex: every table and figure, in a document that compiles by itself.
func document(s *result.Results, tables []table.Table, figures []Figure) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%% %s\n\\documentclass{article}\n\\usepackage[margin=1.5cm]{geometry}\n", Comment(s))
	packages := slices.Clone(table.Packages)
	if slices.ContainsFunc(figures, func(f Figure) bool { return f.File != "" && !strings.HasSuffix(f.File, ".tex") }) {
		packages = append(packages, "graphicx")
	}
	if slices.ContainsFunc(figures, func(f Figure) bool { return strings.HasSuffix(f.File, ".tex") }) {
		packages = append(packages, "pgfplots")
	}
	for _, p := range packages {
		fmt.Fprintf(&b, "\\usepackage{%s}\n", p)
	}
	if slices.Contains(packages, "pgfplots") {
		b.WriteString("\\pgfplotsset{compat=1.16}\n")
	}
	b.WriteString("\\begin{document}\n")
	const together = 4 // LaTeX holds few floats before it gives up
	for i := range tables {
		fmt.Fprintf(&b, "\\input{%s.tex}\n", tables[i].File)
		if i%together == together-1 {
			b.WriteString("\\clearpage\n")
		}
	}
	if len(tables) == 0 {
		b.WriteString("This study has no cascades.\n")
	}
	shown := 0
	for _, f := range figures {
		if f.File == "" {
			continue
		}
		if shown%together == 0 {
			b.WriteString("\\clearpage\n")
		}
		shown++
		b.WriteString("\\begin{figure}[htbp]\n  \\centering\n")
		if strings.HasSuffix(f.File, ".tex") {
			fmt.Fprintf(&b, "  \\input{%s}\n", f.File)
		} else {
			width := "3.25in"
			if f.Wide {
				width = "7in"
			}
			fmt.Fprintf(&b, "  \\includegraphics[width=%s]{%s}\n", width, f.File)
		}
		fmt.Fprintf(&b, "  \\caption{%s}\n  \\label{%s}\n\\end{figure}\n", table.LaTeX(f.Caption), f.Label)
	}
	b.WriteString("\\end{document}\n")
	return b.Bytes()
}

// notesPage is notes.md: what is said of every table, and of which rows.
func notesPage(s *result.Results, tables []table.Table) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!-- %s -->\n\n# Notes to the tables: %s\n", Comment(s), table.Markdown(s.Name))
	for i := range tables {
		t := &tables[i]
		if len(t.Remarks)+len(t.Notes) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n<a id=\"%s\"></a>\n\n## Table %d: [%s](tables.md#%s)\n\n", t.File, i+1, t.File, t.File)
		t.MarkdownNotes(&b)
	}
	return b.Bytes()
}
