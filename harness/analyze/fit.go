package analyze

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"infnet/backends"
	"infnet/harness/question"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/spec"
	"infnet/harness/split"
	"infnet/harness/task"
)

// driftLevel is the p-value below which fit and test part count as different.
const driftLevel = 0.001

// analyze fits the policies and fills b.out.
func (b *Bench) analyze(ctx context.Context) error {
	d := b.Dataset
	b.out.Name, b.out.Source, b.out.Hash = d.Name, d.Source.Text, b.Set.Hash
	if b.Padded() {
		b.out.Notes = append(b.out.Notes, result.NewNote(note.Padding{Batch: int(d.Padding)}))
	}
	origin := b.in.Origins[d.Name]
	if b.out.Revision = origin.Revision; origin.Partial {
		b.out.Notes = append(b.out.Notes, result.NewNote(note.PartialSource{}))
	}
	b.out.Task, b.out.Rule, b.out.Tau, b.out.Soft, b.out.Direction = string(d.Task), string(d.Correct.Rule), d.Correct.Tau, d.Correct.Soft, d.Direction
	b.out.Confidence, b.out.Calibration = b.ConfidenceName(student), string(b.Student().Calibrator.Method)
	for _, m := range d.Metrics {
		b.out.Metrics = append(b.out.Metrics, string(m))
	}
	for _, l := range d.Labels {
		b.out.Labels = append(b.out.Labels, l.Class)
	}
	if question.Embeds(d) {
		b.out.Embedder = b.embedder()
	}
	b.count()
	if b.Repeat == 0 {
		b.identities()
		b.doubts()
		b.replaced()
		b.floor()
		if err := b.describeSplit(); err != nil {
			return err
		}
	}
	if b.IsChain() {
		if err := b.fitChain(); err != nil {
			return err
		}
		return b.measureChain()
	}
	if err := b.fitPolicies(); err != nil {
		return err
	}
	if b.Repeat == 0 {
		if err := b.testSufficiency(ctx); err != nil {
			return err
		}
	}
	if err := b.train(ctx); err != nil {
		return err
	}
	return b.measure()
}

// count fills in which records the numbers rest on.
func (b *Bench) count() {
	c := &b.out.Counts
	c.Records, c.Fit, c.Test = len(b.Set.Examples), len(b.Fit), len(b.Test)
	c.Used, c.Skipped = c.Fit+c.Test, len(b.Set.Skipped)
	for _, l := range b.Lost {
		c.Missing = append(c.Missing, result.Missing{Model: l.Model, Cause: l.Cause, Count: l.Count})
	}
	for m, name := range b.Cascade.Models {
		var truncated, unseen, wide, empty int
		for i, used := range b.Used {
			if !used {
				continue
			}
			if b.Models[m].Given[i].Truncated > 0 {
				truncated++
			}
			if b.Models[m].Readings[i].Missing > 0 && !b.Models[m].Given[i].NoLogprobs {
				unseen++
				if r := b.Models[m].Readings[i]; r.High-r.Low > result.WideBound {
					wide++
				}
			}
			if b.Models[m].Readings[i].Empty && !b.Models[m].Given[i].NoLogprobs {
				empty++
			}
		}
		add := func(list *[]result.Missing, n int) {
			if n > 0 {
				*list = append(*list, result.Missing{Model: name, Count: n})
			}
		}
		add(&c.Truncated, truncated)
		add(&c.Unseen, unseen)
		add(&c.Wide, wide)
		add(&c.Empty, empty)
		b.estimated(m)
		known := b.Models[m].Cost
		b.out.Costs = append(b.out.Costs, result.Cost{Model: name, Value: known.Summary, Mean: known.Mean, Signature: known.Signature})
		c.Otherwise = append(c.Otherwise, b.otherwise(m, name)...)
		c.Cut = append(c.Cut, b.cut(m, name)...)
		if mass := b.labelMass(m, slices.Concat(b.Fit, b.Test)); mass != nil && mass.Known > 0 {
			c.LabelMass = append(c.LabelMass, *mass)
		}
	}
}

// cut counts the generations that did not end by themselves, and those of which
// nobody recorded how they ended.
func (b *Bench) cut(m int, name string) (out []result.Cut) {
	if b.Dataset.Task == task.Classification {
		return nil
	}
	ends := map[backends.Finish]int{}
	answers := 0
	for i, used := range b.Used {
		if !used {
			continue
		}
		answers++
		if f := b.Models[m].Given[i].Finish; f == "" || f.Cut() {
			ends[f]++
		}
	}
	for _, f := range slices.Sorted(maps.Keys(ends)) {
		out = append(out, result.Cut{Model: name, Finish: string(f), Count: ends[f], Answers: answers, MaxTokens: b.Dataset.MaxTokens})
	}
	return out
}

