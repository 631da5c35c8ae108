package recheck

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
	"infnet/harness/regular"
	"infnet/harness/spec"
	"infnet/harness/store"
)

// Asking says what is asked again.
type Asking struct {
	Sample    int     // answers of each model; more than it has are all of them
	Round     string  // names the draw and its folder; "" = today's first one that is not finished
	Alpha     float64 // probability that any model is said to have changed while none has; in (0, 1)
	Tolerance float64 // confidences that differ by no more count as equal; in [0, 1)
	Seed      *uint64 // of the draw; nil = the study's
	Now       func() time.Time
}

// folder is where a store has the answers of rechecks: rechecks/STUDY/ROUND/first and …/second, each a store of its
// own, and the report of the round.
const (
	folder     = "rechecks"
	reportFile = "recheck.json"
)

// reportVersion changes when older reports can no longer be gone on with.
const reportVersion = 1

// Round is a recheck under way: the models' samples, and what was found out.
type Round struct {
	study   *Study
	now     func() time.Time
	dir     string
	fresh   [2]*store.Store // the fresh answers, and those of records that were asked twice
	models  []Model         // those that are asked
	earlier Report          // of the round, before it was stopped
	report  Report
}

// Begin chooses the round and draws every model's sample from its stored answers. It asks nothing.
func Begin(ctx context.Context, st *Study, a Asking) (*Round, error) {
	r := &Round{study: st, now: a.Now}
	now, name := a.Now(), a.Round
	if name != "" {
		if wrong := spec.NameFault(name); wrong != "" {
			return nil, usage("--round %q %s: it becomes a folder's name", name, wrong)
		}
	}
	for n := 1; ; n++ {
		if a.Round == "" {
			if name = now.UTC().Format(time.DateOnly); n > 1 {
				name = fmt.Sprintf("%s.%d", name, n)
			}
		}
		r.dir = filepath.Join(st.Store.Root(), folder, st.Name, name)
		var err error
		if r.earlier, err = readReport(filepath.Join(r.dir, reportFile)); err != nil {
			return nil, fault.Store.Wrap(err)
		}
		if a.Round != "" || !r.earlier.Finished {
			break
		}
	}
	for i, part := range []string{"first", "second"} {
		r.fresh[i] = store.Open(filepath.Join(r.dir, part), store.Options{Notice: st.Notice})
	}
	r.report = Report{Version: reportVersion, Study: st.Name, Round: name, Seed: st.Seed, Sample: a.Sample,
		Alpha: a.Alpha, Tolerance: a.Tolerance, Began: now, Sessions: append(r.earlier.Sessions, now)}
	if a.Seed != nil {
		r.report.Seed = *a.Seed
	}
	if e := r.earlier; len(e.Sessions) > 0 {
		if e.Seed != r.report.Seed {
			return nil, usage("round %s of study %s was drawn with seed %d, not %d: name another --round", name, st.Name,
				e.Seed, r.report.Seed)
		}
		r.report.Began = e.Began
	}
	return r, r.draw(ctx)
}

func usage(format string, args ...any) error { return fault.Usage.Wrap(fmt.Errorf(format, args...)) }

// readReport reads the report of a round; it is the zero report where there is none.
func readReport(path string) (r Report, err error) {
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
		return r, fmt.Errorf("%s: no report of a recheck: %w: name another --round", path, err)
	}
	return r, nil
}

