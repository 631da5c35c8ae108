// Package published owns the numbers printed in the tables of the Inference
// networks paper: it reads them from data files, finds a table by its label,
// and compares a study's results with the rows of a table, in the form of results.json.
// It refuses to hold a number of its own: what was printed is in the files. Whether the printed
// numbers fit each other is on the page experiments/paper/AUDIT.md.
//
// Its opinion: a printed number was rounded, so every comparison allows for half
// a unit of its last digit.
package published

import (
	"fmt"
	"slices"

	"infnet/harness/result"
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
	Tables     []result.Published // as they were printed, with nothing of ours
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

// Row returns a group's row of a policy; nil = it has none.
func Row(g *result.PublishedGroup, policy string) *result.PublishedRow {
	for i := range g.Rows {
		if g.Rows[i].Policy == policy {
			return &g.Rows[i]
		}
	}
	return nil
}

// stated finds what the paper says of a quantity, on a dataset of a table where they are not empty.
func (b *Book) stated(quantity, table, dataset string) (float64, bool) {
	i := slices.IndexFunc(b.Statements, func(s Statement) bool {
		return s.Quantity == quantity && (table == "" || s.Table == table) && (dataset == "" || s.Dataset == dataset)
	})
	if i < 0 {
		return 0, false
	}
	n, err := Parse(b.Statements[i].Value)
	return n.Value, err == nil
}

// Labels lists the tables in the order of the paper.
func (b *Book) Labels() []string {
	out := make([]string, len(b.Tables))
	for i, t := range b.Tables {
		out[i] = t.Table
	}
	return out
}

// Table finds a table by its label, with or without "tab:". The error for
// another name suggests the nearest.
func (b *Book) Table(name string) (*result.Published, error) {
	for i, t := range b.Tables {
		if name == t.Table || "tab:"+name == t.Table {
			return &b.Tables[i], nil
		}
	}
	return nil, fmt.Errorf("no published table %q: %s", name, place.Suggest(name, b.Labels()))
}