// otherwise counts the classifications that were asked in another way than the
// model's: where that saw no label, or did not suit the labels.
func (b *Bench) otherwise(m int, name string) (out []result.Missing) {
	ways := map[backends.LabelMode]int{}
	for i, used := range b.Used {
		if !used {
			continue
		}
		asked := b.Sheet.LabelMode(name)
		if by := b.Models[m].Given[i].By; by != "" && asked != "" && by != asked {
			ways[by]++
		}
	}
	for _, way := range slices.Sorted(maps.Keys(ways)) {
		out = append(out, result.Missing{Model: name, Cause: string(way), Count: ways[way]})
	}
	return out
}

// describeSplit records the split and warns where its two parts do not look
// like draws from one source.
func (b *Bench) describeSplit() error {
	s := &b.out.Split
	s.Order, s.Fraction, s.Hash = string(b.Dataset.Split.Order), fraction(b.Dataset.Split.Fit), b.Roles.Graph.Hash
	beta := make([]float64, len(b.Set.Examples))
	for i, r := range b.Student().Readings {
		beta[i] = r.Beta
	}
	drift, err := split.ScoreDrift("the student's confidence", records.Pick(beta, b.Fit), records.Pick(beta, b.Test))
	if err != nil {
		return err
	}
	drifts := []split.Drift{drift}
	if b.Dataset.Task == task.Classification {
		class := make([]int, len(b.Set.Examples))
		for i, e := range b.Set.Examples {
			class[i] = e.Class
		}
		shares, err := split.ShareDrift(b.in.Study.Seed, "the share of the classes", records.Pick(class, b.Fit), records.Pick(class, b.Test))
		if err != nil {
			return err
		}
		drifts = append(drifts, shares)
	}
	for _, d := range drifts {
		if w := d.Warning(driftLevel, split.Order(b.Dataset.Split.Order)); w != nil {
			s.Warnings = append(s.Warnings, w.Error())
		}
	}
	return nil
}

// Names of the rows that are ours.
const (
	Single = "single" // one threshold
	Multi  = "multi"  // a threshold per predicted class
)

// fitPolicies fits the paper's policies on the fit part.
func (b *Bench) fitPolicies() error {
	p := b.in.Study.Policy
	single, err := b.solve(p.Method, false)
	if err != nil {
		return fmt.Errorf("fit a single threshold: %w", err)
	}
	b.fitted = append(b.fitted, Fitted{Name: Single, Policy: single})
	if b.PerClass() {
		multi, err := b.solve(p.Method, true)
		if err != nil {
			return fmt.Errorf("fit a threshold per class: %w", err)
		}
		b.fitted = append(b.fitted, Fitted{Name: Multi, Policy: multi})
	}
	b.out.Budget = result.Budget{Target: p.Target.String(), Errors: single.Budget.Errors.Float(), Records: single.Budget.N}
	for _, f := range b.fitted[1:] {
		if f.Policy.Budget.Errors != single.Budget.Errors {
			b.budgets = append(b.budgets, f.Name)
		}
	}
	for _, f := range b.fitted {
		b.out.Policies = append(b.out.Policies, b.describe(f))
	}
	return nil
}

// describe writes a fitted policy into the results.
func (b *Bench) describe(f Fitted) result.Policy {
	p := f.Policy
	out := result.Policy{
		Policy: f.Name, Method: string(p.Certificate.Method), Feasible: p.Feasible,
		FitErrors: p.FitError.Float(), FitDeferred: p.FitDeferred, MinErrors: p.MinError.Float(), Budget: p.Budget.Errors.Float(),
	}
	_, counted := spec.Solver(p.Certificate.Method).Counted()
	if f.Promise == nil && (counted || p.Feasible) { // thresholds chosen for a promise have no proof about their deferrals
		unit := b.Pair(b.Fit).Unit(p.Objective)
		out.Certificate = &result.Certificate{
			LowerBound: unit * float64(p.Certificate.LowerBound), Gap: unit * float64(p.Certificate.Gap), Optimal: p.Certificate.Optimal,
		}
	}
	for k, theta := range p.Thresholds {
		t := result.Threshold{Theta: result.Float(theta)}
		if len(p.Thresholds) > 1 {
			t.Class = b.Dataset.Labels[k].Class
		}
		out.Thresholds = append(out.Thresholds, t)
	}
	return out
}

// Policies returns the fitted policies.
func (b *Bench) Policies() []Fitted { return b.fitted }
