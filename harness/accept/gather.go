package accept

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"infnet/harness/result"
	"infnet/metrics"
)

// place is a cascade's dataset.
type place struct{ cascade, dataset string }

// gathered is a cascade's dataset whose records are being read.
type gathered struct {
	*Measured
	of      *result.Dataset
	metrics []metrics.Metric
	random  []bool         // by row: some decision on the test part is by chance, or there is none
	data    *Data          // that its records describe; nil = another cascade's records do
	groups  map[string]int // of data
	mixed   bool           // some record has no content hash
}

// gather turns records into the columns of a run, in the order in which they come.
func (r *Run) gather(from *result.Results, dir string) error {
	at := map[place]*gathered{}
	described := map[string]bool{} // datasets whose records some cascade describes
	for i := range from.Cascades {
		x := &from.Cascades[i]
		c := Cascade{Name: x.Name, Models: x.Models, Setting: x.Setting, CostModel: x.CostModel, Unit: x.Unit,
			Incomplete: x.Incomplete, Datasets: make([]Measured, len(x.Datasets))}
		for k := range x.Datasets {
			d := &x.Datasets[k]
			g := gathering(x.Models, d, &c.Datasets[k])
			if !described[d.Name] {
				described[d.Name] = true
				g.data, g.groups = &Data{Name: d.Name, Hash: d.Hash, Labels: d.Labels, Records: d.Counts.Records,
					Grader: d.Grader}, map[string]int{}
			}
			at[place{x.Name, d.Name}] = g
		}
		r.Cascades = append(r.Cascades, c)
	}
	for record, err := range result.Records(dir) {
		if err != nil {
			return err
		}
		g := at[place{record.Cascade, record.Dataset}]
		if g == nil || len(record.Models) != len(g.Models) {
			return fmt.Errorf("record %s of cascade %s on dataset %s is not in the results: the two files are not of one "+
				"run; analyze the study again", record.ID, record.Cascade, record.Dataset)
		}
		if err := g.add(&record); err != nil {
			return err
		}
	}
	for _, x := range from.Cascades {
		for _, d := range x.Datasets {
			g := at[place{x.Name, d.Name}]
			if len(g.Part) != d.Counts.Records {
				return fmt.Errorf("%s has %d records of cascade %s on dataset %s, and its results count %d: the run was "+
					"interrupted, or its files are not of one run; analyze the study again", dir, len(g.Part), x.Name, d.Name,
					d.Counts.Records)
			}
			if g.trim(); g.data != nil {
				r.Data = append(r.Data, *g.data)
			}
		}
	}
	return nil
}

// gathering describes a cascade's dataset before its records are read.
func gathering(models []string, d *result.Dataset, into *Measured) *gathered {
	*into = Measured{Dataset: d.Name, Used: d.Counts.Used, Fit: d.Counts.Fit, Test: d.Counts.Test, Soft: d.Soft,
		Metrics: d.Metrics, Policies: d.Policies}
	for _, x := range d.Rows {
		row := Row{Policy: x.Policy, Title: x.Title, Charge: x.Charge, Baseline: x.Baseline,
			Values: map[string]Estimate{Error: estimate(x.Error), Deferred: estimate(x.Deferred), Saved: estimate(x.Saved),
				PerQuery: estimate(x.SavedPerQuery)}}
		for name, value := range x.Metrics {
			row.Values[name] = estimate(value)
		}
		into.Rows = append(into.Rows, row)
	}
	for _, m := range models {
		into.Models = append(into.Models, Answered{Model: m, Scores: map[string][]Column[float64]{}})
	}
	g := &gathered{Measured: into, of: d, random: make([]bool, len(into.Rows))}
	for _, name := range d.Metrics {
		if m, err := metrics.Get(metrics.Name(name)); err == nil {
			g.metrics = append(g.metrics, m)
		}
	}
	return g
}

