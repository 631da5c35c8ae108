package analyze

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/router"
	"infnet/metrics"
	"infnet/metrics/infer"
	"infnet/sufficiency"
)

const combined = "combination"

// scored is a signal with its scores in [0,1] of the fit and of the test records.
type scored struct {
	result.Signal
	fit, test []float64
	overhead  float64 // cost of a query's calls, in the study's unit
}

// signals measures the study's signals of a pair's student; nil = it has none.
func (t *table) signals(ctx context.Context, in Input) (*result.Signals, error) {
	r := t.r
	if len(r.Study.Confidence.Signals) == 0 || r.Repeat > 0 {
		return nil, nil
	}
	single := t.rows.named(Single)
	beta := ourFamily(r, *single.fitted, nil)
	list := []scored{{Signal: result.Signal{Name: "β, " + r.ConfidenceName(student)}, fit: beta.fit, test: beta.test}}
	known, err := records.Signals(r)
	if err != nil {
		return nil, err
	}
	for _, s := range known {
		x := scored{Signal: result.Signal{Name: s.Name, Kind: string(s.Kind), Missing: s.Missing}, overhead: s.Cost}
		if s.Missing == "" {
			if s.Cosine > 0 && !r.Classifies() {
				x.Relation = fmt.Sprintf("the cosine of their embeddings by %s is at least %v", embedder(r), s.Cosine)
			}
			x.fit, x.test = units(s.Values, r.Fit), units(s.Values, r.Test)
		}
		list = append(list, x)
	}
	free := slices.DeleteFunc(slices.Clone(known), func(s records.Signal) bool { return !s.Free() })
	if x, ok, err := combination(ctx, in, r, free); err != nil {
		return nil, err
	} else if ok {
		list = append(list, x)
	}
	if err := t.compareSignals(beta, list); err != nil {
		return nil, err
	}
	out := &result.Signals{Fit: len(r.Fit)}
	for k := range list {
		if x := &list[k]; x.Missing == "" {
			if err := t.measureSignal(x, &list[0]); err != nil {
				return nil, fmt.Errorf("signal %s: %w", x.Name, err)
			}
		}
		out.Rows = append(out.Rows, list[k].Signal)
	}
	out.Adds, out.Alpha, err = t.adding(ctx, in, free)
	return out, err
}

// units are a signal's values of some examples, in [0,1].
func units(values []float64, examples []int) []float64 {
	out := records.Pick(values, examples)
	for k, x := range out {
		out[k] = confidence.Unit(x)
	}
	return out
}

// combination is what a regression of "right" makes of some signals; ok is false where there are fewer than two, or too
// few records to divide.
func combination(ctx context.Context, in Input, r *records.Records, list []records.Signal) (x scored, ok bool,
	err error) {
	if len(list) < 2 || r.Roles.Signals.Of == nil {
		return x, false, nil
	}
	var sorted [][]float64 // of the fit part: scales differ, and a signal's place among its values does not
	for _, one := range list {
		sorted = append(sorted, slices.Sorted(slices.Values(records.Pick(one.Values, r.Fit))))
	}
	sample := func(examples []int) (out []router.Sample) {
		for _, i := range examples {
			s := router.Sample{ID: r.Set.Examples[i].ID, Group: r.Set.Examples[i].Group}
			for k, one := range list {
				s.Features = append(s.Features, share(sorted[k], one.Values[i]))
			}
			out = append(out, s)
		}
		return out
	}
	name := r.SignalsName()
	for _, s := range list {
		name += "/" + s.Name
	}
	found, err := router.CrossFit(ctx, router.NewTokenQuantiles(), router.Task{Samples: sample(r.Fit),
		Labels: indicators(r.Student().Right(r.Fit)), Answered: true, Seed: r.Study.Seed, Name: name,
		Threads: max(1, in.Threads)}, r.Roles.Signals, sample(r.Test))
	if err != nil {
		return x, false, fmt.Errorf("%s: %w", combined, err)
	}
	return scored{Signal: result.Signal{Name: combined}, fit: found.OutOfFold, test: found.Applied}, true, nil
}

