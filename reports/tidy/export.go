package tidy

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"infnet/harness/cost"
	"infnet/harness/result"
	"infnet/metrics"
)

// Files are what an export consists of.
var Files = []string{"answers.parquet", "answers.csv", "decisions.parquet", "decisions.csv", "dictionary.md"}

// Export turns the records of a run into rows.
type Export struct {
	study   *result.Results
	records iter.Seq2[result.Record, error]
	charges map[chargeID]cost.Charge
}

type chargeID struct{ cascade, dataset, policy string }

// NewExport prepares the export of a run; records are read once for every file.
func NewExport(study *result.Results, records iter.Seq2[result.Record, error]) *Export {
	e := &Export{study: study, records: records, charges: map[chargeID]cost.Charge{}}
	for _, c := range study.Cascades {
		for _, d := range c.Datasets {
			for _, row := range d.Rows {
				e.charges[chargeID{c.Name, d.Name, row.Policy}] = cost.Charge(row.Charge)
			}
		}
	}
	return e
}

// Write writes one of Files.
func (e *Export) Write(w io.Writer, file string) error {
	switch file {
	case "answers.parquet":
		return WriteParquet(w, rowsOf(e, e.answers))
	case "answers.csv":
		return WriteCSV(w, rowsOf(e, e.answers))
	case "decisions.parquet":
		return WriteParquet(w, rowsOf(e, e.decisions))
	case "decisions.csv":
		return WriteCSV(w, rowsOf(e, e.decisions))
	case "dictionary.md":
		_, err := io.WriteString(w, Dictionary())
		return err
	}
	return fmt.Errorf("no file %q in an export: want one of %s", file, strings.Join(Files, ", "))
}

// rowsOf yields the rows that each record makes.
func rowsOf[R Row](e *Export, rows func(result.Record) ([]R, error)) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		var none R
		for l, err := range e.records {
			if err != nil {
				yield(none, err)
				return
			}
			made, err := rows(l)
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

func (e *Export) answers(l result.Record) ([]AnswerRow, error) {
	var rows []AnswerRow
	for i, h := range l.Models {
		a := AnswerRow{
			Study: e.study.Name, Cascade: l.Cascade, Dataset: l.Dataset, Record: l.ID, SourceRow: int64(l.Row),
			Group: Some(l.Group), Part: l.Part, Model: h.Model, Role: Role(i, len(l.Models)), Position: int32(i),
			Key: h.Key, Failure: Some(cmp.Or(h.Cause, h.Refused)), ClassReference: Some(l.Class), References: l.References,
		}
		if h.Cause == "" {
			if err := fill(&a, l, h); err != nil {
				return nil, err
			}
		}
		rows = append(rows, a)
	}
	return rows, nil
}

// fill adds what was answered and, for used records, what it is worth.
func fill(a *AnswerRow, l result.Record, h result.RecordAnswer) error {
	a.ClassPredicted, a.Text = Some(h.Class), &h.Text
	a.PromptTokens, a.CompletionTokens = new(int64(h.Prompted)), new(int64(h.Completed))
	a.TruncatedTokens = new(int64(h.Truncated))
	a.TokensEstimated = Some(h.Estimated)
	a.Finish, a.Votes = Some(h.Finish), Some(h.Voted())
	if len(h.LabelMass) == 2 {
		a.LabelMassLow, a.LabelMassHigh = Known(float64(h.LabelMass[0])), Known(float64(h.LabelMass[1]))
	}
	a.LatencySeconds = Known(h.LatencySecs)
	if l.Part == result.PartUnused {
		return nil
	}
	a.Beta, a.BetaLow, a.BetaHigh = Known(h.Beta), Known(h.BetaLow), Known(h.BetaHigh)
	a.Correct, a.Error, a.Cost = &h.Correct, Known(h.Error), Known(h.Cost)
	a.Scores = Scores{}
	for _, name := range slices.Sorted(maps.Keys(h.Scores)) {
		m, err := metrics.Get(metrics.Name(name))
		if err != nil {
			return err
		}
		if m.PerRecord != "" { // the class columns say what a metric of classes would
			a.Scores[m.Name] = float64(h.Scores[name])
		}
	}
	return nil
}

func (e *Export) decisions(l result.Record) ([]DecisionRow, error) {
	var rows []DecisionRow
	var err error
	for _, d := range l.Decisions {
		student, master, stop := l.Models[0], l.Models[len(l.Models)-1], 0
		final := student
		if d.Deferred {
			final, stop = master, 1
		}
		paid := e.charges[chargeID{l.Cascade, l.Dataset, d.Policy}].Stop([]float64{student.Cost, master.Cost}, stop)
		if len(d.Asked) > 0 {
			if final, paid, err = path(l, d); err != nil {
				return nil, err
			}
		}
		row := DecisionRow{
			Study: e.study.Name, Cascade: l.Cascade, Dataset: l.Dataset, Record: l.ID, Part: l.Part, Policy: d.Policy,
			Deferred: d.Deferred, Beta: Known(student.Beta), FinalModel: final.Model,
			FinalCorrect: &final.Correct, FinalError: Known(final.Error),
			Score: d.Score, Cost: Known(paid),
		}
		if d.Theta != nil {
			row.Threshold = new(float64(*d.Theta))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// path returns whose answer is final where a decision names the models it asked, and what they cost together. The
// thresholds of a chain are several, so the column of the one threshold is null there.
func path(l result.Record, d result.Decision) (final result.RecordAnswer, paid float64, err error) {
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
