package table

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNumbers(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name, want, latex string // by hand
		n                 Number
	}{
		{"estimate", "0.87 [0.85, 0.89]", "0.87~[0.85,\\,0.89]", Estimated(0.871, 0.849, 0.8949, 2)},
		{"exact", "104", "104", Exactly(104, 0)},
		{"percent", "13.1 [11.7, 14.6]", "13.1~[11.7,\\,14.6]",
			Estimated(0.1311, 0.1171, 0.1461, 1).AsPercent()},
		{"negative", "-4.12 [-5.00, -3.00]", "$-$4.12~[$-$5.00,\\,$-$3.00]", Estimated(-4.12, -5, -3, 2)},
		{"rounded to zero", "0.00", "0.00", Exactly(-0.001, 2)},
		{"negative zero", "0.0", "0.0", Exactly(math.Copysign(0, -1), 1)},
		{"undefined", "n/a", "n/a", Estimated(nan, nan, nan, 2)},
		{"undefined interval", "0.50 [n/a]", "0.50~[n/a]", Estimated(0.5, nan, 0.6, 2)},
		{"infinite", "inf", "$\\infty$", Exactly(inf, 4)},
		{"no upper end", "1.1 [at least 0.9]", "1.1~[at~least~0.9]", Estimated(1.08, 0.9, inf, 1)},
		{"infinite bound", "1.0 [-inf, inf]", "1.0~[$-\\infty$,\\,$\\infty$]", Estimated(1, -inf, inf, 1)},
		{"tiny", "2.2e-07", "$2.2\\times10^{-7}$", Number{Value: 2.2e-7, Significant: 4}},
		{"large", "1.407e+11", "$1.407\\times10^{11}$", Number{Value: 140694142976, Significant: 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.n.String(); got != c.want {
				t.Errorf("text %q, want %q", got, c.want)
			}
			if got := latexText(Text{Num(c.n)}, true, false); got != c.latex {
				t.Errorf("LaTeX %q, want %q", got, c.latex)
			}
		})
	}
}

// An interval as text and as LaTeX.
func TestIntervals(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name, want, latex string
		n                 Number
	}{ // by hand
		{"usual", "0.87 [0.85, 0.89]", `0.87~[0.85,\,0.89]`, Estimated(0.87, 0.85, 0.89, 2)},
		{"percent", "16.4 [10.5, 22.4]", `16.4~[10.5,\,22.4]`, Estimated(0.1641, 0.1049, 0.2241, 1).AsPercent()},
		{"constant", "92.4", "92.4", Estimated(92.41, 92.41, 92.41, 1)},
		{"infinite", "-inf [-inf, 3.0]", `$-\infty$~[$-\infty$,\,3.0]`, Estimated(-inf, -inf, 3, 1)},
		{"no upper end", "2.0 [at least -1.0]", `2.0~[at~least~$-$1.0]`, Estimated(2, -1, inf, 1)},
		{"undefined", "0.50 [n/a]", `0.50~[n/a]`, Estimated(0.5, math.NaN(), 0.7, 2)},
		{"digits that count", "1.2e-07 [1e-07, 1.5e-07]", `$1.2\times10^{-7}$~[$1\times10^{-7}$,\,$1.5\times10^{-7}$]`,
			Number{Value: 1.2e-7, Low: 1e-7, High: 1.5e-7, Estimate: true, Significant: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.n.String(); got != c.want {
				t.Errorf("text %q, want %q", got, c.want)
			}
			if got := latexText(Text{Num(c.n)}, true, false); got != c.latex {
				t.Errorf("LaTeX %q, want %q", got, c.latex)
			}
		})
	}
}

func TestLettersOfFootnotes(t *testing.T) {
	for i, want := range map[int]string{0: "a", 25: "z", 26: "aa", 27: "ab", 701: "zz", 702: "aaa"} {
		if got := letters(i); got != want {
			t.Errorf("letters(%d) = %s, want %s", i, got, want)
		}
	}
}

func TestEqualNotesShareOneFootnote(t *testing.T) {
	var tab Table
	a, b := tab.Note("k", "x"), tab.Note("k", "y")
	if again := tab.Note("k", "x"); a != again || a == b || len(tab.Notes) != 2 {
		t.Errorf("notes %v: first %d, other %d, again %d", tab.Notes, a, b, again)
	}
	var c Cell
	c.Mark(b)
	c.Mark(a)
	c.Mark(b)
	if c.marks() != "a,b" {
		t.Errorf("marks %q, want a,b", c.marks())
	}
}