// draw draws every model's sample.
func (r *Round) draw(ctx context.Context) error {
	var names []string
	for i := range r.study.Models {
		m := &r.study.Models[i]
		names = append(names, m.Name)
		if m.Recording != nil {
			r.report.Recorded = append(r.report.Recorded, m.Name)
			continue
		}
		held, err := r.study.held(ctx, m)
		if err != nil {
			return fault.Store.Wrap(err)
		}
		if len(held) == 0 {
			r.report.Empty = append(r.report.Empty, m.Name)
			continue
		}
		n := r.report.Sample
		if len(held) < n {
			r.study.Warn("fewer answers are stored than the sample asks for: all are asked again", "model", m.Name,
				"stored", len(held), "sample", n)
		}
		out := Model{ModelReport: ModelReport{Name: m.Name, ID: m.ID.ID, Kind: string(m.ID.Kind), Stored: len(held)},
			subject: m, Items: Draw(r.report.Seed, r.report.Round, m.Name, held, func(it Item) string { return it.key.String() },
				n)}
		out.Exact = m.ID.Kind == backends.Local || m.ID.Kind == backends.Simulated // they repeat themselves bit for bit
		for i := range Noisy(len(out.Items)) {
			out.Items[i].Random = true
		}
		var scores []string
		for set := range out.bySet(nil) {
			if name := string(r.study.score(set)); !slices.Contains(scores, name) {
				scores = append(scores, name)
			}
		}
		out.Score = strings.Join(scores, ", ")
		r.models = append(r.models, out)
	}
	if len(r.models) > 0 {
		return nil
	}
	if len(r.report.Empty) == 0 {
		return usage("none of the models that are to be asked answers records and can be asked: %s",
			strings.Join(names, ", "))
	}
	return fault.Incomplete.Wrap(fmt.Errorf("no answer of %s is in the store %s: there is nothing to compare with; "+
		"infnet collect asks for them, and --store names another folder", strings.Join(r.report.Empty, ", "),
		r.study.Store.Root()))
}

// Asks reports whether a model is asked again.
func (r *Round) Asks(model string) bool {
	return slices.ContainsFunc(r.models, func(m Model) bool { return m.Name == model })
}

// Jobs are all requests that are made at least once.
func (r *Round) Jobs() (jobs []collect.Job) {
	for i := range r.models {
		jobs = append(jobs, r.models[i].jobs(nil, nil)...)
	}
	return jobs
}

// Ask asks, judges the models and writes the report, which covers what was done even if there is an error. progress
// returns what is told how far it is; again says that records are asked a second time.
func (r *Round) Ask(ctx context.Context, progress func(again bool) collect.Progress) (*Report, error) {
	var stop error
	for i := range r.models {
		m := &r.models[i]
		if err := r.ask(ctx, m, stop, progress); stop == nil {
			stop = err
		}
		if err := m.subject.Close(); stop == nil {
			stop = err
		}
	}
	rep := &r.report
	var err error
	rep.Models, err = Judge(r.models, rep, r.study.Study.Collect.MaxMissing)
	if err != nil {
		return nil, err
	}
	rep.Ended = r.now()
	rep.Verdict = Worst(rep.Models)
	rep.Finished = stop == nil && !slices.ContainsFunc(r.models, func(m Model) bool { return m.Trouble != "" })
	for _, m := range rep.Models {
		rep.Calls, rep.Tokens, rep.Seconds = rep.Calls+m.Calls, rep.Tokens+m.Tokens, rep.Seconds+m.Seconds
		if m.Cost == nil {
			continue
		}
		i := slices.IndexFunc(rep.Spent, func(s backends.Money) bool { return s.Currency == m.Cost.Currency })
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
	if err := store.WriteFile(filepath.Join(r.dir, reportFile), append(text, '\n')); err != nil {
		return rep, errors.Join(stop, err)
	}
	if stop == nil || rep.Verdict == Changed && !errors.Is(stop, context.Canceled) {
		return rep, rep.failure()
	}
	return rep, stop
}

// failure is the error that a verdict other than "same" is.
func (r *Report) failure() error {
	why := map[Verdict][]string{}
	for _, m := range r.Models {
		why[m.Verdict] = append(why[m.Verdict], m.Name+": "+m.Why)
	}
	if list := why[Changed]; list != nil {
		return fault.Changed.Wrap(fmt.Errorf("the served model is not the one that was measured: %s",
			strings.Join(list, "; ")))
	}
	if list := why[Incomplete]; list != nil {
		return fault.Incomplete.Wrap(fmt.Errorf("incomplete: %s: nothing can be said of what was not answered; "+
			"--round %s goes on from here", strings.Join(list, "; "), r.Round))
	}
	return nil
}
