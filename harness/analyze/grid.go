package analyze

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/seed"
	"infnet/harness/spec"
	"infnet/harness/split"
	"infnet/metrics/infer"
)

// setting is a value of an axis of the study's grid.
type setting struct {
	word  string
	count int // of the records that fit; 0 = another axis

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
	otherwise := func(change func(*spec.Study)) *spec.Study {
		n := *s
		change(&n)
		return &n
	}
	target, tau, fit, seeds := axis{name: "target"}, axis{name: "tau"}, axis{name: "fit_records"}, axis{name: "seed"}
	for _, t := range s.Grid.Target {
		n := otherwise(func(s *spec.Study) { s.Policy.Target = t })
		target.settings = append(target.settings, setting{word: t.String(),
			of: func(r *records.Records) (*records.Records, error) { return records.Under(r, n), nil }})
	}
	for _, x := range s.Grid.Tau {
		n := otherwise(func(s *spec.Study) {
			s.Datasets = slices.Clone(s.Datasets)
			for i := range s.Datasets {
				s.Datasets[i].Correct.Tau = x
			}
		})
		tau.settings = append(tau.settings, setting{word: fraction(x),
			of: func(r *records.Records) (*records.Records, error) {
				if r.Dataset.Correct.Tau == 0 {
					return nil, nil
				}
				return records.Vary(r, records.Variation{Study: n})
			}})
	}
	for _, count := range s.Grid.FitRecords {
		fit.settings = append(fit.settings, setting{word: strconv.Itoa(count), count: count,
			of: func(r *records.Records) (*records.Records, error) {
				return records.Vary(r, records.Variation{Study: s, Keep: few(r, count)})
			}})
	}
	for _, root := range s.Grid.Seed {
		n := otherwise(func(s *spec.Study) { s.Seed = uint64(root) })
		seeds.settings = append(seeds.settings, setting{word: strconv.FormatInt(root, 10),
			of: func(r *records.Records) (*records.Records, error) {
				return records.Vary(r, records.Variation{Study: n})
			}})
	}
	return []axis{target, tau, fit, seeds}
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
	if in.Study.Grid == nil {
		return nil
	}
	for _, a := range axes(in.Study) {
		var runs []run
		for _, r := range slices.Concat(used...) {
			var of []run
			for _, v := range a.settings {
				if v.count > len(r.Fit) {
					o.Result.Warnings = append(o.Result.Warnings, fmt.Sprintf("grid.fit_records = %s is left out for cascade %s "+
						"on dataset %s, of whose records %d fit", v.word, r.Cascade.Name, r.Dataset.Name, len(r.Fit)))
					continue
				}
				if err := o.fit(ctx, in, &of, r, v); err != nil {
					return fmt.Errorf("grid.%s = %s, cascade %s on dataset %s: %w", a.name, v.word, r.Cascade.Name,
						r.Dataset.Name, err)
				}
			}
			runs = append(runs, byPolicy(of)...)
		}
		if err := o.measure(a.name, runs); err != nil {
			return err
		}
	}
	return o.varyModels(ctx, in, answers)
}

// varyModels fills in the axis of models, dataset by dataset.
func (o *Output) varyModels(ctx context.Context, in Input, answers records.Table) error {
	list := in.Study.Grid.Cascades
	if len(list) == 0 {
		return nil
	}
	asItIs := func(r *records.Records) (*records.Records, error) { return r, nil }
	var runs []run
	for _, name := range list[0].Datasets { // those of all of them
		var of []run
		for i := range list {
			c := &list[i]
			r, err := records.Prepare(in.Input, answers, c, name, nil)
			if err == nil {
				err = o.fit(ctx, in, &of, r, setting{word: c.Name, of: asItIs})
			}
			if err != nil {
				return fmt.Errorf("grid.models, cascade %s on dataset %s: %w", c.Name, name, err)
			}
		}
		runs = append(runs, byPolicy(of)...)
	}
	return o.measure("models", runs)
}

// byPolicy puts the runs of each policy next to each other.
func byPolicy(runs []run) []run {
	var names []string
	for _, x := range runs {
		names = append(names, x.trial.name)
	}
	slices.SortStableFunc(runs, func(a, b run) int {
		return slices.Index(names, a.trial.name) - slices.Index(names, b.trial.name)
	})
	return runs
}

// fit fits all policies under a setting.
func (o *Output) fit(ctx context.Context, in Input, runs *[]run, r *records.Records, v setting) error {
	if err := ctx.Err(); err != nil || free(r) {
		return err
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
	for _, t := range list {
		*runs = append(*runs, run{result.Point{Cascade: n.Cascade.Name, Dataset: n.Dataset.Name, Value: v.word,
			Fit: len(n.Fit), Test: len(n.Test)}, t, on})
	}
	return err
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
		of := func(p *result.Point) string { return p.Cascade + "/" + p.Dataset + "/" + p.Policy }
		list := result.Chunks(out.Points, of)
		out.Points = nil
		for _, points := range list {
			x := runs[slices.IndexFunc(runs, func(x run) bool {
				return x.point.Cascade == points[0].Cascade && x.point.Dataset == points[0].Dataset
			})]
			out.Points = append(append(out.Points, points...), overSeeds(points, x.on, len(runs)))
		}
	}
	o.Result.Grid = append(o.Result.Grid, out)
	return nil
}

// overSeeds is the mean of a policy over all seeds. together is how many excesses are to hold together.
func overSeeds(points []result.Point, on *measurer, together int) result.Point {
	ratio := 0.0 // test records for each that fits, where the split is drawn
	if d := on.r.Dataset; d.Split.Column == "" && split.Order(d.Split.Order) != split.InFile {
		ratio = float64(points[0].Test) / float64(points[0].Fit)
	}
	mean := func(value func(p *result.Point) float64, level float64) infer.Interval {
		var values []float64
		for i := range points {
			values = append(values, value(&points[i]))
		}
		return infer.OverSplits(values, ratio, level)
	}
	level, out := on.resamples.Level(), points[0]
	out.Value, out.Certified = result.OverSeeds, false
	out.Title = strings.NewReplacer(", not certified", "", ", certified", "").Replace(out.Title)
	out.Error = mean(func(p *result.Point) float64 { return p.Error.Value }, level)
	out.Error.Low, out.Error.High = max(0, out.Error.Low), min(1, out.Error.High)
	out.Saved = mean(func(p *result.Point) float64 { return p.Saved.Value }, level)
	out.Excess = mean(func(p *result.Point) float64 { return p.Excess.Value }, on.resamples.Together(together).Level())
	out.Allowed = mean(func(p *result.Point) float64 { return p.Allowed }, level).Value
	out.Deferred = mean(func(p *result.Point) float64 { return p.Deferred }, level).Value
	out.Budget = result.KeptBy(out.Excess)
	if ratio == 0 || out.Excess.Low == out.Excess.High { // this interval does not know how the test part was drawn
		for i := range points {
			if out.Budget = points[0].Budget; points[i].Budget != out.Budget {
				out.Budget = result.BudgetOpen
				break
			}
		}
	}
	return out
}
