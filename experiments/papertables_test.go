package experiments_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/baseline"
	"infnet/harness/published"
	"infnet/harness/result"
	"infnet/harness/spec"
	"infnet/metrics/infer"
	"infnet/reports"
	"infnet/sufficiency"
)

// printedTable is a table as it is printed, of plain text in lower case: what two ways of typesetting have in common.
type printedTable struct {
	Caption string
	Aligns  string   // LaTeX: one letter a column
	TeX     []string // LaTeX: the heads as they are written, but for bold type
	Heads   []string //
	Rows    [][]string
	Groups  []int // rows of each, between rules
}

// TestTablesAreThePapers renders every study of the paper with the numbers that the paper printed, and compares the
// LaTeX and the Markdown with the paper's own LaTeX, cell for cell: heads (with their mathematics), rows, order,
// alignment, rules, per cent signs, names, digits.
//
// What differs on purpose, and is not compared: captions, which differ from table to table; small capitals in
// captions and heads, which few bold fonts have; words and per cent signs that the paper's heads set as mathematics;
// the rows that \multirow spans (the paper writes 4 of 6); "using using", twice; zeros at the end of a number; the
// standard deviation of p, which follows from the test.
func TestTablesAreThePapers(t *testing.T) {
	file := os.Getenv("INFNET_PAPER")
	if file == "" {
		t.Skip("INFNET_PAPER is not set: it names the paper's LaTeX source")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	paperTables := latexTables(string(text))
	specs, err := filepath.Glob("paper/*.toml")
	if err != nil {
		t.Fatal(err)
	}
	compared := map[string]bool{}
	for _, name := range specs {
		s := paper(t, name, false)
		r := printedNumbers(t, s)
		for _, made := range reports.Tables(r) {
			label := map[string]string{"policies": s.Report.Published, "sufficiency": s.Report.Published,
				"data": "tab:datasets"}[made.Kind]
			if label == "" || made.Kind == "policies" && r.Name == "paper-sufficiency" || // of random rows alone
				made.Kind == "data" && len(s.Datasets) < 6 {
				continue
			}
			compared[label] = true
			want, known := paperTables[label]
			if !known {
				t.Fatalf("the paper has no table %s", label)
			}
			var tex, md bytes.Buffer
			if err := reports.WriteLaTeX(&tex, r, &made); err != nil {
				t.Fatal(err)
			}
			if err := made.Markdown(&md); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(tex.String(), ` $\pm$ 0`) {
				t.Errorf("%s: spaces around ±", label)
			}
			for _, got := range latexTables(tex.String()) {
				compareTables(t, label+" in LaTeX", want, got)
			}
			want.Aligns, want.TeX, want.Groups = "", nil, nil // Markdown has no rules, and its rows say what LaTeX merges
			compareTables(t, label+" in Markdown", want, markdownTable(md.String()))
		}
	}
	for label := range paperTables {
		if !compared[label] {
			t.Errorf("no study makes %s", label)
		}
	}
}

func compareTables(t *testing.T, where string, want, got printedTable) {
	t.Helper()
	if strings.HasPrefix(where, "tab:sufficiency") {
		for _, rows := range [][][]string{want.Rows, got.Rows} {
			for _, row := range rows {
				row[len(row)-1], _, _ = strings.Cut(row[len(row)-1], "±")
			}
		}
	}
	want.Caption, got.Caption = "", ""
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-paper +ours):\n%s", where, d)
	}
}