// share is the share of sorted values below x, those equal to it counted half.
func share(sorted []float64, x float64) float64 {
	below, _ := slices.BinarySearch(sorted, x)
	upTo, _ := slices.BinarySearch(sorted, math.Nextafter(x, math.Inf(1)))
	return float64(below+upTo) / float64(2*len(sorted))
}

// compareSignals sets the signals beside the policy on β, at its error and at its cost, by thresholds of the fit part.
func (t *table) compareSignals(beta family, list []scored) error {
	families, of := []family{beta}, map[string]*scored{}
	for k := range list[1:] {
		if x := &list[k+1]; x.Missing == "" {
			x.Overhead = 100 * x.overhead / t.r.Master().Cost.Summary
			f := family{name: "signal " + strconv.Itoa(k), title: x.Name, kind: byThreshold, charge: cost.Cascade,
				baseline: true, overhead: x.overhead, fit: x.fit, test: x.test}
			families, of[f.name] = append(families, f), x
		}
	}
	c, _ := newContest(t.s, families)
	if c == nil || c.families[0].name != beta.name {
		return nil // deferring nothing saves nothing
	}
	for i := range c.families[1:] {
		pair, x := familyPair{0, i + 1}, of[c.families[i+1].name]
		atCost, err := c.fitted(pair, false)
		if err != nil {
			return err
		}
		atError, err := c.fitted(pair, true)
		if err != nil {
			return err
		}
		x.ErrorAtCost = &result.Beside{Interval: note.Negative(atCost.DiffError), Alike: note.Negative(atCost.DiffSaved),
			Clipped: atCost.Clipped}
		x.SavedAtError = savedBeside(atError)
	}
	return nil
}

// savedBeside is the saving of a policy that errs as ours on the fit part, less ours.
func savedBeside(found result.Fitted) *result.Beside {
	return &result.Beside{Interval: note.Negative(found.DiffSaved), Alike: note.Negative(found.DiffError),
		Clipped: found.Clipped}
}

func (t *table) measureSignal(x, beta *scored) (err error) {
	rs, right := t.s.resamples, t.r.Student().Right(t.r.Test)
	own, theirs := metrics.NewRanking(x.test, right), metrics.NewRanking(beta.test, right)
	if x.AUROC, err = auroc(rs, own); err != nil {
		return err
	}
	const area, above, beats, width = 0, 1, 2, 3
	statistics := func(counts []uint8, into []float64) {
		a, least := own.AURC(counts)
		into[area], into[above], into[beats] = a, a-least, own.AUROC(counts)-theirs.AUROC(counts)
	}
	point := make([]float64, width)
	statistics(nil, point)
	each := rs.Several(width, func() func([]uint8, []float64) { return statistics })
	iv := kept[infer.Interval](&err)
	x.AURC, x.Above = iv(rs.Interval(point[area], each[area])), iv(rs.Interval(point[above], each[above]))
	if x != beta && x.AUROC.N > 0 {
		for k, v := range each[beats] {
			if v != v {
				each[beats][k] = 0 // what has no value on a resample does not differ
			}
		}
		difference := iv(rs.Interval(point[beats], each[beats]))
		x.Beats = &difference
	}
	f, e := t.thresholdOn(x)
	if e != nil {
		return e
	}
	p := plan{models: everyModel(t.r), final: certainly(2, f.chosen.test), charge: cost.Cascade, overhead: x.overhead}
	x.Error, x.Saved = iv(rs.RateOf(p.mix(t.s.errors))), iv(t.s.saved(p))
	return err
}

