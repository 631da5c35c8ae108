package analyze

import (
	"fmt"
	"slices"

	"infnet/harness/question"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/split"
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
		Task: string(d.Task), Rule: d.Correct.String(), Tau: d.Correct.Tau, Soft: d.Correct.Soft, Direction: d.Direction,
		Confidence: r.ConfidenceName(student), Calibration: string(r.Student().Calibrator.Method),
		Counts: count(r),
	}
	out.Grader = r.GraderDigest()
	for _, m := range d.Metrics {
		out.Metrics = append(out.Metrics, string(m))
	}
	for _, l := range d.Labels {
		out.Labels = append(out.Labels, l.Class)
	}
	if r.Judged() {
		out.Grader = grader(r)
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
	if r.Classifies() {
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
	parts, groups := [2][]int{r.Fit, r.Test}, [2][]string{groupsOf(r, r.Fit), groupsOf(r, r.Test)}
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
