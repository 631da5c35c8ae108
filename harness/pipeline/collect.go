package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/fault"
	"infnet/harness/records"
)

// CollectOptions say what to collect.
type CollectOptions struct {
	Offline     bool // call no model: an error, with what is missing
	RetryFailed bool // ask failed requests of earlier runs again
	Rest        bool // collect everything that is missing, not only the study's shard
}

// Collect obtains and stores every missing answer, embedding and score of the study. The report
// covers what was done even if there is an error.
func (st *Study) Collect(ctx context.Context, o CollectOptions) (report collect.Report, err error) {
	defer frugal(st)()
	end := begin(ctx, st)
	defer func() { err = errors.Join(err, end()) }()
	shard := st.options.Shard
	if o.Rest {
		shard = collect.Shard{}
	}
	spending := collect.NewSpending(collect.Limits(st.Spec.Collect.Spending).Share(st.options.Shard))
	defer spending.Close()
	options := limited(st, spending)
	options.RetryFailed, options.Offline, options.Shard = o.RetryFailed, o.Offline, shard
	if err := prepare(ctx, st, o); err != nil {
		return collect.Report{}, err
	}
	jobs := jobsOf(ctx, st)
	progress := &progress{ctx: ctx, events: st.events}
	report, err = collect.Run(ctx, st.store, jobs, options, progress)
	if err != nil {
		return report, err
	}
	st.complete = shard.N == 0 && st.options.Only == nil && isComplete(st, report)
	if jobs := signalJobs(ctx, st, false); jobs != nil {
		asked, err := collect.Run(ctx, st.store, jobs, options, progress)
		report.Jobs = append(report.Jobs, asked.Jobs...)
		if err != nil {
			return report, err
		}
	}
	for _, v := range called(st) {
		if _, err := v.collect(ctx, st.store, options, progress); err != nil {
			return report, err
		}
		if err := stopServers(st); err != nil {
			return report, err
		}
	}
	if st.judge == nil || !calls(st, st.judge.model.Name) {
		return report, nil
	}
	judged, err := collect.Run(ctx, st.store, st.judge.jobs(ctx, false), options, progress)
	report.Jobs = append(report.Jobs, judged.Jobs...)
	return report, err
}

// limited are the options of the spec, with these limits.
func limited(st *Study, spending *collect.Spending) collect.Options {
	return collect.Options{Spending: spending, Hurry: st.options.Hurry,
		Waiting: func(calls int, atMost time.Duration) {
			st.events.Warn(fmt.Sprintf("stopping: waiting up to %v for %d calls under way, which are paid for; Ctrl-C again "+
				"to leave now", atMost, calls))
		}}
}

// prepare checks everything that can be checked before the study's first request, probes its
// servers and confirms which models they serve.
func prepare(ctx context.Context, st *Study, o CollectOptions) error {
	if err := st.Check(); err != nil {
		return err
	}
	if !o.Offline {
		if err := preflight(ctx, st, o.RetryFailed); err != nil {
			return err
		}
		if err := probeServers(ctx, st); err != nil {
			return err
		}
		if err := reconfirm(ctx, st); err != nil {
			return err
		}
	}
	return nil
}

// isComplete reports whether a collection says by itself that no answer is missing.
func isComplete(st *Study, r collect.Report) bool {
	return loaded(st) && !slices.ContainsFunc(st.Models, func(m *Model) bool { return !m.available }) &&
		!slices.ContainsFunc(st.Models, func(m *Model) bool { return m.Samples != nil }) && // none may name a class
		!slices.ContainsFunc(r.Jobs, func(j collect.JobReport) bool { return j.Missing() > 0 })
}

// Complete returns an error if more answers are missing than the study allows, by the rule of the
// analysis.
func (st *Study) Complete(ctx context.Context) error {
	if st.complete {
		return nil
	}
	gaps, err := records.Gaps(ctx, input(st).Input)
	if err != nil || len(gaps) == 0 {
		return err
	}
	var parts []string
	for _, g := range gaps {
		parts = append(parts, fmt.Sprintf("%d of %d records of cascade %s on dataset %s lack an answer (%s)", g.Lost,
			g.Records, g.Cascade, g.Dataset, g.Missing))
	}
	return fault.Incomplete.Wrap(fmt.Errorf("incomplete: %s: more than [collect] max_missing = %v allows; %s",
		strings.Join(parts, "; "), st.Spec.Collect.MaxMissing, mend(st)))
}

// mend says what to do about answers that are missing.
func mend(st *Study) string {
	if st.Spec.Recorded() {
		return "the recorded answers lack them: add them to the files, or raise max_missing"
	}
	return "--retry-failed asks again for what failed"
}

// jobsOf lists each model's work on each dataset that some cascade pairs it
// with, model by model.
func jobsOf(ctx context.Context, st *Study) []collect.Job {
	var jobs []collect.Job
	for _, m := range st.Models {
		for _, d := range st.Datasets {
			if !m.canAnswer(d) || !calls(st, m.Name) {
				continue
			}
			j := jobOf(ctx, m, d, items(m, d))
			j.Thinks = len(d.Answer) > 0
			jobs = append(jobs, j)
		}
		switch n := len(jobs); {
		case n == 0:
		case m.launch() != nil:
			jobs[n-1].After = func() error { return stopServers(st) } // before the next model's turn
		case m.Recording != nil:
			jobs[n-1].After = func() error { m.open = nil; return nil } // its answers are in the store now
		}
	}
	return jobs
}

// jobOf is a model's work on a dataset. Servers that the study starts are probed before it, where only that says which
// answers are missing.
func jobOf(ctx context.Context, m *Model, d *Dataset, items iter.Seq2[collect.Item, error]) collect.Job {
	j := collect.Job{Model: m.known.ID, Name: m.Name, Dataset: d.Name, Hash: d.source, Items: items,
		Concurrency: m.concurrency(), Price: m.price()}
	j.Open = func() (backends.Model, error) {
		inner, err := m.opener(ctx)() // which changes when servers are stopped
		if err != nil {
			return nil, err
		}
		return checked(m, d, inner), nil
	}
	if m.launch() != nil {
		j.Before = func() error {
			if !m.servers.unasked() {
				return nil
			}
			_, err := m.opener(ctx)()
			return err
		}
	}
	return j
}

// items yields the model's requests for a dataset.
func items(m *Model, d *Dataset) iter.Seq2[collect.Item, error] {
	return func(yield func(collect.Item, error) bool) {
		for i, e := range d.Sheet.Set.Examples {
			for _, r := range d.Sheet.Requests(i, m.known.ID, m.Model) {
				if !yield(collect.Item{ID: e.ID, Request: r}, nil) {
					return
				}
			}
		}
	}
}
