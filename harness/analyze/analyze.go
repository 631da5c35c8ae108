// Package analyze turns stored answers into results: grades, confidences,
// costs, fitted policies, and every row of every table with its interval. It
// is pure and offline: it reads the answer store and nothing else, opens no
// socket and calls no model, so any number can be recomputed from the files.
//
// Its opinion: a record counts only if every model of its cascade answered it;
// everything is fitted on the fit part alone; and every row is measured on the
// test part alone.
package analyze

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"infnet/backends"
	"infnet/harness/question"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/router"
	"infnet/harness/spec"
)

// Input is a study with everything its analysis reads.
type Input struct {
	records.Input
	Program string            // infnet's version, for provenance
	Origins map[string]Origin // by dataset name, for datasets from a hub

	// Learners are the learners that are not built in, by kind: each returns the
	// learner of a baseline of the study. Light is built in.
	Learners map[router.Kind]func(spec.Baseline) (router.Learner, error)

	Threads  int      // of long computations; 0 = 1. Results do not depend on it
	Cache    Cache    // of expensive computations; nil = none
	Progress Progress // nil = no reports
}

// Origin is the data found behind a dataset's name on a hub.
type Origin struct {
	Revision string // the commit that the name resolved to
	Partial  bool   // rows after those read are left out
}

// Output is an analysed study.
type Output struct {
	Result   *result.Results
	Datasets []*Analysed // one per cascade and dataset, in the study's order
}

// Incomplete reports whether more answers are missing than the study allows.
func (o *Output) Incomplete() bool {
	return slices.ContainsFunc(o.Result.Cascades, func(c result.Cascade) bool { return c.Incomplete }) ||
		slices.ContainsFunc(o.Result.Pools, func(p result.Pool) bool { return p.Incomplete })
}

// Run analyses a study.
func Run(ctx context.Context, in Input) (*Output, error) {
	s := in.Study
	out := &Output{Result: &result.Results{
		Version: result.Version, Name: s.Name, Seed: s.Seed, Level: s.Report.Level, Style: s.Report.Style,
		Spec: result.Provenance{Program: in.Program, SpecHash: s.Hash},
	}}
	if p := s.Cost.Prices; p != nil {
		out.Result.Spec.Prices = &result.Prices{File: p.File, Date: p.Date, Hash: p.Hash}
	}
	for _, w := range s.Warnings {
		out.Result.Warnings = append(out.Result.Warnings, w.Message)
	}
	for _, x := range s.StandIns {
		out.Result.StandIns = append(out.Result.StandIns, result.StandIn(x))
	}
	for _, m := range s.Models {
		out.Result.Models = append(out.Result.Models, model(&m, in.Facts[m.Name]))
	}
	answers, err := records.Read(ctx, in.Input)
	if err != nil {
		return nil, err
	}
	out.Result.Spec.AnswersHash = answers.Hash()
	describeAnswers(out.Result, answers, s)
	if report := in.Progress; report != nil { // of datasets side by side
		var mu sync.Mutex
		in.Progress = func(what string, done, total int) {
			mu.Lock()
			defer mu.Unlock()
			report(what, done, total)
		}
	}
	var used [][]*records.Records // by cascade, then dataset
	for i := range s.Cascades {
		chain, err := out.add(ctx, in, &s.Cascades[i], answers, nil)
		if err != nil {
			return nil, err
		}
		used = append(used, chain)
		for _, pair := range within(&s.Cascades[i]) {
			if _, err := out.add(ctx, in, &pair, answers, chain); err != nil {
				return nil, err
			}
		}
	}
	for i := range s.Pools {
		if err := out.pool(ctx, in, &s.Pools[i], answers); err != nil {
			return nil, err
		}
	}
	if len(out.Result.Cascades)+len(out.Result.Pools) == 0 {
		return nil, fmt.Errorf("nothing to measure: %s", strings.Join(out.Result.Warnings[len(s.Warnings):], "; "))
	}
	if err := out.vary(ctx, in, used); err != nil {
		return nil, err
	}
	if err := out.transfer(ctx, in, used); err != nil {
		return nil, err
	}
	judgeTogether(out.Datasets)
	adjust(out.Result)
	adjustTests(out.Result)
	return out, nil
}

