package table

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run
)

// Whatever a table holds, what is written fits its room, with every column and every row in it.
func TestEveryTableFits(t *testing.T) {
	words := rapid.SampledFrom([]string{"Ours", "threshold per class", "meta-llama/Llama-3.1-405B-Instruct-FP8-dynamic",
		"模型-größer", "a_b", "", strings.Repeat("0123456789abcdef", 4), "100 % & more → [x]"})
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 14).Draw(t, "columns")
		var tab Table
		kinds := make([]int, n)
		for i := range n {
			kinds[i] = rapid.IntRange(0, 3).Draw(t, "kind")
			tab.Columns = append(tab.Columns, Column{Head: Words(words.Draw(t, "head")),
				Merge: rapid.Bool().Draw(t, "merge") && i < n-1, Align: Align(rapid.IntRange(0, 2).Draw(t, "align"))})
		}
		for range rapid.IntRange(1, 2).Draw(t, "groups") {
			var group []Row
			for range rapid.SampledFrom([]int{1, 1, 2, 2, 3, 25}).Draw(t, "rows") {
				row := make(Row, n)
				for i := range row {
					switch kinds[i] {
					case 0:
						row[i] = Of(Plain(words.Draw(t, "text")))
					case 1:
						row[i] = Of(Name(words.Draw(t, "name")))
					default:
						for k := range kinds[i] - 1 + rapid.IntRange(0, 4).Draw(t, "more") {
							if k > 0 {
								row[i].Text = append(row[i].Text, Plain(" / "))
							}
							row[i].Text = append(row[i].Text, Num(Estimated(-12.345, -100, 100, 2)))
						}
					}
				}
				group = append(group, row)
			}
			tab.Groups = append(tab.Groups, group)
		}
		f := (*latex)(&tab).form()
		seen := map[int]bool{}
		for _, cols := range f.panels {
			for _, c := range cols {
				seen[c.index] = true
			}
			if w := total(cols); w > f.room()+0.1 {
				t.Fatalf("%d columns are %.0f letters wide, and the room is %.0f", len(cols), w, f.room())
			}
		}
		for i, c := range tab.Columns {
			if !seen[i] && !(f.heads && c.Merge) {
				t.Fatalf("column %d is left out", i)
			}
		}
		for _, cols := range f.panels {
			rows := 0
			for _, block := range (*latex)(&tab).blocks(cols) {
				rows += len(block)
			}
			want := 0
			for _, g := range tab.Groups {
				want += len(g)
			}
			if rows != want {
				t.Fatalf("%d rows are in a longtable, want %d", rows, want)
			}
		}
	})
}

// The two distances of an interval give the ends that brackets show, whatever is rounded; where
// they would not, brackets stay.
func TestPlusMinus(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name, want, latex string
		n                 Number
	}{ // by hand
		{"equal", "0.87 ±0.02", `0.87\,$\pm$\,0.02`, Estimated(0.87, 0.85, 0.89, 2)},
		{"unequal", "0.93 +0.03 −0.04", `0.93$^{+0.03}_{-0.04}$`, Estimated(0.93, 0.89, 0.96, 2)},
		{"equal when rounded", "0.87 ±0.02", `0.87\,$\pm$\,0.02`, Estimated(0.871, 0.852, 0.888, 2)},
		{"unequal when rounded", "0.7 +0.0 −0.1", `0.7$^{+0.0}_{-0.1}$`, Estimated(0.66, 0.64, 0.69, 1)},
		{"percent", "16.4 +6.0 −5.9", `16.4$^{+6.0}_{-5.9}$`, Estimated(0.1641, 0.1049, 0.2241, 1).AsPercent()},
		{"constant", "92.4", "92.4", Estimated(92.41, 92.41, 92.41, 1)},
		{"outside its ends", "0.50 [0.60, 0.70]", `0.50~[0.60,\,0.70]`, Estimated(0.5, 0.6, 0.7, 2)},
		{"infinite", "-inf [-inf, 3.0]", `$-\infty$~[$-\infty$,\,3.0]`, Estimated(-inf, -inf, 3, 1)},
		{"one end infinite", "1.0 +2.0 −inf", `1.0$^{+2.0}_{-\infty}$`, Estimated(1, -inf, 3, 1)},
		{"no upper end", "2.0 [at least -1.0]", `2.0~[at~least~$-$1.0]`, Estimated(2, -1, inf, 1)},
		{"undefined", "0.50 [n/a]", `0.50~[n/a]`, Estimated(0.5, math.NaN(), 0.7, 2)},
		{"digits that count", "1.2e-07 +3e-08 −2e-08", `$1.2\times10^{-7}$$^{+3\times10^{-8}}_{-2\times10^{-8}}$`,
			Number{Value: 1.2e-7, Low: 1e-7, High: 1.5e-7, Estimate: true, Significant: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.n.Ranges = PlusMinus
			if got := c.n.String(); got != c.want {
				t.Errorf("text %q, want %q", got, c.want)
			}
			if got := latexPart(Num(c.n)); got != c.latex {
				t.Errorf("LaTeX %q, want %q", got, c.latex)
			}
			c.n.Ranges = NoRanges
			if got := c.n.String(); got != c.n.value() {
				t.Errorf("without intervals %q, want %q", got, c.n.value())
			}
		})
	}
}