// thresholdOn is the family of thresholds on a signal, with the one that the study's budget asks for.
func (t *table) thresholdOn(x *scored) (family, error) {
	fit, test := t.r.Pair(t.r.Fit), t.r.Pair(t.r.Test)
	fit.Beta, test.Beta = x.fit, x.test
	found, err := policy.FitSingle(fit, options(t.r))
	if err != nil {
		return family{}, err
	}
	return family{name: x.Name, title: x.Name, kind: byThreshold, charge: cost.Cascade, overhead: x.overhead, fit: x.fit,
		test: x.test, chosen: &decided{fit: places(found.Decide(fit)), test: places(found.Decide(test))}}, nil
}

// adding asks of every ordered pair of the signals that cost nothing whether the second tells more of "student wrong,
// master right" once the first is known: by the test of sufficiency on the fit part, with the first signal in the place
// of β. adjust adjusts its p-values.
func (t *table) adding(ctx context.Context, in Input, free []records.Signal) (
	out []result.Added, alpha float64, err error) {
	r := t.r
	if len(free) < 2 || r.Roles.Signals.Of == nil {
		return nil, 0, nil
	}
	o := testOptions(r, r.SignalsName())
	o.Nulls, o.Splits = []sufficiency.Null{sufficiency.Beta}, sufficiency.Splits
	values := map[string][]float64{}
	for _, s := range free {
		values[s.Name] = units(s.Values, r.Fit)
	}
	for k, given := range free {
		full := sufficiencyInput(r)
		fit := sufficiency.Input{IDs: full.IDs, Groups: full.Groups, Beta: values[given.Name]}
		for i, e := range full.StudentErr {
			fit.Delta = append(fit.Delta, e-full.MasterErr[i])
		}
		for j, x := range free {
			if j != k {
				fit.Sets = append(fit.Sets, sufficiency.Set{Name: x.Name,
					Columns: []sufficiency.Covariate{{Name: x.Name, Values: values[x.Name]}}})
			}
		}
		parts := []any{"signals"}
		for _, s := range fit.Sets {
			parts = append(parts, s.Name, s.Columns[0].Values)
		}
		report := func(done, total int) {
			in.Progress("signals · "+r.Dataset.Name, k*total+done, len(free)*total)
		}
		rows, err := cachedTest(ctx, in, fit, o, report, func() ([]sufficiency.Set, error) { return fit.Sets, nil }, parts...)
		if err != nil {
			return nil, 0, fmt.Errorf("does a signal add to %s: %w", given.Name, err)
		}
		from := len(out)
		for _, row := range rows {
			out = append(out, result.Added{Given: given.Name, Adds: row.Set, State: row.State, P: row.P, R2: row.R2,
				Notes: row.Notes})
		}
		if err := t.worth(ctx, in, free, k, out[from:]); err != nil {
			return nil, 0, fmt.Errorf("what signals add to %s: %w", given.Name, err)
		}
	}
	return out, o.Alpha, nil
}

// worth compares a threshold on a signal, fitted to the study's budget, with thresholds on its combinations with the
// others, at its error on the fit part.
func (t *table) worth(ctx context.Context, in Input, free []records.Signal, given int, out []result.Added) error {
	alone := scored{fit: units(free[given].Values, t.r.Fit), test: units(free[given].Values, t.r.Test)}
	own, err := t.thresholdOn(&alone)
	if err != nil {
		return err
	}
	families, of := []family{own}, []*result.Added{nil}
	for k := range out {
		if !out[k].Tested() {
			continue
		}
		at := slices.IndexFunc(free, func(s records.Signal) bool { return s.Name == out[k].Adds })
		x, _, err := combination(ctx, in, t.r, []records.Signal{free[given], free[at]})
		if err != nil {
			return err
		}
		f := own
		f.fit, f.test, f.chosen = x.fit, x.test, nil
		families, of = append(families, f), append(of, &out[k])
	}
	c, without := newContest(t.s, families)
	if c == nil || len(without) > 0 { // all have the same charge: deferring nothing saves nothing
		return nil
	}
	for i := 1; i < len(families); i++ {
		found, err := c.fitted(familyPair{0, i}, true)
		if err != nil {
			return err
		}
		of[i].Value = savedBeside(found)
	}
	return nil
}
