package accept

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"slices"

	"infnet/harness/result"
	"infnet/metrics"
)

// place is a cascade's dataset.
type place struct{ cascade, dataset string }

// collector turns records into columns, in the order in which they come.
type collector struct {
	run  *Run
	at   map[place]*gathered
	data map[string]*gatheredData
}

// gathered is a cascade's dataset whose records are being read.
type gathered struct {
	*Measured
	want   int      // records
	labels []string // of the classes
	random []bool   // by row: some decision is by chance, or there is none
	parsed []metrics.Metric
}

type gatheredData struct {
	*Data
	owner  place // the cascade's dataset whose records describe it
	groups map[string]int
	mixed  bool // some record has no content hash
}

func newCollector(r *Run, from *result.Results) *collector {
	c := &collector{run: r, at: map[place]*gathered{}, data: map[string]*gatheredData{}}
	for i := range from.Cascades {
		x := &from.Cascades[i]
		r.Cascades = append(r.Cascades, Cascade{Name: x.Name, Models: x.Models, Setting: x.Setting, Target: x.Target,
			CostModel: x.CostModel, Unit: x.Unit, Incomplete: x.Incomplete, Datasets: make([]Measured, len(x.Datasets))})
		for k := range x.Datasets {
			c.dataset(x, &x.Datasets[k], &r.Cascades[i].Datasets[k])
		}
	}
	for i := range r.Data { // the slice is complete, so that pointers into it hold
		c.data[r.Data[i].Name].Data = &r.Data[i]
	}
	return c
}

// dataset describes a cascade's dataset before its records are read.
func (c *collector) dataset(of *result.Cascade, d *result.Dataset, into *Measured) {
	*into = Measured{Dataset: d.Name, Used: d.Counts.Used, Fit: d.Counts.Fit, Test: d.Counts.Test, Split: d.Split.Hash,
		Soft: d.Soft, Metrics: d.Metrics, Budget: d.Budget, Costs: d.Costs}
	for _, p := range d.Policies {
		into.Policies = append(into.Policies, Policy{Policy: p.Policy, Thresholds: p.Thresholds, Feasible: p.Feasible,
			Budget: p.Budget, FitErrors: p.FitErrors, MinErrors: p.MinErrors})
	}
	for _, x := range d.Rows {
		row := Row{Policy: x.Policy, Title: x.Title, Charge: x.Charge, Baseline: x.Baseline, Error: estimate(x.Error),
			Deferred: estimate(x.Deferred), Saved: estimate(x.Saved), PerQuery: estimate(x.SavedPerQuery),
			Metrics: map[string]Estimate{}}
		for name, value := range x.Metrics {
			row.Metrics[name] = estimate(value)
		}
		into.Rows = append(into.Rows, row)
	}
	for _, m := range of.Models {
		into.Models = append(into.Models, Answered{Model: m, Scores: map[string]Numbers{}, Sums: map[string][]Numbers{}})
	}
	g := &gathered{Measured: into, want: d.Counts.Records, labels: d.Labels, random: make([]bool, len(into.Rows))}
	for _, name := range d.Metrics {
		if m, err := metrics.Get(metrics.Name(name)); err == nil {
			g.parsed = append(g.parsed, m)
		}
	}
	at := place{of.Name, d.Name}
	c.at[at] = g
	if c.data[d.Name] == nil {
		c.data[d.Name] = &gatheredData{owner: at, groups: map[string]int{}}
		c.run.Data = append(c.run.Data, Data{Name: d.Name, Source: d.Source, Revision: d.Revision, Hash: d.Hash,
			Task: d.Task, Labels: d.Labels, Records: d.Counts.Records})
	}
}

// add adds a record.
func (c *collector) add(r *result.Record) error {
	at := place{r.Cascade, r.Dataset}
	g := c.at[at]
	if g == nil || len(r.Models) != len(g.Models) {
		return fmt.Errorf("record %s of cascade %s on dataset %s is not in the results: the two files are not of one run; "+
			"analyze the study again", r.ID, r.Cascade, r.Dataset)
	}
	if d := c.data[r.Dataset]; d.owner == at {
		d.add(r)
	}
	part := slices.Index([]string{result.PartUnused, result.PartFit, result.PartTest}, r.Part)
	if part < 0 {
		return fmt.Errorf("record %s of dataset %s: unknown part %q; analyze the study again", r.ID, r.Dataset, r.Part)
	}
	g.Part = append(g.Part, part)
	for m := range r.Models {
		g.answer(&g.Models[m], &r.Models[m], r, part == TestPart)
	}
	g.decide(r)
	return nil
}

func (d *gatheredData) add(r *result.Record) {
	d.IDs = append(d.IDs, r.ID)
	mark, ok := contentMark(r.Content)
	d.mixed = d.mixed || !ok
	d.Content = append(d.Content, mark)
	d.Class = append(d.Class, slices.Index(d.Labels, r.Class))
	group := len(d.groups)
	if known, ok := d.groups[r.Group]; ok && r.Group != "" {
		group = known
	} else if r.Group == "" {
		group = -1
	} else {
		d.groups[r.Group] = group
	}
	d.Group = append(d.Group, group)
}