// small is a table with groups, merged cells, an estimate and a column for
// files only.
func small() *Table {
	t := &Table{
		Caption: Text{Plain("Of "), Name("m-1"), Plain(".")}, Label: "tab:small",
		Columns: []Column{
			{Head: Words("Data"), Fields: []string{"data"}, Merge: true},
			{Head: Words("Policy"), Fields: []string{"policy"}},
			{Head: Words("Score (a / b)"), Fields: []string{"a", "b"}, Align: Right},
			{Head: Words("n"), Fields: []string{"n"}, Exact: true, DataOnly: true},
		},
		Groups: [][]Row{
			{
				{Of(Name("one")), Of(Plain("Gemma-3 1B")), Of(Num(Estimated(1.0/3, 0.25, 0.5, 2)).Bold(), Plain(" / "),
					Num(Estimated(0.5, 0.4, 0.6, 2))), Of(Num(Exactly(7, 0)))},
				{Of(Name("one")), Of(Plain("Gemma-3 1B")),
					Of(Num(Exactly(math.NaN(), 2)), Plain(" / "), Num(Estimated(0.5, 0.4, 0.6, 2))), Of(Num(Exactly(7, 0)))},
			},
			{{Of(Name("two")), Of(Plain("[x]")), Of(), Of()}},
		},
	}
	t.Groups[0][1][1].Mark(t.Note("odd", "Something is odd."))
	return t
}

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		name, want string // by hand
		write      func(*Table, *bytes.Buffer) error
	}{
		{"markdown", `Of m-1.

| Data | Policy                 |                             Score (a / b) |
|:-----|:-----------------------|------------------------------------------:|
| one  | Gemma-3 1B             | **0.33** [0.25, 0.50] / 0.50 [0.40, 0.60] |
|      | Gemma-3 1B<sup>a</sup> |                   n/a / 0.50 [0.40, 0.60] |
| two  | \[x\]                  |                                           |

<sup>a</sup> Something is odd.
`, func(t *Table, b *bytes.Buffer) error { return t.Markdown(b) }},
		{"csv", `data,policy,a,a_low,a_high,b,b_low,b_high,n,notes
one,Gemma-3 1B,0.3333333333333333,0.25,0.5,0.5,0.4,0.6,7,
one,Gemma-3 1B,,,,0.5,0.4,0.6,7,odd
two,[x],,,,,,,,
`, func(t *Table, b *bytes.Buffer) error { return t.CSV(b) }},
		{"latex", `% needs \usepackage{booktabs,multirow,adjustbox}
\begin{table*}[tp]
  \centering
  \caption{Of m-1.}
  \label{tab:small}
  \small\setlength{\tabcolsep}{3pt}
  \begin{adjustbox}{max width=\linewidth}
  \begin{tabular}{llr}
    \toprule
    \textbf{Data} & \textbf{Policy} & \textbf{Score (a / b)} \\
    \midrule
    \multirow{2}{*}{\textsc{one}} & Gemma-3 1B & \textbf{0.33}~[0.25,\,0.50] / 0.50~[0.40,\,0.60] \\
    & Gemma-3 1B\textsuperscript{a} & n/a / 0.50~[0.40,\,0.60] \\
    \midrule
    \textsc{two} & [x] &  \\
    \bottomrule
  \end{tabular}
  \end{adjustbox}
  \par\smallskip
  \begin{minipage}{\linewidth}\raggedright
  \textsuperscript{a}~Something is odd.
  \end{minipage}
\end{table*}
`, func(t *Table, b *bytes.Buffer) error { return t.LaTeX(b) }},
		{"terminal", `Of m-1.

Data  Policy                                    Score (a / b)
-------------------------------------------------------------
one   Gemma-3 1B      *0.33* [0.25, 0.50] / 0.50 [0.40, 0.60]
      Gemma-3 1B (a)                  n/a / 0.50 [0.40, 0.60]
-------------------------------------------------------------
two   [x]

*x* stands for x in bold.
(a) Something is odd.
`, func(t *Table, b *bytes.Buffer) error { return t.Terminal(b, Look{}) }},
		{"narrow terminal", `Of m-1.

Policy            Score (a / b)
-------------------------------
Data: one
Gemma-3 1B  *0.33* [0.25, 0.50]
              0.50 [0.40, 0.60]
Gemma-3 1B                  n/a
(a)           0.50 [0.40, 0.60]
-------------------------------
Data: two
[x]

*x* stands for x in bold.
(a) Something is odd.
`, func(t *Table, b *bytes.Buffer) error { return t.Terminal(b, Look{Width: 31}) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := c.write(small(), &b); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, b.String()); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// A row that begins with [ or * after \\ would be taken for its argument.
func TestLaTeXRowsThatLookLikeArguments(t *testing.T) {
	for _, s := range []string{"[1em]", "*"} {
		tab := Table{Columns: []Column{{Head: Words(s)}}, Groups: [][]Row{{{Of(Plain(s))}}, {{Of(Plain(s))}}}}
		var b bytes.Buffer
		if err := tab.LaTeX(&b); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "\n    {}"+s); n != 2 {
			t.Errorf("%d of 2 rows begin with {}%s:\n%s", n, s, b.String())
		}
	}
}

// A table of 100 rows in groups of 77, 3 and 20 is three floats: 40 rows, 37 and the 3 that fit beside them, and 20. A
// cut group repeats its merged cells.
func TestLongLaTeXTables(t *testing.T) {
	tab := Table{Label: "long", Caption: Words("Long."),
		Columns: []Column{{Head: Words("Data"), Merge: true}, {Head: Words("Class")}}}
	for i, n := range []int{77, 3, 20} {
		var group []Row
		for range n {
			group = append(group, Row{Of(Plain(letters(i))), Of(Plain("class"))})
		}
		group[0][0].Mark(tab.Note("n", "note "+letters(i)))
		tab.Groups = append(tab.Groups, group)
	}
	var b bytes.Buffer
	if err := tab.LaTeX(&b); err != nil {
		t.Fatal(err)
	}
	for s, want := range map[string]int{
		"\\label{": 1, ", continued": 2, "\\begin{tabular}{ll}": 3, "& class": 100, "note a": 1, "note c": 1,
		"\\multirow{40}{*}{a": 1, "\\multirow{37}{*}{a": 1, "\\multirow{3}{*}{b": 1, "\\multirow{20}{*}{c": 1,
	} {
		if got := strings.Count(b.String(), s); got != want {
			t.Errorf("%q occurs %d times, want %d", s, got, want)
		}
	}
}

// full fails after some bytes, as a full disk does.
type full struct{ left int }

var errFull = errors.New("no space left on device")

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteErrorsAreReported(t *testing.T) {
	for _, c := range []struct {
		name  string
		write func(*Table, *full) error
	}{
		{"markdown", func(t *Table, f *full) error { return t.Markdown(f) }},
		{"latex", func(t *Table, f *full) error { return t.LaTeX(f) }},
		{"csv", func(t *Table, f *full) error { return t.CSV(f) }},
		{"terminal", func(t *Table, f *full) error { return t.Terminal(f, Look{}) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.write(small(), &full{left: 3}); !errors.Is(err, errFull) {
				t.Errorf("error %v, want %v", err, errFull)
			}
		})
	}
}

// No line is wider than the terminal, whatever is in the table.
func TestTerminalWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.SampledFrom(nasty), rapid.StringN(0, 40, 80))
		var tab Table
		tab.Caption = Words(text.Draw(t, "caption"))
		n := rapid.IntRange(1, 5).Draw(t, "columns")
		numeric := make([]bool, n)
		for i := range n {
			numeric[i] = rapid.Bool().Draw(t, "numeric")
			tab.Columns = append(tab.Columns, Column{Head: Words(text.Draw(t, "head")), Merge: rapid.Bool().Draw(t, "merge"),
				Align: Align(rapid.IntRange(0, 2).Draw(t, "align"))})
		}
		for range rapid.IntRange(0, 3).Draw(t, "groups") {
			var group []Row
			for range rapid.IntRange(1, 3).Draw(t, "rows") {
				var row Row
				for i := range n {
					if numeric[i] {
						row = append(row, Of(Num(Estimated(rapid.Float64Range(-99, 99).Draw(t, "v"), 1, 2, 2)).Bold()))
					} else {
						row = append(row, Of(Plain(text.Draw(t, "text"))))
					}
				}
				group = append(group, row)
			}
			tab.Groups = append(tab.Groups, group)
		}
		tab.Remark(Plain(text.Draw(t, "remark")))
		width := rapid.IntRange(20, 120).Draw(t, "width")
		var b bytes.Buffer
		if err := tab.Terminal(&b, Look{Width: width, Color: rapid.Bool().Draw(t, "color")}); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if columns(line) > width {
				t.Fatalf("%d columns on a terminal of %d: %q", columns(line), width, line)
			}
		}
	})
}

func TestSubscripts(t *testing.T) {
	text := Text{Plain("MSE"), Sub("β+J <x>")} // by hand
	for _, c := range []struct{ format, got, want string }{
		{"terminal", text.format(Look{}.part), "MSE_β+J <x>"},
		{"Markdown", text.format(inMarkdown.part), "MSE<sub>β+J &lt;x&gt;</sub>"},
		{"LaTeX", latexText(text, true, false), `MSE\textsubscript{$\beta$+J \textless{}x\textgreater{}}`},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.format, c.got, c.want)
		}
	}
}
