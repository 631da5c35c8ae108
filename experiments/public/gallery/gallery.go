// Package gallery compares numbers printed in papers with those that the papers'
// own recorded answers give. It owns printed.csv and papers.csv, the comparison
// with its verdicts and reasons, the curves of the cascades of recorded models,
// and the page that shows all of it. It refuses to hold a record: those are in
// the folder that INFNET_DATA names. It trains nothing and asks no model.
//
// Its opinion: a printed number agrees with ours where rounding, and the margin
// that was printed with it, explain the difference; and a difference that they do
// not explain gets a reason, not a wider tolerance.
package gallery

import (
	"encoding/csv"
	"fmt"
	"io/fs"
	"math"
	"strings"

	"infnet/harness/published"
)

// Paper is a paper whose numbers are compared, and the records it rests on.
type Paper struct {
	Key, Title, Authors, Venue, ArXiv string
	Records, Commit, Licence          string // of the records: repository, commit, licence
	Checked                           string // how the printed numbers were read
}

// Line is one number of a paper. Without Value the paper does not print it.
type Line struct {
	Paper, Place, Set, Row, Quantity string
	Value                            published.Number
	Margin                           published.Number // printed with it as ±; "" = none
}

// Printed reports whether the paper prints the number.
func (l Line) Printed() bool { return l.Value.Text != "" }

// Book is everything printed.
type Book struct {
	Papers []Paper
	Lines  []Line
}

// Read reads papers.csv and printed.csv.
func Read(fsys fs.FS) (*Book, error) {
	b := &Book{}
	err := rows(fsys, "papers.csv", "paper,title,authors,venue,arxiv,records,commit,licence,checked",
		func(c []string) error {
			b.Papers = append(b.Papers, Paper{c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8]})
			return nil
		})
	if err != nil {
		return nil, err
	}
	seen := map[Line]bool{}
	return b, rows(fsys, "printed.csv", "paper,place,set,row,quantity,value,margin", func(c []string) error {
		l := Line{Paper: c[0], Place: c[1], Set: c[2], Row: c[3], Quantity: c[4]}
		key := Line{Paper: l.Paper, Set: l.Set, Row: l.Row, Quantity: l.Quantity}
		if seen[key] {
			return fmt.Errorf("the %s of %s on %s is there twice", l.Quantity, l.Row, l.Set)
		}
		seen[key] = true
		if _, known := b.paper(l.Paper); !known {
			return fmt.Errorf("no paper %q in papers.csv", l.Paper)
		}
		if _, known := quantities[l.Quantity]; !known {
			return fmt.Errorf("no quantity %q", l.Quantity)
		}
		for _, cell := range []struct {
			text string
			to   *published.Number
		}{{c[5], &l.Value}, {c[6], &l.Margin}} {
			if cell.text == "" {
				continue
			}
			n, err := published.Parse(cell.text)
			if err != nil {
				return err
			}
			*cell.to = n
		}
		b.Lines = append(b.Lines, l)
		return nil
	})
}

func (b *Book) paper(key string) (Paper, bool) {
	for _, p := range b.Papers {
		if p.Key == key {
			return p, true
		}
	}
	return Paper{}, false
}

// rows goes through one of the files.
func rows(fsys fs.FS, name, header string, take func(cells []string) error) error {
	f, err := fsys.Open(name)
	if err != nil {
		return fmt.Errorf("printed numbers: %w", err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return fmt.Errorf("printed numbers: %s: %w", name, err)
	}
	if len(all) < 2 || strings.Join(all[0], ",") != header {
		return fmt.Errorf("printed numbers: %s: want the columns %s, and rows below them", name, header)
	}
	for i, cells := range all[1:] {
		if err := take(cells); err != nil {
			return fmt.Errorf("printed numbers: %s, line %d: %w", name, i+2, err)
		}
	}
	return nil
}

// Verdict says whether a printed number agrees with ours.
type Verdict string

// The verdicts.
const (
	Within Verdict = "yes"
	Beyond Verdict = "no"
	Alone  Verdict = "not printed"
)

// Ours is our value of a quantity. Without an interval Low and High are NaN.
type Ours struct {
	Value, Low, High float64
	Reason           string // what our value rests on, and why it may differ
}

// Comparison is a printed number and ours.
type Comparison struct {
	Line
	Ours
}

// Difference is ours minus the printed number.
func (c *Comparison) Difference() float64 { return c.Ours.Value - c.Line.Value.Value }

// Allowed is the difference that rounding and the printed margin explain. The
// margin was rounded too.
func (c *Comparison) Allowed() float64 {
	return c.Line.Value.Half() + c.Margin.Value + c.Margin.Half()
}

// Verdict compares the two.
func (c *Comparison) Verdict() Verdict {
	switch {
	case !c.Printed():
		return Alone
	case math.Abs(c.Difference()) <= c.Allowed()+1e-9:
		return Within
	}
	return Beyond
}

// quantities are what may be printed, and how ours is written.
var quantities = map[string]struct {
	title    string
	decimals int
}{
	"records":        {"questions", 0},
	"correct_pct":    {"correct (%)", 3},
	"of_master_pct":  {"correct (% of GPT-4's)", 2},
	"cost_micro_usd": {"mean cost (USD per million questions)", 3},
	"latency_ms":     {"median latency (ms)", 1},
	"cpt50_pct":      {"CPT(50 %) (%)", 2},
	"cpt80_pct":      {"CPT(80 %) (%)", 2},
	"apgr":           {"APGR", 4},
}
