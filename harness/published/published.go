// Package published owns the numbers printed in the tables of the Inference
// networks paper: it reads them from data files, finds a table by its label,
// and compares a study's results with the rows of a table. It refuses to hold a
// number of its own: what was printed is in the files, the rest is computed from
// them. Whether the printed numbers fit each other is the matter of
// experiments/paper/audit.
//
// Its opinion: a printed number was rounded, so every comparison allows for half
// a unit of its last digit.
package published

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/spec/place"
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
func (n Number) Half() float64 { return float64(n.Unit / 2) }

// Printed is one table as it was printed. Groups are empty for the sufficiency table,
// Tests for all others.
type Printed struct {
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
	fit := int(math.Floor(float64(d.Fit*float64(d.Limit)) + 1e-9))
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
	Tables     []Printed
	Datasets   []Dataset
	Models     []Model
	Statements []Statement
	Protocol   map[string]string // what the authors' program did, by the name of the fact
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
func (b *Book) Table(name string) (*Printed, error) {
	for i, t := range b.Tables {
		if name == t.Label || "tab:"+name == t.Label {
			return &b.Tables[i], nil
		}
	}
	return nil, fmt.Errorf("no published table %q: %s", name, place.Suggest(name, b.Labels()))
}

// Groups lists the groups of all tables, in their order.
func (b *Book) Groups() []*Group {
	var out []*Group
	for i := range b.Tables {
		for j := range b.Tables[i].Groups {
			out = append(out, &b.Tables[i].Groups[j])
		}
	}
	return out
}

// Stated finds a number of the paper's text.
func (b *Book) Stated(quantity string) (float64, bool) {
	for _, s := range b.Statements {
		if s.Quantity == quantity {
			n, err := Parse(s.Value)
			return n.Value, err == nil
		}
	}
	return 0, false
}

// Covers lists the pairs of models and the datasets of a table, and counts its
// rows.
func (t *Printed) Covers() (pairs, datasets []string, rows int) {
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
