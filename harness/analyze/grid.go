package analyze

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/seed"
	"infnet/harness/spec"
	"infnet/harness/split"
	"infnet/metrics/infer"
)

// setting is a value of an axis of the study's grid.
type setting struct {
	word string
	at   float64 // NaN = it is no number

	// of makes the records that are used under it; nil = there are none.
	of func(r *records.Records) (*records.Records, error)
}

// axis is a setting that varies.
type axis struct {
	name     string
	settings []setting
}

// axes are those of the study but models, in the order of the tables.
func axes(s *spec.Study) []axis {
	g := s.Grid
	otherwise := func(change func(*spec.Study)) *spec.Study {
		n := *s
		change(&n)
		return &n
	}
	all := []axis{{name: "target"}, {name: "tau"}, {name: "fit_records"}, {name: "seed"}}
	add := func(k int, word string, at float64, of func(*records.Records) (*records.Records, error)) {
		all[k].settings = append(all[k].settings, setting{word, at, of})
	}
	for _, t := range g.Target {
		at := math.NaN()
		if xi, ok := t.Numeric(); ok {
			at, _ = xi.Float64()
		}
		n := otherwise(func(s *spec.Study) { s.Policy.Target = t })
		add(0, t.String(), at, func(r *records.Records) (*records.Records, error) { return records.Under(r, n), nil })
	}
	for _, tau := range g.Tau {
		n := otherwise(func(s *spec.Study) {
			s.Datasets = slices.Clone(s.Datasets)
			for i := range s.Datasets {
				s.Datasets[i].Correct.Tau = tau
			}
		})
		add(1, fraction(tau), tau, func(r *records.Records) (*records.Records, error) {
			if r.Dataset.Correct.Tau == 0 {
				return nil, nil
			}
			return records.Vary(r, records.Variation{Study: n})
		})
	}
	for _, count := range g.FitRecords {
		add(2, strconv.Itoa(count), float64(count), func(r *records.Records) (*records.Records, error) {
			return records.Vary(r, records.Variation{Study: s, Keep: few(r, count)})
		})
	}
	for _, root := range g.Seed {
		n := otherwise(func(s *spec.Study) { s.Seed = uint64(root) })
		add(3, strconv.FormatInt(root, 10), math.NaN(), func(r *records.Records) (*records.Records, error) {
			return records.Vary(r, records.Variation{Study: n})
		})
	}
	return all
}

// few keeps so many records of the fit part, drawn in one order, so that fewer are among more.
func few(r *records.Records, count int) func(fit, test []int) ([]int, []int) {
	return func(fit, test []int) ([]int, []int) {
		rank := func(i int) float64 {
			return seed.Uniform(r.Study.Seed, "fit_records", r.Stream(), r.Set.Examples[i].ID)
		}
		fit = slices.Clone(fit)
		slices.SortFunc(fit, func(i, j int) int { return cmp.Or(cmp.Compare(rank(i), rank(j)), cmp.Compare(i, j)) })
		fit = fit[:min(count, len(fit))]
		slices.Sort(fit)
		return fit, test
	}
}

// run is a policy under a setting, before it is measured.
type run struct {
	point result.Point
	trial trial
	on    *measurer
}

// vary fills in the study's grid.
func (o *Output) vary(ctx context.Context, in Input, answers records.Table, used [][]*records.Records) error {
	g := in.Study.Grid
	if g == nil {
		return nil
	}
	list := axes(in.Study)
	for _, a := range list {
		var runs []run
		for c := range used {
			for _, r := range used[c] {
				for _, v := range a.settings {
					if a.name == "fit_records" && v.at > float64(len(r.Fit)) {
						o.Result.Warnings = append(o.Result.Warnings, fmt.Sprintf("grid.fit_records = %s is left out for cascade %s "+
							"on dataset %s, of whose records %d fit", v.word, r.Cascade.Name, r.Dataset.Name, len(r.Fit)))
						continue
					}
					err := o.fit(ctx, in, &runs, r, v)
					if err != nil {
						return fmt.Errorf("grid.%s = %s, cascade %s on dataset %s: %w", a.name, v.word, r.Cascade.Name,
							r.Dataset.Name, err)
					}
				}
			}
		}
		if err := o.measure(a.name, runs); err != nil {
			return err
		}
	}
	var runs []run
	for i := range g.Cascades {
		c := &g.Cascades[i]
		for _, name := range c.Datasets {
			r, err := records.Prepare(in.Input, answers, c, name, nil)
			if err == nil {
				err = o.fit(ctx, in, &runs, r, setting{c.Name, math.NaN(),
					func(r *records.Records) (*records.Records, error) { return r, nil }})
			}
			if err != nil {
				return fmt.Errorf("grid.models, cascade %s on dataset %s: %w", c.Name, name, err)
			}
		}
	}
	return o.measure("models", runs)
}

// fit fits all policies under a setting.
func (o *Output) fit(ctx context.Context, in Input, runs *[]run, r *records.Records, v setting) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if free(r) {
		return nil
	}
	n, err := v.of(r)
	if err != nil || n == nil || free(n) {
		return err
	}
	in.Study = n.Study
	list, trained, err := trials(ctx, in, n)
	if err != nil {
		return err
	}
	o.Trained = append(o.Trained, trained...)
	on, err := withoutMetrics(n)
	if err != nil {
		return err
	}
	for _, t := range list {
		p := result.Point{Cascade: n.Cascade.Name, Dataset: n.Dataset.Name, Value: v.word, Fit: len(n.Fit), Test: len(n.Test)}
		if !math.IsNaN(v.at) {
			at := result.Float(v.at)
			p.At = &at
		}
		*runs = append(*runs, run{p, t, on})
	}
	return nil
}

// measure measures the policies along an axis, and adds it to the results.
func (o *Output) measure(name string, runs []run) error {
	if len(runs) == 0 {
		return nil
	}
	out := result.Varied{Axis: name}
	for _, x := range runs {
		got, err := x.on.use(x.trial, 0, x.on.resamples.Together(len(runs)))
		if err != nil {
			return fmt.Errorf("grid.%s = %s: %w", name, x.point.Value, err)
		}
		x.point.Realised = got
		out.Points = append(out.Points, x.point)
	}
	if name == "seed" {
		overSeeds(out.Points, runs)
	}
	o.Result.Grid = append(o.Result.Grid, out)
	return nil
}

// overSeeds gives the first point of each policy its mean over all seeds.
func overSeeds(points []result.Point, runs []run) {
	for i := range points {
		first := &points[i]
		same := func(p result.Point) bool {
			return p.Cascade == first.Cascade && p.Dataset == first.Dataset && p.Policy == first.Policy
		}
		if slices.IndexFunc(points, same) < i {
			continue
		}
		var errs, saved []float64
		for _, p := range points {
			if same(p) {
				errs, saved = append(errs, p.Error.Value), append(saved, p.Saved.Value)
			}
		}
		if len(errs) < 2 {
			continue
		}
		drawn := 0.0 // test records for each that fits, where the split is drawn
		if d := runs[i].trial.of.Dataset; d.Split.Column == "" && split.Order(d.Split.Order) != split.InFile {
			drawn = float64(first.Test) / float64(first.Fit)
		}
		level := runs[i].on.resamples.Level()
		m := result.Mean{Seeds: len(errs)}
		m.Error, m.Saved = infer.OverSplits(errs, drawn, level), infer.OverSplits(saved, drawn, level)
		m.SD = [2]float64{spread(errs).SD, spread(saved).SD}
		first.Mean = &m
	}
}
