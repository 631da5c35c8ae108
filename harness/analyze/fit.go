package analyze

import (
	"fmt"
	"slices"

	"infnet/harness/question"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/spec"
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
		out.Notes = append(out.Notes, note.Say("padding", "Costs are of padded batches of %d: each query is computed as "+
			"long as the longest of its batch, and their work is shared by tokens.", int(r.Study.Cost.Padding)))
	}
	if origin.Partial {
		out.Notes = append(out.Notes, note.Say("source", "The hub exports only the beginning of this split: rows behind it "+
			"are not seen, and a sample is one of the beginning."))
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
	ofErrors, err := driftsOfErrors(r)
	for _, d := range slices.Concat(ofErrors, drifts) { // errors first: they bear on the rows most
		if d.P < driftLevel {
			out.Warnings = append(out.Warnings, driftWords(r.Dataset.Split, d))
		}
	}
	return out, err
}

func driftWords(s spec.Split, d split.Drift) string {
	help := "order \"shuffle\" makes them alike"
	if s.Column != "" {
		help = fmt.Sprintf("the parts are those of the column %q, and nothing says that they were drawn from one source",
			s.Column)
	} else if split.Order(s.Order) != split.InFile {
		help = fmt.Sprintf("the split is shuffled, and so by chance about 1 such test in %.0f warns, more where records "+
			"come in groups: look at repeats of the split", 1/driftLevel)
	}
	return fmt.Sprintf("%s differs between the fit part (%d records) and the test part (%d): p = %.2g (%s); what is "+
		"fitted on the one may not hold on the other (%s)", d.What, d.FitN, d.TestN, d.P, d.Test, help)
}

// driftsOfErrors compares each model's errors between the parts, with p-values adjusted for the models (Holm).
func driftsOfErrors(r *records.Records) (drifts []split.Drift, err error) {
	parts, groups := [2][]int{r.Fit, r.Test}, [2][]string{groupsOf(r, r.Fit), groupsOf(r, r.Test)}
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
			return nil, err
		}
		d.What += fmt.Sprintf(" (%.1f %% and %.1f %%)", rate[0], rate[1])
		d.Test += fmt.Sprintf(", adjusted for %d models", len(r.Models))
		drifts, p = append(drifts, d), append(p, d.P)
	}
	for m, adjusted := range infer.Holm(p) {
		drifts[m].P = adjusted
	}
	return drifts, nil
}
