// Package published owns the numbers printed in the tables of the Inference
// networks paper: it reads them from data files, finds a table by its label,
// sets a study's results beside the rows the study stands against, and audits
// the printed numbers by arithmetic alone. It refuses to hold a number of its
// own: what was printed is in the files, the rest is computed from them.
//
// Its opinion: a printed number is a decimal with an end, so every check
// carries the half unit that rounding may have taken away.
package published

import (
	"encoding/csv"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/spec"
)

// Sufficiency is the label of the one table that is not of policies.
const Sufficiency = "tab:sufficiency"

// Policies of the published tables, as they are printed and in their order.
const (
	None      = "None Deferred"
	All       = "All Deferred"
	Random    = "Random"
	FrugalGPT = "FrugalGPT"
	HybridLLM = "HybridLLM"
	Ours      = "Ours"
)

// Policies lists the six rows that every group of a table should have.
func Policies() []string { return []string{None, All, Random, FrugalGPT, HybridLLM, Ours} }

// Number is a decimal as it was printed.
type Number struct {
	Text  string
	Value float64
	Unit  float64 // one unit of the last digit printed: 0.01 for "0.84", 1 for "97"
}

// Half is the most that rounding can have moved the number.
func (n Number) Half() float64 { return n.Unit / 2 }

// Table is one published table. Groups are empty for the sufficiency table,
// Tests for all others.
type Table struct {
	Label  string
	Groups []Group
	Tests  []Test
}

// Group is the rows of one dataset and pair of models.
type Group struct {
	Table, Dataset, Student, Master string
	Rows                            []Row
}

// Row is one policy's line.
type Row struct {
	Policy string
	Scores [2]Number // by the metrics of the dataset, in [0,1]
	Saved  Number    // percent of the cost of asking the master everything
}

// Row returns the group's row of a policy.
func (g *Group) Row(policy string) (Row, bool) {
	i := slices.IndexFunc(g.Rows, func(r Row) bool { return r.Policy == policy })
	if i < 0 {
		return Row{}, false
	}
	return g.Rows[i], true
}

// Test is one line of the sufficiency table.
type Test struct {
	Dataset, Student, Master string
	Extra                    string // "embeddings" or "output-stats"
	Null, NullSD             Number // mean squared error from β, and its spread over folds
	Full, FullSD             Number // from β and J
	Delta                    Number
	P, PSD                   Number
}

// Dataset is how the authors used a dataset.
type Dataset struct {
	Name, Source, Task string
	Metrics            [2]string
	Direction          string // translation: "de-en", from German into English; "" for others
	Limit              int    // first rows of the source
	Fit                float64
	Order              string
	MaxTokens          int
}

// Tests is the number of records of the test part.
func (d *Dataset) Tests() int {
	fit := int(math.Floor(d.Fit*float64(d.Limit) + 1e-9))
	return d.Limit - fit
}

// Model is one of the models, and the name of its known shape.
type Model struct{ Name, ID, Shape string }

// Statement is a number that the paper's text says.
type Statement struct {
	Place, Quantity, Table, Dataset, Value string
}

// Book is everything published.
type Book struct {
	Tables     []Table
	Datasets   []Dataset
	Models     []Model
	Statements []Statement
	Protocol   map[string]string // what the authors' program did, by the name of the fact
}

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
		{"models.csv", "model,id,shape", func(l *line) { b.Models = append(b.Models, Model{l.text(0), l.text(1), l.text(2)}) }},
		{"results.csv", "table,dataset,student,master,policy,score1,score2,saved_pct", b.row},
		{"sufficiency.csv", "dataset,student,master,extra,mse_null,mse_null_sd,mse_full,mse_full_sd,delta_mse,p,p_sd", b.test},
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
	n, err := parse(l.cells[i])
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

// parse reads a plain decimal.
func parse(text string) (Number, error) {
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
		Null: l.number(4), NullSD: l.number(5), Full: l.number(6), FullSD: l.number(7), Delta: l.number(8), P: l.number(9), PSD: l.number(10),
	})
}

// open returns the table of a label, a new one where there is none.
func (b *Book) open(label string) *Table {
	for i := range b.Tables {
		if b.Tables[i].Label == label {
			return &b.Tables[i]
		}
	}
	b.Tables = append(b.Tables, Table{Label: label})
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
				if !slices.Contains(Policies(), r.Policy) || slices.ContainsFunc(g.Rows[:i], func(x Row) bool { return x.Policy == r.Policy }) {
					return fmt.Errorf("published numbers: %s, %s: the policy %q is unknown, or there twice", t.Label, g.Dataset, r.Policy)
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

// Dataset returns how a dataset was used; nil for one that was not.
func (b *Book) Dataset(name string) *Dataset {
	for i := range b.Datasets {
		if b.Datasets[i].Name == name {
			return &b.Datasets[i]
		}
	}
	return nil
}

// Labels lists the tables in the order of the paper.
func (b *Book) Labels() []string {
	out := make([]string, len(b.Tables))
	for i, t := range b.Tables {
		out[i] = t.Label
	}
	return out
}

// Table finds a table by its label, with or without "tab:". The error for
// another name suggests the nearest.
func (b *Book) Table(name string) (*Table, error) {
	for i, t := range b.Tables {
		if name == t.Label || "tab:"+name == t.Label {
			return &b.Tables[i], nil
		}
	}
	return nil, fmt.Errorf("no published table %q: %s", name, spec.Suggest(name, b.Labels()))
}

// Covers lists the pairs of models and the datasets of a table, and counts its
// rows.
func (t *Table) Covers() (pairs, datasets []string, rows int) {
	add := func(list []string, s string) []string {
		if slices.Contains(list, s) {
			return list
		}
		return append(list, s)
	}
	for _, g := range t.Groups {
		pairs, datasets, rows = add(pairs, g.Student+" / "+g.Master), add(datasets, g.Dataset), rows+len(g.Rows)
	}
	for _, x := range t.Tests {
		pairs, datasets, rows = add(pairs, x.Student+" / "+x.Master), add(datasets, x.Dataset), rows+1
	}
	return pairs, datasets, rows
}
