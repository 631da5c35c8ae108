// Package drill holds the records behind the numbers of a page: every record of a run as columns, small enough
// that a browser filters and sorts a hundred thousand at once, and their texts, packed in blocks that are
// unpacked when they are wanted. It owns the columns, their bytes and the blocks. It refuses to grade, to fit
// and to round what it counts by: it copies what records.jsonl says.
//
// Its opinion: a number that cannot be opened is not believed, so what is counted here must equal what the
// tables print, record by record.
package drill

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"infnet/harness/baseline"
	"infnet/harness/cost"
	"infnet/harness/result"
)

// Table is one cascade on one dataset, a row per record in the order of records.jsonl.
type Table struct {
	Cascade  string   `json:"cascade"`
	Dataset  string   `json:"dataset"`
	Models   []string `json:"models"` // cheapest first
	Unit     string   `json:"unit"`
	Soft     bool     `json:"soft,omitempty"`   // errors are shares of a record
	Labels   []string `json:"labels,omitempty"` // in index order: what the probabilities of an answer are of
	Classes  []string `json:"classes"`          // by code; 0 is none
	Policies []Policy `json:"policies"`         // in the order of the table's rows

	columns   columns
	texts     *texts // nil = they do not fit
	codes     map[string]uint32
	places    map[string]int // of policies
	records   int            // that the results count
	left      bool           // more records than a page holds
	fit, test int            // records that the results count, less those that came
}

// columns are a table's records as JSON: a list for each column, with a value for each record.
type columns struct {
	Row     []uint32   `json:"row"`          // where the record is in the dataset's source, from 1
	IDs     []string   `json:"id,omitempty"` // absent where ids are the numbers of rows
	Part    []uint16   `json:"part"`         // a place in parts
	Class   []uint32   `json:"class"`        // the reference: a place in the table's classes
	Answers []answers  `json:"answers"`      // by model
	Ways    [][]uint16 `json:"ways"`         // by policy: a place in its ways; null where all records go the same way
}

// parts are the parts of a dataset, by code.
var parts = []string{result.PartFit, result.PartTest, result.PartUnused}

// Policy is a policy of the table, with every way in which it answered a record.
type Policy struct {
	ID    string `json:"policy"`
	Title string `json:"title"`
	Ways  []Way  `json:"ways"`          // the first is that nothing was decided
	All   int    `json:"all,omitempty"` // the way of all used records, where each goes the same; then none is stored
	Coin  bool   `json:"coin,omitempty"`
	Fit   bool   `json:"fit,omitempty"` // it decided about records of the fit part too

	charge cost.Charge
}

// Way is how an answer came about: who was asked, and whose answer counted.
type Way struct {
	Asked    []int `json:"asked"`
	Final    int   `json:"final"`
	Deferred bool  `json:"deferred"`
}

type answers struct {
	State []uint16  `json:"state"` // bits: 1 answered, 2 right, 4 refused
	Class []uint32  `json:"class"` // what it answered, a place in Classes
	Beta  []uint32  `json:"beta"`  // in millionths, rounded as show rounds
	Cost  []float64 `json:"cost"`
	Error []float64 `json:"error,omitempty"` // where errors are soft
}

// The bits of a state.
const (
	answered = 1 << iota
	right
	refused
)

func newTable(c *result.Cascade, d *result.Dataset) *Table {
	t := &Table{Cascade: c.Name, Dataset: d.Name, Models: c.Models, Unit: c.Unit, Soft: d.Soft, Labels: d.Labels,
		Classes: []string{""}, columns: columns{Answers: make([]answers, len(c.Models))}, codes: map[string]uint32{"": 0},
		places: map[string]int{}}
	for _, label := range d.Labels {
		t.code(label)
	}
	for i, row := range d.Rows {
		p := Policy{ID: row.Policy, Title: row.Title, charge: cost.Charge(row.Charge), Ways: []Way{{Final: -1}}}
		switch last := len(t.Models) - 1; baseline.Kind(row.Policy) {
		case baseline.None: // it asks the same model about every record, and so no record has a decision
			p.Ways, p.All = append(p.Ways, Way{Asked: []int{0}}), 1
		case baseline.All:
			p.Ways, p.All = append(p.Ways, Way{Asked: []int{last}, Final: last, Deferred: true}), 1
		default:
			p.Coin = true // until a record says otherwise: a coin's row is an expectation
		}
		t.places[p.ID], t.Policies = i, append(t.Policies, p)
	}
	t.columns.Ways = make([][]uint16, len(t.Policies))
	return t
}