// contentMark is the mark of a record's content hash.
func contentMark(content string) (uint32, bool) {
	b, err := hex.DecodeString(content)
	if err != nil || len(b) < 4 {
		return 0, false
	}
	return binary.LittleEndian.Uint32(b), true
}

// answer adds what one model answered to a record.
func (g *gathered) answer(to *Answered, a *result.RecordAnswer, of *result.Record, test bool) {
	to.Said, to.Lost = append(to.Said, said(a)), append(to.Lost, a.Cause != "")
	to.Right = append(to.Right, a.Correct)
	if !test {
		return
	}
	to.Class = append(to.Class, slices.Index(g.labels, a.Class))
	to.Error = append(to.Error, a.Error)
	to.Beta = append(to.Beta, a.Beta)
	to.Cost = append(to.Cost, a.Cost)
	for i := range g.parsed {
		m := &g.parsed[i]
		switch name := string(m.Name); {
		case m.Counts != nil:
		case m.Sums != nil:
			sums := m.Sums(a.Text, of.References)
			if to.Sums[name] == nil {
				to.Sums[name] = make([]Numbers, len(sums))
			}
			for k, v := range sums {
				to.Sums[name][k] = append(to.Sums[name][k], v)
			}
		default:
			v, ok := a.Scores[name]
			if !ok {
				v = result.Float(math.NaN())
			}
			to.Scores[name] = append(to.Scores[name], float64(v))
		}
	}
}

// said is the mark of what a model said.
func said(a *result.RecordAnswer) uint32 {
	h := sha256.New()
	var b [8]byte
	number := func(x float64) {
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(x))
		h.Write(b[:])
	}
	text := func(s string) {
		number(float64(len(s)))
		io.WriteString(h, s)
	}
	text(a.Text)
	text(a.Class)
	text(a.Refused)
	for _, p := range a.Probs {
		number(float64(p))
	}
	for _, t := range a.Tokens {
		text(t.Text)
		number(float64(t.Logprob))
	}
	if len(a.Probs)+len(a.Tokens) == 0 {
		number(a.Beta) // recorded as it is, and in nothing else that is kept
	}
	return binary.LittleEndian.Uint32(h.Sum(nil))
}

// decide adds the decisions about a record.
func (g *gathered) decide(r *result.Record) {
	last := len(g.Models) - 1
	for k := range g.Rows {
		row := &g.Rows[k]
		final, asked := -1, -1
		switch i := slices.IndexFunc(r.Decisions, func(d result.Decision) bool { return d.Policy == row.Policy }); {
		case i < 0 && row.Policy == None:
			final = 0
		case i < 0 && row.Policy == All:
			final = last
		case i < 0:
			g.random[k] = g.random[k] || r.Part == result.PartTest
		default:
			d := &r.Decisions[i]
			final = 0
			switch {
			case len(d.Asked) > 0:
				final, asked = d.Stage, 0
				for _, m := range d.Asked {
					asked |= 1 << m
				}
			case d.Deferred:
				final = last
			}
		}
		row.Final, row.Asked = append(row.Final, final), append(row.Asked, asked)
	}
}

// finish checks that the records are those of the results, and drops what every record has alike.
func (c *collector) finish(dir string) error {
	for at, g := range c.at {
		if len(g.Part) != g.want {
			return fmt.Errorf("%s has %d records of cascade %s on dataset %s, and its results count %d: the run was "+
				"interrupted, or its files are not of one run; analyze the study again", dir, len(g.Part), at.cascade, at.dataset,
				g.want)
		}
		for k := range g.Rows {
			row := &g.Rows[k]
			if g.random[k] || row.Baseline && row.Policy != None && row.Policy != All {
				row.Final, row.Asked = nil, nil
			} else if none(row.Asked) {
				row.Asked = nil
			}
		}
		for m := range g.Models {
			g.Models[m].trim()
		}
	}
	for _, d := range c.data {
		if d.mixed {
			d.Content = nil
		}
		if none(d.Class) {
			d.Class = nil
		}
		if none(d.Group) {
			d.Group = nil
		}
	}
	return nil
}

// none reports whether a column says nothing.
func none(c Wholes) bool { return !slices.ContainsFunc(c, func(n int) bool { return n >= 0 }) }

// trim drops the errors where they follow from what is right, and classes where there are none.
func (a *Answered) trim() {
	if none(a.Class) {
		a.Class = nil
	}
	if !slices.Contains(a.Lost, true) {
		a.Lost = nil
	}
	if !slices.ContainsFunc(a.Error, func(e float64) bool { return e != 0 && e != 1 }) {
		a.Error = nil
	}
}