// printedNumbers are results of a study whose numbers are those that the paper printed for it.
func printedNumbers(t *testing.T, s *spec.Study) *result.Results {
	b, err := published.Read(os.DirFS("paper"))
	if err != nil {
		t.Fatal(err)
	}
	book, err := b.Table(s.Report.Published)
	if err != nil {
		t.Fatal(err)
	}
	r := answered(s)
	r.Name, r.Style, r.Level, r.Published = s.Name, s.Report.Style, s.Report.Level, book
	for _, d := range s.Datasets { // results name them in the order in which they are defined
		r.Spec.Answers = append(r.Spec.Answers, result.AnswersContent{Model: s.Models[0].Name, Dataset: d.Name})
	}
	for i := range r.Cascades {
		c := &r.Cascades[i]
		for k := range c.Datasets {
			d := &c.Datasets[k]
			defined, _ := s.Dataset(d.Name)
			for _, m := range defined.Metrics {
				d.Metrics = append(d.Metrics, string(m))
			}
			for _, l := range defined.Labels {
				d.Labels = append(d.Labels, l.Class)
			}
			at := slices.IndexFunc(book.Groups, func(g result.PublishedGroup) bool {
				return g.Dataset == d.Name && g.Student == c.Models[0] && g.Master == c.Models[1]
			})
			if at < 0 {
				t.Fatalf("%s prints nothing of %v on %s", book.Table, c.Models, d.Name)
			}
			d.Rows = printedRows(s, d, &book.Groups[at])
			d.Sufficiency = printedTests(t, &book.Groups[at])
		}
	}
	return r
}

// printedRows are the rows that a run has: no and all deferrals, the baselines, both forms of ours.
func printedRows(s *spec.Study, d *result.Dataset, g *result.PublishedGroup) (rows []result.Row) {
	policies := []string{"none", "all"}
	for _, b := range s.Baselines {
		if p := string(b.Kind); !slices.Contains(policies, p) {
			policies = append(policies, p)
		}
	}
	policies = append(policies, "single")
	if len(d.Labels) > 0 {
		policies = append(policies, "multi")
	}
	for _, policy := range policies {
		row := result.Row{Policy: policy, Title: policy, Metrics: map[string]infer.Interval{}}
		known, _ := baseline.OfRow(policy)
		called := known.Printed
		if policy == policies[len(policies)-1] {
			called = "Ours"
		}
		if p := published.Row(g, called); p != nil {
			for i, m := range d.Metrics {
				row.Metrics[m] = exactly(p.Scores[i].Value)
			}
			row.Saved = exactly(p.Saved.Value)
		}
		rows = append(rows, row)
	}
	return rows
}

func printedTests(t *testing.T, g *result.PublishedGroup) *result.Sufficiency {
	if len(g.Tests) == 0 {
		return nil
	}
	out := &result.Sufficiency{Alpha: 0.05}
	text, err := os.ReadFile("paper/sufficiency.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		if l[0] != g.Dataset || l[1] != g.Student || l[2] != g.Master {
			continue
		}
		var v []float64 // mse_null, mse_null_sd, mse_full, mse_full_sd, delta_mse, p, p_sd
		for _, cell := range l[4:] {
			n, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			v = append(v, n)
		}
		out.Rows = append(out.Rows, sufficiency.Row{Set: l[3], State: sufficiency.Tested,
			MSENull: sufficiency.MSE{Pooled: v[0], SD: v[1]}, MSEFull: sufficiency.MSE{Pooled: v[2], SD: v[3]},
			Gain: exactly(v[4]), P: v[5], Permutation: &sufficiency.Permutation{Test: sufficiency.Permuted{
				Statistics: make([]float64, 10)}}})
	}
	return out
}

func exactly(v float64) infer.Interval {
	return infer.Interval{Value: v, Low: v - 0.001, High: v + 0.001, N: 1}
}

var (
	tableBody = regexp.MustCompile(`(?s)\\begin\{table\*?\}(.*?)\\end\{table\*?\}`)
	labelOf   = regexp.MustCompile(`\\label\{([^}]*)\}`)
	tabular   = regexp.MustCompile(`(?s)\\begin\{tabular\}\{(\w+)\}(.*?)\\end\{tabular\}`)
)