func (t *Table) code(class string) uint32 {
	c, ok := t.codes[class]
	if !ok {
		c = uint32(len(t.Classes))
		t.codes[class], t.Classes = c, append(t.Classes, class)
	}
	return c
}

// add appends a record, or counts it where the page has no room for the table.
func (t *Table) add(r *result.Record) error {
	switch r.Part {
	case result.PartFit:
		t.fit--
	case result.PartTest:
		t.test--
	}
	if t.left {
		return nil
	}
	if len(r.Models) != len(t.Models) {
		return fmt.Errorf("record %s has answers of %d models, its cascade %s has %d", r.ID, len(r.Models), t.Cascade,
			len(t.Models))
	}
	c := &t.columns
	if c.IDs == nil && r.ID != strconv.Itoa(r.Row) {
		c.IDs = make([]string, len(c.Row))
		for n := range c.IDs {
			c.IDs[n] = strconv.Itoa(int(c.Row[n]))
		}
	}
	if c.IDs != nil {
		c.IDs = append(c.IDs, r.ID)
	}
	part := slices.Index(parts, r.Part)
	if part < 0 {
		part = len(parts) - 1
	}
	c.Row, c.Part, c.Class = append(c.Row, uint32(r.Row)), append(c.Part, uint16(part)), append(c.Class, t.code(r.Class))
	for m := range r.Models {
		if err := t.answer(&c.Answers[m], &r.Models[m]); err != nil {
			return fmt.Errorf("record %s: %w", r.ID, err)
		}
	}
	return t.decided(r)
}

func (t *Table) answer(a *answers, given *result.RecordAnswer) error {
	state := uint16(0)
	if given.Cause == "" {
		state |= answered
	}
	if given.Correct {
		state |= right
	}
	if given.Refused != "" {
		state |= refused
	}
	beta, err := millionths(given.Beta)
	if err != nil {
		return fmt.Errorf("confidence of model %s: %w", given.Model, err)
	}
	a.State, a.Beta, a.Cost = append(a.State, state), append(a.Beta, beta), append(a.Cost, given.Cost)
	a.Class = append(a.Class, t.code(given.Class))
	if t.Soft {
		a.Error = append(a.Error, given.Error)
	}
	return nil
}

// millionths rounds a confidence to six decimals as printing does.
func millionths(beta float64) (uint32, error) {
	if !(beta >= 0 && beta <= 1) {
		return 0, fmt.Errorf("%v is not in [0,1]", beta)
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(beta, 'f', 6, 64), 64)
	return uint32(math.Round(1e6 * rounded)), err
}

func (t *Table) decided(r *result.Record) error {
	n, ways := len(t.columns.Row), t.columns.Ways
	for _, made := range r.Decisions {
		at, ok := t.places[made.Policy]
		if !ok {
			return fmt.Errorf("record %s has a decision of policy %s, which no table has: "+
				"results.json and records.jsonl are of different runs", r.ID, made.Policy)
		}
		p := &t.Policies[at]
		k, err := p.way(made, len(t.Models)-1)
		if err != nil {
			return fmt.Errorf("record %s: %w", r.ID, err)
		}
		for len(ways[at]) < n-1 {
			ways[at] = append(ways[at], 0)
		}
		ways[at] = append(ways[at], k)
		p.Coin, p.Fit = false, p.Fit || r.Part == result.PartFit
	}
	for at := range ways {
		if ways[at] != nil && len(ways[at]) < n {
			ways[at] = append(ways[at], 0)
		}
	}
	return nil
}

// way returns the place of the way that a decision went, which it adds where it is new.
func (p *Policy) way(made result.Decision, last int) (uint16, error) {
	w := Way{Asked: made.Asked, Final: made.Stage, Deferred: made.Deferred}
	if len(w.Asked) == 0 {
		w.Asked, w.Final = []int{0}, 0
		switch {
		case made.Deferred && p.charge == cost.Router:
			w.Asked, w.Final = []int{last}, last
		case made.Deferred:
			w.Asked, w.Final = []int{0, last}, last
		}
	}
	same := func(o Way) bool {
		return w.Final == o.Final && w.Deferred == o.Deferred && slices.Equal(w.Asked, o.Asked)
	}
	if k := slices.IndexFunc(p.Ways[1:], same); k >= 0 {
		return uint16(k + 1), nil
	}
	for _, m := range append(w.Asked[:len(w.Asked):len(w.Asked)], w.Final) {
		if m < 0 || m > last {
			return 0, fmt.Errorf("policy %s asks model %d of %d", p.ID, m, last+1)
		}
	}
	p.Ways = append(p.Ways, w)
	return uint16(len(p.Ways) - 1), nil
}
