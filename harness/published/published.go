// Package published owns the numbers printed in the tables of the Inference
// networks paper: it reads them from data files, finds a table by its label,
// and compares a study's results with the rows of a table. It refuses to hold a
// number of its own: what was printed is in the files. Whether the printed
// numbers fit each other is on the page experiments/paper/AUDIT.md.
//
// Its opinion: a printed number was rounded, so every comparison allows for half
// a unit of its last digit.
package published

import (
	"fmt"
	"slices"

	"infnet/harness/spec/place"
)

// Sufficiency is the label of the one table that is not of policies.
const Sufficiency = "tab:sufficiency"

// Policies of the published tables, as they are printed.
const (
	None   = "None Deferred"
	All    = "All Deferred"
	Random = "Random"
)

// Number is a decimal as it was printed.
type Number struct {
	Text  string
	Value float64
	Unit  float64 // one unit of the last digit printed: 0.01 for "0.84", 1 for "97"
}

// Half is the most that rounding can have moved the number.
func (n Number) Half() float64 { return float64(n.Unit / 2) }

// Printed is one table as it was printed.
type Printed struct {
	Label  string
	Groups []Group
}

// Group is one dataset and pair of models: Tests in the sufficiency table, Rows in all others.
type Group struct {
	Dataset, Student, Master string
	Rows                     []Row
	Tests                    []Test
}

// Row is one policy's line.
type Row struct {
	Policy string
	Scores []Number // by the metrics of the dataset, in [0,1]
	Saved  Number   // percent of the cost of asking the master everything
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
	Extra      string // "embeddings" or "output-stats"
	Null, Full Number // mean squared error from β, and from β and J
	Delta, P   Number
}

// Dataset is how the authors used a dataset.
type Dataset struct {
	Name, Source, Task string
	Metrics            []string
	Direction          string // translation: "de-en", from German into English; "" for others
	Limit              int    // first rows of the source
	Fit                float64
	Order              string
	MaxTokens          int
}

// Model is one of the models.
type Model struct{ Name, ID string }

// Statement is a number that the paper's text says, or that follows from its numbers ("implied-saved").
type Statement struct{ Quantity, Table, Dataset, Value string }

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

// stated finds what the paper says of a quantity, on a dataset of a table where they are not empty.
func (b *Book) stated(quantity, table, dataset string) (Number, bool) {
	i := slices.IndexFunc(b.Statements, func(s Statement) bool {
		return s.Quantity == quantity && (table == "" || s.Table == table) && (dataset == "" || s.Dataset == dataset)
	})
	if i < 0 {
		return Number{}, false
	}
	n, err := Parse(b.Statements[i].Value)
	return n, err == nil
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