// latexTables reads the floats of a document, by label.
func latexTables(document string) map[string]printedTable {
	out := map[string]printedTable{}
	for _, float := range tableBody.FindAllStringSubmatch(document, -1) {
		label, body := labelOf.FindStringSubmatch(float[1]), tabular.FindStringSubmatch(float[1])
		if label == nil || body == nil {
			continue
		}
		p := printedTable{Caption: plainText(argument(float[1], `\caption`)), Aligns: body[1]}
		merged := ""
		for i, part := range regexp.MustCompile(`\\(?:mid|bottom|top)rule`).Split(body[2], -1) {
			n := 0
			for line := range strings.SplitSeq(part, `\\`) {
				if strings.TrimSpace(line) == "" {
					continue
				}
				var cells []string
				for cell := range strings.SplitSeq(line, " & ") {
					if at := strings.Index(cell, `\multirow`); at >= 0 {
						cell = cell[strings.Index(cell, "{*}")+3:]
						merged = plainText(cell)
					}
					cells = append(cells, plainText(strings.TrimPrefix(strings.TrimSpace(cell), "&")))
				}
				if first := strings.TrimSpace(line); strings.HasPrefix(first, "&") {
					cells = append([]string{merged}, cells[len(cells)-len(p.Heads)+1:]...)
				}
				if i == 1 {
					p.Heads = cells
					for head := range strings.SplitSeq(line, " & ") {
						p.TeX = append(p.TeX, headSource(head))
					}
					continue
				}
				p.Rows, n = append(p.Rows, cells), n+1
			}
			if n > 0 {
				p.Groups = append(p.Groups, n)
			}
		}
		out[label[1]] = p
	}
	return out
}

// headSource is a head as it is written, without what makes it bold.
func headSource(s string) string {
	if strings.Contains(s, `\textbf`) {
		s = argument(s, `\textbf`)
	}
	return strings.TrimSpace(strings.NewReplacer(`\bf `, "", `$\bf Accuracy$`, "Accuracy", `$\bf F_1$`, "$F_1$",
		`$\mathbf{F_1}$`, "$F_1$", `$\bf \%$`, `\%`, `$\%$`, `\%`, `\textsc{rouge-l}`, "rouge-l", `\textsc{cosine}`,
		"cosine").Replace(s))
}

// markdownTable reads the first table of a page, and the paragraph before it.
func markdownTable(page string) (p printedTable) {
	merged := ""
	for line := range strings.SplitSeq(page, "\n") {
		switch {
		case !strings.HasPrefix(line, "|"):
			if p.Heads == nil && line != "" && !strings.HasPrefix(line, "<!--") {
				p.Caption = plainText(line)
			}
			continue
		case strings.HasPrefix(line, "|:-") || strings.HasPrefix(line, "|--"):
			continue
		}
		var cells []string
		for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
			cells = append(cells, plainText(cell))
		}
		if p.Heads == nil {
			p.Heads = cells
			continue
		}
		if cells[0] == "" {
			cells[0] = merged
		}
		merged = cells[0]
		p.Rows = append(p.Rows, cells)
	}
	return p
}

// argument is what stands in the braces behind a command.
func argument(text, command string) string {
	_, rest, _ := strings.Cut(text, command+"{")
	depth := 1
	for i, c := range rest {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return rest[:i]
			}
		}
	}
	return rest
}

var (
	commands     = regexp.MustCompile(`\\(?:textsc|textbf|textsubscript|mathrm|mathbf|bf|sc|ensuremath)\b`)
	trailingZero = regexp.MustCompile(`(\.\d*?)0+\b`)
	spaces       = regexp.MustCompile(`\s+`)
)

// plainText is LaTeX or Markdown without typography, in lower case, with numbers in their shortest form.
func plainText(s string) string {
	s = strings.NewReplacer(`\%`, "%", `\pm`, "±", `\beta`, "β", `\Delta`, "Δ", `\_`, "_", "$", "", "−", "-", "using using", "using",
		`\,`, " ").Replace(s)
	s = commands.ReplaceAllString(s, "")
	s = strings.NewReplacer("{", "", "}", "", "_", "", "~", " ", "₁", "1", "*", "", "<sub>", "", "</sub>", "").
		Replace(s)
	if !strings.Contains(s, " / ") { // performance has its digits
		s = trailingZero.ReplaceAllStringFunc(s, func(n string) string {
			return strings.TrimRight(strings.TrimRight(n, "0"), ".")
		})
	}
	s = spaces.ReplaceAllString(strings.ToLower(s), " ")
	for _, mark := range []string{"±", "(", ")", "+"} {
		s = strings.ReplaceAll(strings.ReplaceAll(s, " "+mark, mark), mark+" ", mark)
	}
	return strings.TrimSpace(s)
}
