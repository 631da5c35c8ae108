package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/fault"
	"infnet/harness/recheck"
	"infnet/harness/regular"
	"infnet/harness/serving"
	"infnet/harness/spec"
	"infnet/harness/store"
)

// RecheckOptions say what Recheck asks again.
type RecheckOptions struct {
	Sample    int     // answers of each model; more than it has are all of them
	Round     string  // names the draw and its folder; "" = today's first one that is not finished
	Alpha     float64 // see recheck.Options
	Tolerance float64 // the same
	Seed      *uint64 // of the draw; nil = the study's
	Now       func() time.Time
}

// Rechecks is the folder of a store that has the answers of rechecks: RECHECKS/STUDY/ROUND/first and …/second, each a
// store of its own.
const Rechecks = "rechecks"

// recheckFile is the report of a round.
const recheckFile = "recheck.json"

// reportVersion changes when older reports can no longer be gone on with.
const reportVersion = 1

// Recheck asks a random sample of the stored answers again and judges whether the served models are still those that
// were measured. Fresh answers go to stores of their own; nothing stored is touched. The report covers what was done
// even if there is an error. A round that was stopped goes on where it stopped.
func (st *Study) Recheck(ctx context.Context, o RecheckOptions) (report *recheck.Report, err error) {
	if err := st.Check(); err != nil {
		return nil, err
	}
	if st.Spec.Recorded() {
		return nil, usageError("every answer of the study is a recorded one: there is no model to be asked again; " +
			"infnet verify makes the run again from the files")
	}
	r, err := st.recheck(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := r.draw(ctx); err != nil {
		return nil, err
	}
	end := st.begin(ctx)
	defer func() { err = errors.Join(err, end()) }()
	if err := r.preflight(ctx); err != nil {
		return nil, err
	}
	defer r.spending.Close()
	r.whole = r.expect()
	defer (&progress{events: r.events, whole: r.whole}).watch()()
	var models []recheck.Model
	var stop error
	for i := range r.samples {
		m, err := r.recheckModel(ctx, &r.samples[i], stop)
		models = append(models, m)
		if err != nil && stop == nil {
			stop = err
		}
		if err := st.release(); err != nil && stop == nil {
			stop = err
		}
	}
	return r.finish(models, stop)
}

// rechecker is a recheck under way.
type rechecker struct {
	*Study
	o        RecheckOptions
	round    string
	dir      string
	first    *store.Store // the fresh answers
	second   *store.Store // those of records that were asked twice
	spending *collect.Spending
	whole    *whole
	samples  []sample
	earlier  recheck.Report // of the round, before it was stopped
	report   recheck.Report
}

// sample is what one model is asked again.
type sample struct {
	model  *Model
	stored int // answers that it was drawn from
	items  []sampled
}

// sampled is a stored answer that is asked for again.
type sampled struct {
	dataset *Dataset
	example int
	key     backends.Key    // of the stored answer
	stored  backends.Answer // read with the fresh one
	fresh   backends.Answer // the first one; the zero answer if there is none
}

// recheck chooses the round and opens its stores.
func (st *Study) recheck(ctx context.Context, o RecheckOptions) (*rechecker, error) {
	r := &rechecker{Study: st, o: o, round: o.Round}
	now := o.Now()
	root := filepath.Join(st.store.Root(), Rechecks, st.Spec.Name)
	if o.Round != "" {
		if fault := spec.NameFault(o.Round); fault != "" {
			return nil, usageError("--round %q %s: it becomes a folder's name", o.Round, fault)
		}
	}
	for n := 1; ; n++ {
		if r.round = o.Round; r.round == "" {
			r.round = now.UTC().Format(time.DateOnly)
			if n > 1 {
				r.round = fmt.Sprintf("%s.%d", r.round, n)
			}
		}
		r.dir = filepath.Join(root, r.round)
		var err error
		if r.earlier, err = readRecheck(filepath.Join(r.dir, recheckFile)); err != nil {
			return nil, err
		}
		if o.Round != "" || !r.earlier.Finished {
			break
		}
	}
	r.first = store.Open(filepath.Join(r.dir, "first"), store.Options{Notice: st.torn})
	r.second = store.Open(filepath.Join(r.dir, "second"), store.Options{Notice: st.torn})
	r.spending = collect.NewSpending(collect.Limits(st.Spec.Collect.Spending))
	seed := st.Spec.Seed
	if o.Seed != nil {
		seed = *o.Seed
	}
	r.report = recheck.Report{Version: reportVersion, Study: st.Spec.Name, Round: r.round, Seed: seed, Sample: o.Sample,
		Alpha: o.Alpha, Tolerance: o.Tolerance, Began: now, Sessions: append(r.earlier.Sessions, now)}
	if len(r.earlier.Sessions) > 0 {
		if r.earlier.Seed != seed {
			return nil, usageError("round %s of study %s was drawn with seed %d, not %d: name another --round", r.round,
				st.Spec.Name, r.earlier.Seed, seed)
		}
		r.report.Began = r.earlier.Began
	}
	return r, nil
}

func usageError(format string, args ...any) error {
	return fault.Usage.Wrap(fmt.Errorf(format, args...))
}

// readRecheck reads the report of a round; it is the zero report where there is none.
func readRecheck(path string) (r recheck.Report, err error) {
	text, err := regular.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err == nil && r.Version != reportVersion {
		err = fmt.Errorf("version %d, this infnet reads %d", r.Version, reportVersion)
	}
	if err != nil {
		return r, fault.Store.Wrap(fmt.Errorf("%s: no report of a recheck: %w: name another --round", path, err))
	}
	return r, nil
}

// draw draws every model's sample from its stored answers.
func (r *rechecker) draw(ctx context.Context) error {
	for _, m := range r.Models {
		if !r.calls(m.Name) {
			continue
		}
		if m.Recorded() {
			r.report.Recorded = append(r.report.Recorded, m.Name)
			continue
		}
		s := sample{model: m}
		for _, d := range r.Datasets {
			if !m.canAnswer(d) {
				continue
			}
			held, err := m.held(ctx, d)
			if err != nil {
				return err
			}
			s.items = append(s.items, held...)
		}
		s.stored = len(s.items)
		if s.stored == 0 {
			r.report.Empty = append(r.report.Empty, m.Name)
			continue
		}
		if s.stored < r.o.Sample {
			r.events.Warn("fewer answers are stored than the sample asks for: all are asked again", "model", m.Name,
				"stored", s.stored, "sample", r.o.Sample)
		}
		s.items = recheck.Draw(r.report.Seed, r.round, m.Name, s.items, func(s sampled) string { return s.key.String() },
			r.o.Sample)
		r.samples = append(r.samples, s)
	}
	if len(r.samples) > 0 {
		return nil
	}
	if len(r.report.Empty) == 0 {
		return usageError("none of the models that are to be asked answers records and can be asked: %s",
			strings.Join(r.options.Only, ", "))
	}
	return fault.Incomplete.Wrap(fmt.Errorf("no answer of %s is in the store %s: there is nothing to compare with; "+
		"infnet collect asks for them, and --store names another folder", strings.Join(r.report.Empty, ", "), r.Store()))
}

// held lists the stored answers to a dataset.
func (m *Model) held(ctx context.Context, d *Dataset) (list []sampled, err error) {
	answers, err := m.answers(d)
	if err != nil {
		return nil, fault.Store.Wrap(err)
	}
	defer answers.Close()
	if answers.Len() == 0 {
		return nil, nil
	}
	for i := range d.Sheet.Len() {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if key := m.request(d, i).Key(); answers.Has(key) {
			list = append(list, sampled{dataset: d, example: i, key: key})
		}
	}
	return list, nil
}

// preflight refuses engines that are not on this machine before anything is started.
func (r *rechecker) preflight(ctx context.Context) error {
	if r.session == nil {
		return nil
	}
	if err := r.session.fleet.Sweep(ctx); err != nil {
		return fault.Model.Wrap(err)
	}
	var problems []error
	for _, s := range r.samples {
		if s.model.launch() == nil {
			continue
		}
		if err := serving.Check(s.model.launch()); err != nil {
			problems = append(problems, fmt.Errorf("model %s: %w", s.model.Name, err))
		}
		if _, err := s.model.deal(ctx); err != nil {
			problems = append(problems, err)
		}
	}
	return fault.Model.Wrap(errors.Join(problems...))
}

// expect is the whole of what is asked once.
func (r *rechecker) expect() *whole {
	var jobs []collect.Job
	for i := range r.samples {
		s := &r.samples[i]
		want := make([]int, len(s.items))
		for i := range want {
			want[i] = i
		}
		jobs = append(jobs, r.jobs(s, want, nil)...)
	}
	return newWhole(r.spending, jobs, func(j collect.Job) (total, done int) {
		for range j.Items {
			total++
		}
		return total, 0
	})
}

// finish judges the models and writes the report of the round.
func (r *rechecker) finish(models []recheck.Model, stop error) (*recheck.Report, error) {
	rep := &r.report
	var err error
	rep.Models, err = recheck.Judge(models, recheck.Options{Alpha: r.o.Alpha, Tolerance: r.o.Tolerance, Seed: rep.Seed,
		Round: r.round, Lacking: r.Spec.Collect.MaxMissing})
	if err != nil {
		return nil, err
	}
	rep.Ended = r.o.Now()
	rep.Verdict = recheck.Worst(rep.Models)
	rep.Finished = stop == nil && !slices.ContainsFunc(models, func(m recheck.Model) bool { return m.Trouble != "" })
	for _, m := range rep.Models {
		rep.Calls, rep.Tokens, rep.Seconds = rep.Calls+m.Calls, rep.Tokens+m.Tokens, rep.Seconds+m.Seconds
		if m.Cost == nil {
			continue
		}
		i := slices.IndexFunc(rep.Spent, func(s recheck.Money) bool { return s.Currency == m.Cost.Currency })
		if i < 0 {
			rep.Spent = append(rep.Spent, *m.Cost)
		} else {
			rep.Spent[i].Amount += m.Cost.Amount
		}
	}
	text, err := json.MarshalIndent(rep, "", "  ")
	if err != nil {
		return rep, err
	}
	if err := store.WriteFile(filepath.Join(r.dir, recheckFile), append(text, '\n')); err != nil {
		return rep, errors.Join(stop, err)
	}
	if found := verdict(rep); stop == nil || rep.Verdict == recheck.Changed && !errors.Is(stop, context.Canceled) {
		return rep, found
	}
	return rep, stop
}

// verdict is the error that a verdict other than "same" is.
func verdict(r *recheck.Report) error {
	var changed, lacking []string
	for _, m := range r.Models {
		switch m.Verdict {
		case recheck.Changed:
			changed = append(changed, m.Name+": "+m.Why)
		case recheck.Incomplete:
			lacking = append(lacking, m.Name+": "+m.Why)
		}
	}
	switch {
	case len(changed) > 0:
		return fault.Changed.Wrap(fmt.Errorf("the served model is not the one that was measured: %s", strings.Join(changed,
			"; ")))
	case len(lacking) > 0:
		return fault.Incomplete.Wrap(fmt.Errorf("incomplete: %s: nothing can be said of what was not answered; "+
			"--round %s goes on from here", strings.Join(lacking, "; "), r.Round))
	}
	return nil
}
