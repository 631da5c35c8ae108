// Package manuscript is what a paper takes from runs. It owns the names of numbers and the files that LaTeX reads. It
// refuses to compute: numbers and tables are those of package reports. Its
// opinion: a number that is typed by hand is out of date before the paper is.
package manuscript

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports"
	"infnet/reports/figure"
	"infnet/reports/table"
)

// Run is the results of a run, with the folder that they are from.
type Run struct {
	Folder  string
	Results *result.Results
}

// Book is the numbers of some runs, by name.
type Book struct {
	numbers []reports.Number
	names   [][]string // of each, the full one first
	at      map[string]int
	runs    []Run
}

// NewBook names the numbers of runs. The full name of a number is STUDY.CASCADE.DATASET.POLICY.QUANTITY; of a number of
// no policy without POLICY. Parts on the left may be left out where the others tell numbers apart, and so may the
// policy that the headline is about. Two runs of one study are an error.
func NewBook(runs []Run) (*Book, error) {
	b := &Book{at: map[string]int{}, runs: runs}
	for i, r := range runs {
		for _, other := range runs[:i] {
			if table.Segment(other.Results.Name) == table.Segment(r.Results.Name) {
				return nil, fmt.Errorf("%s and %s are both runs of the study %s, so that a name would mean two numbers: leave "+
					"one out", other.Folder, r.Folder, r.Results.Name)
			}
		}
		b.numbers = append(b.numbers, reports.Numbers(r.Results)...)
	}
	b.name()
	return b, nil
}

// Len is how many numbers there are.
func (b *Book) Len() int { return len(b.numbers) }

// name gives every number its names: the full one, and the shortest that is its alone, with its policy and, where the
// headline is about that, without.
func (b *Book) name() {
	count, full := map[string]int{}, map[string]int{}
	forms := make([][][]string, len(b.numbers))
	for i := range b.numbers {
		forms[i] = namesOf(&b.numbers[i], "")
		first := forms[i][0][0]
		if full[first]++; full[first] > 1 { // of classes "C" and "C++"
			forms[i] = namesOf(&b.numbers[i], "-"+strconv.Itoa(full[first]))
		}
		for _, name := range slices.Concat(forms[i]...) {
			count[name]++
		}
	}
	b.names = make([][]string, len(b.numbers))
	for i, tails := range forms {
		names := []string{tails[0][0]}
		for _, longest := range tails {
			for _, name := range slices.Backward(longest) {
				if count[name] == 1 {
					if !slices.Contains(names, name) {
						names = append(names, name)
					}
					break
				}
			}
		}
		for _, name := range names {
			b.at[name] = i
		}
		b.names[i] = names
	}
}

// part is a name as a part of a number's: as long as it is, for cascades may begin in the same way.
func part(name string) string {
	return strings.Trim(strings.NewReplacer(".", "-", ":", "-").Replace(table.Slug(name)), "-")
}

// namesOf are the names that a number could have, the longest first: with its policy, and those without. ends tells
// it from another of its name.
func namesOf(n *reports.Number, ends string) (all [][]string) {
	where := []string{part(n.Study), part(n.Cascade), part(n.Dataset)}
	tails := []string{n.Quantity + ends}
	if n.Policy != "" {
		tails[0] = part(n.Policy) + "." + n.Quantity + ends
		if n.Main {
			tails = append(tails, n.Quantity+ends)
		}
	}
	for _, tail := range tails {
		var names []string
		for i := range where {
			names = append(names, strings.ToLower(strings.Join(where[i:], ".")+"."+tail))
		}
		all = append(all, names)
	}
	return all
}

func (b *Book) shortest(i int) string {
	return slices.MinFunc(b.names[i], func(x, y string) int { return len(x) - len(y) })
}

// NumbersFile is numbers.tex: a definition for every name.
func (b *Book) NumbersFile() []byte {
	var out bytes.Buffer
	out.WriteString(b.comments())
	out.WriteString(preamble)
	for i := range b.numbers {
		for _, name := range b.names[i] {
			fmt.Fprintf(&out, "\\infnet@set{%s}{%s}%%\n", name, latex(b.numbers[i].Text))
		}
	}
	out.WriteString("\\makeatother\n")
	return out.Bytes()
}

func (b *Book) comments() string {
	var out strings.Builder
	for _, r := range b.runs {
		fmt.Fprintf(&out, "%% %s\n", reports.Comment(r.Results))
	}
	return out.String()
}

// preamble defines \inf when the document begins, after all packages: with a name in braces a number, else the operator
// as it was, which braces in mathematics that hold no name get, too. Elsewhere an unknown name is an error.
const preamble = `\makeatletter
\def\infnet@number#1{\@ifundefined{infnet@\detokenize{#1}}{\infnet@unknown{#1}}{\csname infnet@\detokenize{#1}\endcsname}}%
\def\infnet@unknown#1{\ifmmode\infnet@operator{#1}\else
  \PackageError{infnet}{No number is called \detokenize{#1}}{numbers.tex has the names}\fi}%
\def\infnet@set#1#2{\expandafter\def\csname infnet@\detokenize{#1}\endcsname{#2}}%
\def\infnet@bookmark#1{\csname infnet@\detokenize{#1}\endcsname}%
\AtBeginDocument{%
  \@ifundefined{inf }{\let\infnet@operator\inf}{\expandafter\let\expandafter\infnet@operator\csname inf \endcsname}%
  \DeclareRobustCommand\inf{\@ifnextchar\bgroup\infnet@number\infnet@operator}%
  \@ifundefined{pdfstringdefDisableCommands}{}{\pdfstringdefDisableCommands{%
    \let\inf\infnet@bookmark\let\ensuremath\@firstofone}}}%
`

func latex(text string) string {
	text = strings.Replace(text, "-", `\ensuremath{-}`, 1)
	text = strings.Replace(text, "< ", `\ensuremath{<}\,`, 1)
	return strings.Replace(text, "inf", `\ensuremath{\infty}`, 1)
}

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
		"\\usepackage{booktabs,multirow,adjustbox,graphicx}\n" +
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
					"    \\includegraphics{%s/figures/%s}\n  \\end{adjustbox}\n  \\caption{%s}\n\\end{figure}\n",
					Folder(r.Results), f.Name, table.LaTeX(f.Caption))
			}
		}
		out.WriteString("\\clearpage\n")
	}
	out.WriteString("\\end{document}\n")
	return out.Bytes()
}

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
