package analyze

import (
	"fmt"
	"maps"
	"slices"

	"infnet/backends"
	"infnet/harness/question"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/split"
	"infnet/harness/task"
	"infnet/metrics/infer"
)

// driftLevel is the p-value below which fit and test part count as different.
const driftLevel = 0.001

// describeDataset describes the dataset, its split, and the records that the
// numbers rest on, with the caveats that are not of single rows.
func describeDataset(r *records.Records, origin Origin) (out result.Dataset, err error) {
	d := r.Dataset
	out = result.Dataset{
		Name: d.Name, Source: d.Source.Text, Hash: r.Set.Hash, Revision: origin.Revision,
		Task: string(d.Task), Rule: string(d.Correct.Rule), Tau: d.Correct.Tau, Soft: d.Correct.Soft, Direction: d.Direction,
		Confidence: r.ConfidenceName(student), Calibration: string(r.Student().Calibrator.Method),
		Counts: count(r),
	}
	for _, m := range d.Metrics {
		out.Metrics = append(out.Metrics, string(m))
	}
	for _, l := range d.Labels {
		out.Labels = append(out.Labels, l.Class)
	}
	if question.Embeds(d) {
		out.Embedder = embedder(r)
	}
	for k, m := range r.Models {
		c := m.Cost
		out.Costs = append(out.Costs, result.Cost{Model: r.Cascade.Models[k], Value: c.Summary, Mean: c.Mean,
			Signature: c.Signature})
	}
	if records.Padded(r) {
		out.Notes = append(out.Notes, note.Padding(int(d.Padding)))
	}
	if origin.Partial {
		out.Notes = append(out.Notes, note.PartialSource())
	}
	out.Notes = slices.Concat(out.Notes, identities(r), doubts(r), replaced(r), floor(r))
	out.Split, err = describeSplit(r)
	return out, err
}

// count counts the records that the numbers are based on.
func count(r *records.Records) result.Counts {
	c := result.Counts{
		Records: len(r.Set.Examples), Fit: len(r.Fit), Test: len(r.Test), Used: len(r.Fit) + len(r.Test),
		Skipped: len(r.Set.Skipped), Copies: r.Set.Copies,
	}
	for _, l := range r.Lost {
		c.Missing = append(c.Missing, result.Missing{Model: l.Model, Cause: l.Cause, Count: l.Count})
	}
	for m, name := range r.Cascade.Models {
		countModel(&c, r, m)
		c.Estimated = append(c.Estimated, estimated(r, m)...)
		c.Otherwise = append(c.Otherwise, askedOtherwise(r, m, name)...)
		c.Cut = append(c.Cut, cut(r, m, name)...)
		if mass := labelMass(r, m, slices.Concat(r.Fit, r.Test)); mass != nil && mass.Known > 0 {
			c.LabelMass = append(c.LabelMass, *mass)
		}
	}
	return c
}

// countModel adds the numbers of a model's faulty answers, by fault.
func countModel(c *result.Counts, r *records.Records, model int) {
	m := r.Models[model]
	var truncated, unseen, wide, empty int
	for i, used := range r.Used {
		if !used {
			continue
		}
		if m.Head(i).Truncated > 0 {
			truncated++
		}
		if m.Unscored(i) {
			continue
		}
		reading := r.Reading(model, i)
		if reading.Missing > 0 {
			unseen++
			if reading.High-reading.Low > result.WideBound {
				wide++
			}
		}
		if reading.Empty {
			empty++
		}
	}
	for _, x := range []struct {
		list *[]result.Missing
		n    int
	}{{&c.Truncated, truncated}, {&c.Unseen, unseen}, {&c.Wide, wide}, {&c.Empty, empty}} {
		if x.n > 0 {
			*x.list = append(*x.list, result.Missing{Model: r.Cascade.Models[model], Count: x.n})
		}
	}
}