// add adds a record.
func (g *gathered) add(r *result.Record) error {
	if g.data != nil {
		g.describe(r)
	}
	part := slices.Index([]string{result.PartUnused, result.PartFit, result.PartTest}, r.Part)
	if part < 0 {
		return fmt.Errorf("record %s of dataset %s: unknown part %q; analyze the study again", r.ID, r.Dataset, r.Part)
	}
	g.Part = append(g.Part, part)
	for m := range r.Models {
		g.answer(&g.Models[m], &r.Models[m], r, part == TestPart)
	}
	for k := range g.Rows {
		row := &g.Rows[k]
		final, asked := g.decision(row.Policy, r)
		row.Final, row.Asked = append(row.Final, final), append(row.Asked, asked)
		g.random[k] = g.random[k] || final < 0 && part == TestPart
	}
	return nil
}

// describe adds what a record is, whatever was answered to it.
func (g *gathered) describe(r *result.Record) {
	d, group := g.data, -1
	content, err := hex.DecodeString(r.Content)
	if err != nil || len(content) < 4 {
		g.mixed, content = true, make([]byte, 4)
	}
	if r.Group != "" {
		if _, known := g.groups[r.Group]; !known {
			g.groups[r.Group] = len(g.groups)
		}
		group = g.groups[r.Group]
	}
	d.IDs, d.Content = append(d.IDs, r.ID), append(d.Content, binary.LittleEndian.Uint32(content))
	d.Class, d.Group = append(d.Class, slices.Index(d.Labels, r.Class)), append(d.Group, group)
}

// answer adds what one model answered to a record.
func (g *gathered) answer(to *Answered, a *result.RecordAnswer, of *result.Record, test bool) {
	to.Said, to.Lost = append(to.Said, said(a)), append(to.Lost, a.Cause != "")
	to.Right = append(to.Right, a.Correct)
	if !test {
		return
	}
	to.Class = append(to.Class, slices.Index(g.of.Labels, a.Class))
	to.Error, to.Beta, to.Cost = append(to.Error, a.Error), append(to.Beta, a.Beta), append(to.Cost, a.Cost)
	for i := range g.metrics {
		m := &g.metrics[i]
		name := string(m.Name)
		var values []float64
		if v, ok := a.Scores[name]; m.Sums != nil {
			values = m.Sums(a.Text, of.References)
		} else if ok && m.Counts == nil && !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0) {
			values = []float64{float64(v)}
		}
		if to.Scores[name] == nil && values != nil {
			to.Scores[name] = make([]Column[float64], len(values))
		}
		for k, v := range values {
			to.Scores[name][k] = append(to.Scores[name][k], v)
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

// decision is the place of the model whose answer is final by a row, and the models that it asks, where these do not
// follow from that; −1 = not known.
func (g *gathered) decision(policy string, r *result.Record) (final, asked int) {
	last := len(g.Models) - 1
	i := slices.IndexFunc(r.Decisions, func(d result.Decision) bool { return d.Policy == policy })
	if i < 0 {
		at, lone := map[string]int{None: 0, All: last}[policy]
		if !lone {
			at = -1
		}
		return at, -1
	}
	d := &r.Decisions[i]
	for _, m := range d.Asked {
		asked |= 1 << m
	}
	switch {
	case asked > 0:
		return d.Stage, asked
	case d.Deferred:
		return last, -1
	}
	return 0, -1
}

// trim drops what every record has alike, or follows from other columns.
func (g *gathered) trim() {
	known := func(c Column[int]) Column[int] {
		if slices.ContainsFunc(c, func(n int) bool { return n >= 0 }) {
			return c
		}
		return nil
	}
	for k := range g.Rows {
		row := &g.Rows[k]
		row.Asked = known(row.Asked)
		if g.random[k] || row.Baseline && row.Policy != None && row.Policy != All {
			row.Final, row.Asked = nil, nil
		}
	}
	for m := range g.Models {
		a := &g.Models[m]
		a.Class = known(a.Class)
		if !slices.Contains(a.Lost, true) {
			a.Lost = nil
		}
		if !slices.ContainsFunc(a.Error, func(e float64) bool { return e != 0 && e != 1 }) {
			a.Error = nil
		}
		maps.DeleteFunc(a.Scores, func(_ string, columns []Column[float64]) bool { return len(columns[0]) != len(a.Cost) })
	}
	if d := g.data; d != nil {
		d.Class, d.Group = known(d.Class), known(d.Group)
		if g.mixed {
			d.Content = nil
		}
	}
}
