package analyze

import (
	"cmp"
	"context"
	"fmt"
	"math"
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

type setting struct {
	axis, word string
	study      *spec.Study
	count      int // of the records that fit; 0 = all
}

// settings are those of the study's axes, in the order of the tables.
func settings(s *spec.Study) (out []setting) {
	add := func(axis, word string, count int, change func(*spec.Study)) {
		n := *s
		change(&n)
		out = append(out, setting{axis, word, &n, count})
	}
	for _, t := range s.Grid.Target {
		add("target", t.String(), 0, func(s *spec.Study) { s.Policy.Target = t })
	}
	for _, x := range s.Grid.Tau {
		add("tau", fraction(x), 0, func(s *spec.Study) {
			s.Datasets = slices.Clone(s.Datasets)
			for i := range s.Datasets {
				s.Datasets[i].Correct.Tau = x
			}
		})
	}
	for _, count := range s.Grid.FitRecords {
		add("fit_records", strconv.Itoa(count), count, func(*spec.Study) {})
	}
	for _, root := range s.Grid.Seed {
		add("seed", strconv.FormatInt(root, 10), 0, func(s *spec.Study) { s.Seed = uint64(root) })
	}
	return out
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

func (o *Output) vary(ctx context.Context, in Input, used [][]*records.Records) error {
	if in.Study.Grid == nil {
		return nil
	}
	for _, values := range result.Chunks(settings(in.Study), func(v *setting) string { return v.axis }) {
		var runs []run
		for _, r := range slices.Concat(used...) {
			var of []run
			for _, v := range values {
				if v.count > len(r.Fit) {
					o.Result.Warnings = append(o.Result.Warnings, fmt.Sprintf("grid.fit_records = %s is left out for cascade %s "+
						"on dataset %s, of whose records %d fit", v.word, r.Cascade.Name, r.Dataset.Name, len(r.Fit)))
					continue
				}
				if free(r) || v.axis == "tau" && r.Dataset.Correct.Tau == 0 {
					continue
				}
				how := records.Variation{Study: v.study}
				if v.count > 0 {
					how.Keep = few(r, v.count)
				}
				n, err := records.Vary(r, how)
				if err == nil {
					err = o.fit(ctx, in, &of, n, v.word)
				}
				if err != nil {
					return fmt.Errorf("grid.%s = %s, cascade %s on dataset %s: %w", v.axis, v.word, r.Cascade.Name,
						r.Dataset.Name, err)
				}
			}
			runs = append(runs, byPolicy(of, func(x run) string { return x.trial.name })...)
		}
		if err := o.measure(values[0].axis, runs); err != nil {
			return err
		}
	}
	return nil
}

func (o *Output) fit(ctx context.Context, in Input, runs *[]run, r *records.Records, word string) error {
	if err := ctx.Err(); err != nil || free(r) {
		return err
	}
	in.Study = r.Study
	list, err := trials(ctx, in, r)
	if err != nil {
		return err
	}
	on, err := withoutMetrics(r)
	for _, t := range list {
		*runs = append(*runs, run{result.Point{Cascade: r.Cascade.Name, Dataset: r.Dataset.Name, Value: word,
			Fit: len(r.Fit), Test: len(r.Test)}, t, on})
	}
	return err
}

func (o *Output) measure(name string, runs []run) (err error) {
	if len(runs) == 0 {
		return nil
	}
	out := result.Varied{Axis: name}
	on := map[string]*measurer{}
	for _, x := range runs {
		if x.point.Realised, err = x.on.use(x.trial, 0, x.on.resamples.Together(len(runs))); err != nil {
			return fmt.Errorf("grid.%s = %s: %w", name, x.point.Value, err)
		}
		out.Points = append(out.Points, x.point)
		if at := x.point.Cascade + "/" + x.point.Dataset; on[at] == nil {
			on[at] = x.on
		}
	}
	if name == "seed" {
		list := out.Points
		out.Points = nil
		of := func(p *result.Point) string { return p.Cascade + "/" + p.Dataset + "/" + p.Policy }
		for _, points := range result.Chunks(list, of) {
			mean := overSeeds(points, on[points[0].Cascade+"/"+points[0].Dataset], len(runs))
			out.Points = append(append(out.Points, points...), mean)
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
	mean := func(rs *infer.Resamples, value func(p *result.Point) float64) infer.Interval {
		var values []float64
		for i := range points {
			values = append(values, value(&points[i]))
		}
		return infer.OverSplits(values, ratio, rs.Level())
	}
	rs, out := on.resamples, points[0]
	out.Value, out.Certified = result.OverSeeds, false
	out.Title = strings.NewReplacer(", not certified", "", ", certified", "").Replace(out.Title)
	out.Error = mean(rs, func(p *result.Point) float64 { return p.Error.Value })
	out.Error.Low, out.Error.High = max(0, out.Error.Low), min(1, out.Error.High)
	out.Saved = mean(rs, func(p *result.Point) float64 { return p.Saved.Value })
	out.Excess = mean(rs.Together(together), func(p *result.Point) float64 { return p.Excess.Value })
	out.Allowed = mean(rs, func(p *result.Point) float64 { return p.Allowed }).Value
	out.Deferred = mean(rs, func(p *result.Point) float64 { return p.Deferred }).Value
	out.Budget = result.KeptBy(out.Excess)
	if ratio == 0 || out.Excess.Low == out.Excess.High { // this interval does not know how the test part was drawn
		out.Budget = points[0].Budget
		if slices.ContainsFunc(points, func(p result.Point) bool { return p.Budget != out.Budget }) {
			out.Budget = result.BudgetOpen
		}
	}
	return out
}

// repeats measures all rows again on every further split of the study, with
// everything refitted, and returns their mean and spread; nil = the study has one
// split.
func repeats(ctx context.Context, in Input, a *Analysed) (*result.Repeats, error) {
	k := a.Records.Dataset.Split.Repeats
	if k < 2 {
		return nil, nil
	}
	splits := [][]result.Row{a.Result.Rows}
	out := &result.Repeats{Count: k, Splits: []string{a.Records.Roles.Graph.Hash}}
	for n := 1; n < k; n++ {
		r, err := records.Vary(a.Records, records.Variation{Study: a.Records.Study, Repeat: n})
		var again *table
		if err = cmp.Or(ctx.Err(), err); err == nil {
			again, err = newTable(ctx, in, r)
		}
		if err != nil {
			return nil, fmt.Errorf("split %d of %d: %w", n+1, k, err)
		}
		splits = append(splits, again.rows.results())
		out.Splits = append(out.Splits, r.Roles.Graph.Hash)
	}
	for at := range a.Result.Rows {
		x, err := overSplits(at, splits)
		if err != nil {
			return nil, err
		}
		out.Rows = append(out.Rows, x)
	}
	return out, nil
}

// overSplits summarises a row over all splits, which have the same rows in the same
// order.
func overSplits(at int, splits [][]result.Row) (result.Repeated, error) {
	first := &splits[0][at]
	out := result.Repeated{Policy: first.Policy, Title: first.Title, Metrics: map[string]result.Spread{}}
	for r, rows := range splits {
		if at >= len(rows) || rows[at].Policy != first.Policy {
			return out, fmt.Errorf("split %d has no row %s where the first has it", r+1, first.Policy)
		}
	}
	over := func(of func(r *result.Row) infer.Interval) result.Spread {
		var x result.Spread
		for _, rows := range splits {
			x.Values = append(x.Values, of(&rows[at]).Value)
		}
		x.Mean = average(x.Values)
		for _, v := range x.Values {
			d := v - x.Mean
			x.SD += float64(d * d)
		}
		x.SD = math.Sqrt(x.SD / float64(len(x.Values)-1))
		return x
	}
	for name := range first.Metrics {
		out.Metrics[name] = over(func(r *result.Row) infer.Interval { return r.Metrics[name] })
	}
	out.Error = over(func(r *result.Row) infer.Interval { return r.Error })
	out.Deferred = over(func(r *result.Row) infer.Interval { return r.Deferred })
	out.Saved = over(func(r *result.Row) infer.Interval { return r.Saved })
	out.SavedPerQuery = over(func(r *result.Row) infer.Interval { return r.SavedPerQuery })
	return out, nil
}