// cut counts the generations that were cut off, and those for which it was not
// recorded how they ended.
func cut(r *records.Records, m int, name string) (out []result.Cut) {
	if r.Dataset.Task == task.Classification {
		return nil
	}
	ends := map[backends.Finish]int{}
	answers := 0
	for i, used := range r.Used {
		if !used {
			continue
		}
		answers++
		if f := r.Models[m].Head(i).Finish; f == "" || f.Cut() {
			ends[f]++
		}
	}
	for _, f := range slices.Sorted(maps.Keys(ends)) {
		out = append(out, result.Cut{Model: name, Finish: string(f), Count: ends[f], Answers: answers,
			MaxTokens: r.Dataset.MaxTokens})
	}
	return out
}

// askedOtherwise counts the classifications that were not asked in the model's own mode,
// because that mode returned no label or did not suit the labels.
func askedOtherwise(r *records.Records, m int, name string) (out []result.Missing) {
	ways := map[backends.LabelMode]int{}
	for i, used := range r.Used {
		if !used {
			continue
		}
		asked := r.Sheet.LabelMode(name)
		if by := r.Models[m].Head(i).By; by != "" && asked != "" && by != asked {
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
func describeSplit(r *records.Records) (result.Split, error) {
	out := result.Split{Order: string(r.Dataset.Split.Order), Fraction: fraction(r.Dataset.Split.Fit),
		Hash: r.Roles.Graph.Hash}
	if column := r.Dataset.Split.Column; column != "" {
		out.Order = fmt.Sprintf("by the column %q", column)
		out.Fraction = fmt.Sprintf("%d of %d", len(r.Roles.Parts.Fit), len(r.Set.Examples))
	}
	beta := r.Student().Raw
	drift, err := split.ScoreDrift("the student's confidence", records.Pick(beta, r.Fit), records.Pick(beta, r.Test))
	if err != nil {
		return out, err
	}
	drifts := []split.Drift{drift}
	if r.Dataset.Task == task.Classification {
		class := make([]int, len(r.Set.Examples))
		for i, e := range r.Set.Examples {
			class[i] = e.Class
		}
		shares, err := split.ShareDrift(r.Study.Seed, "the share of the classes", records.Pick(class, r.Fit),
			records.Pick(class, r.Test))
		if err != nil {
			return out, err
		}
		drifts = append(drifts, shares)
	}
	warn := func(d split.Drift, models int, rates [2]float64) {
		if d.P < driftLevel {
			out.Warnings = append(out.Warnings, note.Drift{What: d.What, Fit: d.FitN, Test: d.TestN,
				P: d.P, By: d.Test, Level: driftLevel, InFile: split.Order(r.Dataset.Split.Order) == split.InFile,
				Column: r.Dataset.Split.Column, Models: models, Rates: rates}.String())
		}
	}
	err = driftOfErrors(r, warn) // first: it bears on the rows most
	for _, d := range drifts {
		warn(d, 0, [2]float64{})
	}
	return out, err
}

// driftOfErrors compares each model's errors between the parts, and reports
// them with p-values adjusted for the number of models (Holm).
func driftOfErrors(r *records.Records, report func(d split.Drift, models int, rates [2]float64)) error {
	parts := [2][]int{r.Fit, r.Test}
	var groups [2][]string
	for k, part := range parts {
		for _, i := range part {
			groups[k] = append(groups[k], r.Set.Examples[i].Group)
		}
	}
	var drifts []split.Drift
	var rates [][2]float64
	var p []float64
	for m, name := range r.Cascade.Models {
		var wrong [2][]bool
		var rate [2]float64
		for k, part := range parts {
			for _, right := range r.Models[m].Right(part) {
				wrong[k] = append(wrong[k], !right)
				if !right {
					rate[k] += 100 / float64(len(part))
				}
			}
		}
		d, err := split.ErrorDrift(r.Study.Seed, "the error rate of "+name, wrong[0], wrong[1], groups[0], groups[1])
		if err != nil {
			return err
		}
		drifts, rates, p = append(drifts, d), append(rates, rate), append(p, d.P)
	}
	for m, adjusted := range infer.Holm(p) {
		drifts[m].P = adjusted
		report(drifts[m], len(p), rates[m])
	}
	return nil
}
