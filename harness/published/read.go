package published

import (
	"encoding/csv"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Read reads the data files: results.csv, sufficiency.csv, datasets.csv,
// models.csv, statements.csv and protocol.csv.
func Read(fsys fs.FS) (*Book, error) {
	b := &Book{Protocol: map[string]string{}}
	for _, f := range []struct {
		name   string
		header string
		take   func(*line)
	}{
		{"datasets.csv", "dataset,source,task,score1,score2,direction,limit,fit,order,max_tokens", b.dataset},
		{"models.csv", "model,id,shape",
			func(l *line) { b.Models = append(b.Models, Model{l.text(0), l.text(1), l.text(2)}) }},
		{"results.csv", "table,dataset,student,master,policy,score1,score2,saved_pct", b.row},
		{"sufficiency.csv", "dataset,student,master,extra,mse_null,mse_null_sd,mse_full,mse_full_sd,delta_mse,p,p_sd",
			b.test},
		{"statements.csv", "place,quantity,table,dataset,value", func(l *line) {
			b.Statements = append(b.Statements, Statement{l.text(0), l.text(1), l.cells[2], l.cells[3], l.text(4)})
		}},
		{"protocol.csv", "fact,value", func(l *line) { b.Protocol[l.text(0)] = l.text(1) }},
	} {
		if err := read(fsys, f.name, f.header, f.take); err != nil {
			return nil, fmt.Errorf("published numbers: %w", err)
		}
	}
	return b, b.check()
}

// line is one record of a data file; the first mistake in it is kept.
type line struct {
	cells []string
	err   error
}

func (l *line) text(i int) string {
	if l.cells[i] == "" && l.err == nil {
		l.err = fmt.Errorf("column %d is empty", i+1)
	}
	return l.cells[i]
}

func (l *line) number(i int) Number {
	n, err := Parse(l.cells[i])
	if err != nil && l.err == nil {
		l.err = fmt.Errorf("column %d: %w", i+1, err)
	}
	return n
}

func (l *line) whole(i int) int {
	n := l.number(i)
	if n.Value != math.Trunc(n.Value) && l.err == nil {
		l.err = fmt.Errorf("column %d: %q is no whole number", i+1, n.Text)
	}
	return int(n.Value)
}

// Parse reads a plain decimal.
func Parse(text string) (Number, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "-.0123456789") != "" {
		return Number{}, fmt.Errorf("%q is no decimal", text)
	}
	_, decimals, _ := strings.Cut(text, ".")
	if len(decimals) > 15 {
		return Number{}, fmt.Errorf("%q has more than 15 decimals", text)
	}
	return Number{Text: text, Value: v, Unit: math.Pow10(-len(decimals))}, nil
}

// read goes through one file.
func read(fsys fs.FS, name, header string, take func(*line)) error {
	f, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if len(records) < 2 || strings.Join(records[0], ",") != header {
		return fmt.Errorf("%s: want the columns %s, and rows below them", name, header)
	}
	for i, r := range records[1:] {
		l := &line{cells: r}
		if take(l); l.err != nil {
			return fmt.Errorf("%s, line %d: %w", name, i+2, l.err)
		}
	}
	return nil
}

func (b *Book) dataset(l *line) {
	b.Datasets = append(b.Datasets, Dataset{
		Name: l.text(0), Source: l.text(1), Task: l.text(2), Metrics: [2]string{l.text(3), l.text(4)}, Direction: l.cells[5],
		Limit: l.whole(6), Fit: l.number(7).Value, Order: l.text(8), MaxTokens: l.whole(9),
	})
}

func (b *Book) row(l *line) {
	t := b.open(l.text(0))
	g := Group{Table: t.Label, Dataset: l.text(1), Student: l.text(2), Master: l.text(3)}
	at := slices.IndexFunc(t.Groups, func(x Group) bool {
		return x.Dataset == g.Dataset && x.Student == g.Student && x.Master == g.Master
	})
	if at < 0 {
		t.Groups, at = append(t.Groups, g), len(t.Groups)
	}
	t.Groups[at].Rows = append(t.Groups[at].Rows, Row{
		Policy: l.text(4), Scores: [2]Number{l.number(5), l.number(6)}, Saved: l.number(7),
	})
}

func (b *Book) test(l *line) {
	t := b.open(Sufficiency)
	t.Tests = append(t.Tests, Test{
		Dataset: l.text(0), Student: l.text(1), Master: l.text(2), Extra: l.text(3),
		Null: l.number(4), NullSD: l.number(5), Full: l.number(6), FullSD: l.number(7), Delta: l.number(8), P: l.number(9),
		PSD: l.number(10),
	})
}

// open returns the table of a label, a new one where there is none.
func (b *Book) open(label string) *Printed {
	for i := range b.Tables {
		if b.Tables[i].Label == label {
			return &b.Tables[i]
		}
	}
	b.Tables = append(b.Tables, Printed{Label: label})
	return &b.Tables[len(b.Tables)-1]
}

// check makes sure that the files fit each other.
func (b *Book) check() error {
	known := func(dataset string, models ...string) error {
		if b.Dataset(dataset) == nil {
			return fmt.Errorf("published numbers: no dataset %q in datasets.csv", dataset)
		}
		for _, m := range models {
			if !slices.ContainsFunc(b.Models, func(x Model) bool { return x.Name == m }) {
				return fmt.Errorf("published numbers: no model %q in models.csv", m)
			}
		}
		return nil
	}
	for _, t := range b.Tables {
		for _, g := range t.Groups {
			if err := known(g.Dataset, g.Student, g.Master); err != nil {
				return err
			}
			for i, r := range g.Rows {
				if !slices.Contains(Policies(), r.Policy) ||
					slices.ContainsFunc(g.Rows[:i], func(x Row) bool { return x.Policy == r.Policy }) {
					return fmt.Errorf("published numbers: %s, %s: the policy %q is unknown, or there twice", t.Label, g.Dataset,
						r.Policy)
				}
			}
		}
		for _, x := range t.Tests {
			if err := known(x.Dataset, x.Student, x.Master); err != nil {
				return err
			}
		}
	}
	return nil
}
