package folder

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"infnet/harness/cost"
	"infnet/harness/result"
	"infnet/harness/store"
	"infnet/metrics"
	"infnet/reports/tidy"
)

// ExportFiles are what an export writes.
var ExportFiles = []string{"answers.parquet", "answers.csv", "decisions.parquet", "decisions.csv", "dictionary.md"}

// Exported returns which files of an export a run's folder holds. Others in
// that folder are somebody's own.
func Exported(dir string) []string {
	return slices.DeleteFunc(slices.Clone(ExportFiles), func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, Export, name))
		return err != nil
	})
}

// WriteExports writes the named files of the run in dir, and returns their
// paths.
func WriteExports(r *result.Study, dir, to string, names []string) (paths []string, err error) {
	e := exporter{study: r, dir: dir, charges: charges(r)}
	answers, decisions := stream(&e, (*exporter).answers), stream(&e, (*exporter).decisions)
	fill := map[string]func(io.Writer) error{
		"answers.parquet":   func(w io.Writer) error { return tidy.WriteParquet(w, answers) },
		"answers.csv":       func(w io.Writer) error { return tidy.WriteCSV(w, answers) },
		"decisions.parquet": func(w io.Writer) error { return tidy.WriteParquet(w, decisions) },
		"decisions.csv":     func(w io.Writer) error { return tidy.WriteCSV(w, decisions) },
		"dictionary.md":     func(w io.Writer) error { _, err := io.WriteString(w, tidy.Dictionary()); return err },
	}
	for _, name := range names {
		path := filepath.Join(to, name)
		if err := store.WriteTo(path, fill[name]); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// exporter turns lines of records.jsonl into rows.
type exporter struct {
	study   *result.Study
	dir     string
	charges map[chargeID]cost.Charge
}

type chargeID struct{ cascade, dataset, policy string }

// charges says how every row of the results is charged.
func charges(r *result.Study) map[chargeID]cost.Charge {
	out := map[chargeID]cost.Charge{}
	for _, c := range r.Cascades {
		for _, d := range c.Datasets {
			for _, row := range d.Rows {
				out[chargeID{c.Name, d.Name, row.Policy}] = cost.Charge(row.Charge)
			}
		}
	}
	return out
}

// stream reads the records and yields the rows that each makes.
func stream[R tidy.Row](e *exporter, rows func(*exporter, result.Record) ([]R, error)) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		var none R
		for l, err := range result.Records(e.dir) {
			if err != nil {
				yield(none, err)
				return
			}
			made, err := rows(e, l)
			if err != nil {
				yield(none, fmt.Errorf("record %s/%s: %w", l.Dataset, l.ID, err))
				return
			}
			for _, r := range made {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// answers makes one row per model.
func (e *exporter) answers(l result.Record) ([]tidy.Answer, error) {
	var rows []tidy.Answer
	for i, h := range l.Models {
		a := tidy.Answer{
			Study: e.study.Name, Cascade: l.Cascade, Dataset: l.Dataset, Record: l.ID, SourceRow: int64(l.Row),
			Group: tidy.Some(l.Group), Part: l.Part, Model: h.Model, Role: tidy.Role(i, len(l.Models)), Position: int32(i),
			Key: h.Key, Failure: tidy.Some(cmp.Or(h.Cause, h.Refused)), ClassReference: tidy.Some(l.Class), References: l.References,
		}
		if h.Cause == "" {
			if err := e.said(&a, l, h); err != nil {
				return nil, err
			}
		}
		rows = append(rows, a)
	}
	return rows, nil
}

// said adds what was answered and, for used records, what it is worth.
func (e *exporter) said(a *tidy.Answer, l result.Record, h result.RecordAnswer) error {
	prompted, completed, truncated := int64(h.Prompted), int64(h.Completed), int64(h.Truncated)
	a.ClassPredicted, a.Text = tidy.Some(h.Class), &h.Text
	a.PromptTokens, a.CompletionTokens, a.TruncatedTokens = &prompted, &completed, &truncated
	a.TokensEstimated = tidy.Some(h.Estimated)
	a.Finish = tidy.Some(h.Finish)
	if len(h.LabelMass) == 2 {
		a.LabelMassLow, a.LabelMassHigh = tidy.Known(float64(h.LabelMass[0])), tidy.Known(float64(h.LabelMass[1]))
	}
	a.LatencySeconds = tidy.Known(h.LatencySecs)
	if l.Part == result.PartUnused {
		return nil
	}
	a.Beta, a.BetaLow, a.BetaHigh = tidy.Known(h.Beta), tidy.Known(h.BetaLow), tidy.Known(h.BetaHigh)
	a.Correct, a.Error, a.Cost = &h.Correct, tidy.Known(h.Error), tidy.Known(h.Cost)
	for _, name := range slices.Sorted(maps.Keys(h.Scores)) {
		if m, err := metrics.Get(metrics.Name(name)); err == nil && m.Input == metrics.Classes {
			continue // the class columns say it
		}
		if err := a.SetScore(name, float64(h.Scores[name])); err != nil {
			return err
		}
	}
	return nil
}

// decisions makes one row per policy.
func (e *exporter) decisions(l result.Record) ([]tidy.Decision, error) {
	var rows []tidy.Decision
	var err error
	for _, d := range l.Decisions {
		student, final := l.Models[0], l.Models[0]
		if d.Deferred {
			final = l.Models[len(l.Models)-1]
		}
		charge := e.charges[chargeID{l.Cascade, l.Dataset, d.Policy}]
		paid := charge.Query(student.Cost, l.Models[len(l.Models)-1].Cost, d.Deferred)
		if len(d.Asked) > 0 {
			if final, paid, err = followed(l, d); err != nil {
				return nil, err
			}
		}
		row := tidy.Decision{
			Study: e.study.Name, Cascade: l.Cascade, Dataset: l.Dataset, Record: l.ID, Part: l.Part, Policy: d.Policy,
			Deferred: d.Deferred, Beta: tidy.Known(student.Beta), FinalModel: final.Model,
			FinalCorrect: &final.Correct, FinalError: tidy.Known(final.Error),
			Cost: tidy.Known(paid),
		}
		row.Score = d.Score
		if d.Theta != nil {
			theta := float64(*d.Theta)
			row.Threshold = &theta
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// followed returns whose answer stands where a decision names the models it
// asked, and what they cost together. The thresholds of a chain are several, so
// the column of the one threshold is null there.
func followed(l result.Record, d result.Decision) (final result.RecordAnswer, paid float64, err error) {
	for _, m := range append([]int{d.Stage}, d.Asked...) {
		if m < 0 || m >= len(l.Models) {
			return final, 0, fmt.Errorf("policy %s asked model %d of %d; run analyze again", d.Policy, m, len(l.Models))
		}
	}
	for _, m := range d.Asked {
		paid += l.Models[m].Cost
	}
	return l.Models[d.Stage], paid, nil
}
