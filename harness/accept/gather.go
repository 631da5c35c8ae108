package accept

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"infnet/harness/fault"
	"infnet/harness/pipeline/folder"
	"infnet/harness/result"
	"infnet/metrics"
)

// Folder reads the folder of a run.
func Folder(dir string) (*Run, error) {
	results, err := result.ReadFolder(dir)
	if err != nil {
		return nil, err
	}
	made, err := folder.ReadRecipe(dir)
	if err != nil {
		return nil, err
	}
	r := &Run{Format: format, Version: Version, Study: results.Name, Name: dir, Inputs: inputs(results, &made)}
	return r, fault.Data.Wrap(r.gather(results, dir))
}

// inputs names what a run rests on.
func inputs(r *result.Results, made *folder.Recipe) map[Kind]map[string]string {
	in := map[Kind]map[string]string{Spec: made.Settings, Program: {"infnet": r.Spec.Program}}
	if made.Program != nil {
		in[Program]["infnet"] = made.Program.String()
	}
	delete(in[Spec], "study")
	for _, kind := range []Kind{Data, Split, Model, Answers, Grader} {
		in[kind] = map[string]string{}
	}
	for _, m := range r.Models {
		said := []string{m.ID, m.Revision, m.Backend, m.Served, m.LabelMode}
		for _, s := range m.Servers {
			said = append(said, s.Name, s.Version, s.Fingerprint)
		}
		for _, by := range m.AnsweredBy {
			said = append(said, by.Name)
		}
		in[Model][m.Name] = strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), " ")
	}
	for _, a := range r.Spec.Answers {
		in[Answers][On(a.Model, a.Dataset)] = a.Hash
	}
	for _, c := range r.Cascades {
		for _, d := range c.Datasets {
			in[Data][d.Name], in[Split][On(c.Name, d.Name)] = d.Hash, d.Split.Hash
			if d.Grader != "" {
				in[Grader][d.Name] = d.Grader
			}
		}
	}
	return in
}

// gathered is a pair whose records are being read.
type gathered struct {
	*Pair
	metrics []metrics.Metric
	unknown []bool         // by row: some decision is by chance, or there is none
	groups  map[string]int // by name
	mixed   bool           // some record has no content hash
}

// gather turns records of the test parts into the columns of a run, in the order in which they come.
func (r *Run) gather(from *result.Results, dir string) error {
	at := map[string]*gathered{}
	for i := range from.Cascades {
		for k := range from.Cascades[i].Datasets {
			r.Pairs = append(r.Pairs, pair(&from.Cascades[i], &from.Cascades[i].Datasets[k]))
		}
	}
	for i := range r.Pairs {
		p := &r.Pairs[i]
		g := &gathered{Pair: p, unknown: make([]bool, len(p.Rows)), groups: map[string]int{}}
		for _, name := range p.Metrics {
			if m, err := metrics.Get(metrics.Name(name)); err == nil {
				g.metrics = append(g.metrics, m)
			}
		}
		at[On(p.Cascade, p.Dataset)] = g
	}
	if len(at) == 0 {
		return nil
	}
	const torn = "the run was interrupted, or its files are not of one run; analyze the study again"
	for record, err := range result.Records(dir) {
		if err != nil {
			return err
		}
		g := at[On(record.Cascade, record.Dataset)]
		if g == nil || len(record.Models) != len(g.Models) {
			return fmt.Errorf("record %s of cascade %s on dataset %s in %s is not in the results: %s", record.ID,
				record.Cascade, record.Dataset, dir, torn)
		}
		if record.Part == result.PartTest {
			g.add(&record)
		}
	}
	for _, x := range from.Cascades {
		for _, d := range x.Datasets {
			g := at[On(x.Name, d.Name)]
			if len(g.IDs) != d.Counts.Test {
				return fmt.Errorf("%s has %d test records of cascade %s on dataset %s, and its results count %d: %s", dir,
					len(g.IDs), x.Name, d.Name, d.Counts.Test, torn)
			}
			g.trim()
		}
	}
	return nil
}

// pair describes a cascade on a dataset before its records are read.
func pair(c *result.Cascade, d *result.Dataset) Pair {
	p := Pair{Cascade: c.Name, Dataset: d.Name, Models: c.Models, Setting: c.Setting, CostModel: c.CostModel,
		Unit: c.Unit, Incomplete: c.Incomplete, Soft: d.Soft, Labels: d.Labels, Metrics: d.Metrics}
	for _, x := range d.Rows {
		if x.Baseline && x.Policy != None && x.Policy != All {
			continue
		}
		row := Row{Policy: x.Policy, Title: x.Title, Charge: x.Charge, Values: map[string]float64{Error: x.Error.Value}}
		for name, value := range x.Metrics {
			row.Values[name] = value.Value
		}
		for _, fitted := range d.Policies {
			if fitted.Policy == x.Policy {
				row.Thresholds = fitted.Thresholds
			}
		}
		p.Rows = append(p.Rows, row)
	}
	for range c.Models {
		p.Answers = append(p.Answers, Answered{Scores: map[string][]Column[float64]{}})
	}
	return p
}

// add adds a record.
func (g *gathered) add(r *result.Record) {
	content, err := hex.DecodeString(r.Content)
	if err != nil || len(content) < 4 {
		g.mixed, content = true, make([]byte, 4)
	}
	group := -1
	if r.Group != "" {
		if _, known := g.groups[r.Group]; !known {
			g.groups[r.Group] = len(g.groups)
		}
		group = g.groups[r.Group]
	}
	g.IDs, g.Content = append(g.IDs, r.ID), append(g.Content, binary.LittleEndian.Uint32(content))
	g.Class, g.Group = append(g.Class, slices.Index(g.Labels, r.Class)), append(g.Group, group)
	for m := range r.Models {
		g.answer(&g.Answers[m], &r.Models[m], r.References)
	}
	for k := range g.Rows {
		row := &g.Rows[k]
		final, asked := g.decision(row.Policy, r)
		row.Final, row.Asked = append(row.Final, final), append(row.Asked, asked)
		g.unknown[k] = g.unknown[k] || final < 0
	}
}

// answer adds what one model answered to a record.
func (g *gathered) answer(to *Answered, a *result.RecordAnswer, references []string) {
	to.Right, to.Class = append(to.Right, a.Correct), append(to.Class, slices.Index(g.Labels, a.Class))
	to.Error, to.Beta, to.Cost = append(to.Error, a.Error), append(to.Beta, a.Beta), append(to.Cost, a.Cost)
	for i := range g.metrics {
		m := &g.metrics[i]
		name := string(m.Name)
		var values []float64
		if v, ok := a.Scores[name]; m.Sums != nil {
			values = m.Sums(a.Text, references)
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
		if g.unknown[k] {
			row.Final, row.Asked = nil, nil
		}
	}
	for m := range g.Answers {
		a := &g.Answers[m]
		a.Class = known(a.Class)
		if !slices.ContainsFunc(a.Error, func(e float64) bool { return e != 0 && e != 1 }) {
			a.Error = nil
		}
		maps.DeleteFunc(a.Scores, func(_ string, columns []Column[float64]) bool { return len(columns[0]) != len(a.Cost) })
	}
	g.Class, g.Group = known(g.Class), known(g.Group)
	if g.mixed {
		g.Content = nil
	}
}