// add analyses a cascade. chain has the records, one per dataset, of the chain
// that contains it; nil = none does.
func (o *Output) add(ctx context.Context, in Input, c *spec.Cascade, answers records.Table,
	chain []*records.Records) ([]*records.Records, error) {
	s := in.Study
	out := result.Cascade{
		Name: c.Name, Models: c.Models, Written: c.Written,
		Setting: string(s.Policy.Setting), Target: s.Policy.Target.String(), Objective: string(s.Policy.Objective),
		CostModel: string(s.Cost.Model), Summary: string(s.Cost.Summary), Unit: s.Cost.Model.Unit(currency(s, c)),
	}
	used, list := make([]*records.Records, len(c.Datasets)), make([]*Analysed, len(c.Datasets))
	err := sideBySide(in, c.Datasets, func(k int) (err error) {
		if err := ctx.Err(); err != nil {
			return err
		}
		var of *records.Records
		if chain != nil {
			of = chain[k]
		}
		if used[k], err = records.Prepare(in.Input, answers, c, c.Datasets[k], of); err == nil && !free(used[k]) {
			list[k], err = analyzed(ctx, in, used[k])
		}
		if err != nil {
			return fmt.Errorf("cascade %s on dataset %s: %w", c.Name, c.Datasets[k], err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if chain != nil {
		out.Within = chain[0].Cascade.Name
	}
	for k, a := range list {
		if a == nil {
			o.Result.Warnings = append(o.Result.Warnings, fmt.Sprintf("cascade %s on dataset %s: left out, since %s costs "+
				"nothing on the fit part: whatever is asked before it, nothing is saved", c.Name, c.Datasets[k],
				c.Models[len(c.Models)-1]))
			continue
		}
		out.Datasets = append(out.Datasets, a.Result)
		out.Incomplete = out.Incomplete || incomplete(s, a.Result.Counts)
		o.Datasets = append(o.Datasets, a)
	}
	if len(out.Datasets) > 0 {
		o.Result.Cascades = append(o.Result.Cascades, out)
	}
	return used, nil
}

// sideBySide calls f for several datasets at once where they are small, else for one after the other, as memory goes
// with their records. After an error no other dataset begins; it returns that of the first dataset that has one.
func sideBySide(in Input, datasets []string, f func(k int) error) error {
	const small = 20_000 // records
	atOnce := max(1, in.Threads)
	for _, name := range datasets {
		if in.Sheets[name].Len() > small {
			atOnce = 1
		}
	}
	errs := make([]error, len(datasets))
	group, failed := errgroup.WithContext(context.Background())
	group.SetLimit(atOnce)
	for k := range datasets {
		group.Go(func() error {
			if failed.Err() == nil {
				errs[k] = f(k)
			}
			return errs[k]
		})
	}
	if group.Wait() == nil {
		return nil
	}
	return cmp.Or(errs...)
}

// incomplete reports whether more records lack an answer than the study allows.
func incomplete(s *spec.Study, c result.Counts) bool {
	return float64(c.Records-c.Used) > s.Collect.MaxMissing*float64(c.Records)
}

// free reports whether the last model of a cascade costs nothing: no share of its cost can be saved.
func free(r *records.Records) bool { return len(r.Fit) > 0 && r.Master().Cost.Summary == 0 }

func model(m *spec.Model, known records.Facts) result.Model {
	out := result.Model{Name: m.Name, ID: known.ID.ID, Revision: known.ID.Revision, Backend: string(known.ID.Kind),
		Params: m.Params, Served: question.Served(m), Unconfirmed: known.Unconfirmed}
	if out.Params == 0 && known.Shape != nil {
		out.Params = known.Shape.Params
	}
	remote, _ := m.Config.Remote()
	if remote.Labels != backends.LabelsAuto {
		out.LabelMode = string(remote.Labels)
	}
	for i, f := range known.Served {
		if i == 0 && remote.Probed {
			out.LabelMode = string(f.Labels[m.Mode])
		}
		out.Servers = append(out.Servers, result.Server{Name: f.Server, Version: f.Version, Fingerprint: f.Fingerprint,
			Launch: f.Launch})
	}
	return out
}

func currency(s *spec.Study, c *spec.Cascade) string {
	if m, ok := s.Model(c.Models[0]); ok {
		return m.Currency
	}
	return ""
}

// within returns the pairs that a chain contains, as cascades of their own.
func within(c *spec.Cascade) []spec.Cascade {
	var pairs []spec.Cascade
	if len(c.Models) < 3 {
		return nil
	}
	for i := range c.Models {
		for _, later := range c.Models[i+1:] {
			pairs = append(pairs, spec.Cascade{Name: fmt.Sprintf("%s (%s+%s)", c.Name, c.Models[i], later),
				Models: []string{c.Models[i], later}, Datasets: c.Datasets})
		}
	}
	return pairs
}
