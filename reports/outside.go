package reports

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

// outsideInterval is the kind of the caveat of an estimate that its own interval does not contain.
const outsideInterval note.Kind = "outside-interval"

// macroF1 is the metric whose resamples lie below it where classes are rare.
const macroF1 = "f1-macro"

// outside reports whether an estimate lies outside its own interval, by more than rounding.
func outside(value, low, high float64) bool {
	slack := float64(1e-9 * max(1, math.Abs(value)))
	return finite(infer.Interval{Value: value, Low: low, High: high}) && (value < low-slack || value > high+slack)
}

// outsideNote says of a quantity that it lies outside its own interval, and why.
func outsideNote(quantity string, above bool) result.Note {
	text := fmt.Sprintf("%s lies outside its own interval: the resamples of the test part, from which the interval "+
		"comes, are not centred on it.", quantity)
	if quantity == macroF1 && above {
		text = "The macro F1 lies above its own interval: resamples of the test part miss rare classes, and a class " +
			"that is missed counts as an F1 of 0. So the interval is too low."
	}
	return result.Note{Kind: outsideInterval, Text: text + " Do not read it as the range in which the true value lies."}
}

// markOutside gives each row a footnote for each estimate that lies outside its own interval. Tests of sufficiency have
// other intervals than those of resamples of the test part.
func markOutside(s *result.Results, t *table.Table) {
	if t.Kind == "sufficiency" || t.Kind == "published-sufficiency" {
		return
	}
	metrics := metricFields(s, t)
	t.Estimates(func(of *table.Cell, head, field string, n table.Number) {
		if !outside(n.Value, n.Low, n.High) {
			return
		}
		name := metrics[field]
		if name == "" {
			name = head
		}
		x := outsideNote(name, n.Value > n.High)
		of.Mark(t.Note(string(x.Kind), x.Text))
	})
}

// metricFields are the study's metrics by the names that they have in a table's files.
func metricFields(s *result.Results, t *table.Table) map[string]string {
	names := map[string]string{}
	if t.Kind == "published-performance" {
		for k, m := range s.Published.Groups[0].Metrics {
			names[fmt.Sprintf("score%d_ours", k+1)] = m
		}
		return names
	}
	for i := range s.Cascades {
		for k := range s.Cascades[i].Datasets {
			for _, m := range s.Cascades[i].Datasets[k].Metrics {
				names[field(m)] = m
			}
		}
	}
	return names
}

// outsideNotes are those of the figures behind a headline.
func (o *outcome) outsideNotes() (notes []result.Note) {
	add := func(quantity string, iv infer.Interval) {
		x := outsideNote(quantity, iv.Value > iv.High)
		if outside(iv.Value, iv.Low, iv.High) && !slices.Contains(notes, x) {
			notes = append(notes, x)
		}
	}
	for _, r := range []*result.Row{o.ours, o.student, o.master, o.best()} {
		if r == nil {
			continue
		}
		for _, m := range o.d.Metrics {
			add(m, r.Metrics[m])
		}
		add("Cost Saved (%)", r.Saved)
		add("Error (%)", r.Error)
		add("Deferred (%)", r.Deferred)
	}
	return notes
}
