package reports

import (
	"fmt"
	"slices"

	"infnet/harness/baseline"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

// coordinate is what a baseline and our policy are made to share: the cost or the error.
type coordinate bool

const (
	cost coordinate = false
	errs coordinate = true
)

// of is the match at this coordinate.
func (at coordinate) of(m *result.Matched) *result.Match {
	if at == errs {
		return &m.Error
	}
	return &m.Cost
}

// matched is a table of every baseline at our cost, or at our error. ok is
// false where nothing was matched.
func matched(s *result.Results, c *result.Cascade, f family, at coordinate) (t table.Table, ok bool) {
	what, kind := "Policies at the cost of ours", "at-cost"
	if at == errs {
		what, kind = "Policies at the error of ours", "at-error"
	}
	t = table.Table{
		Caption: caption(c, fmt.Sprintf("%s on %s tasks: ", what, f.task)),
		Of:      c.Name, Kind: f.task + "-" + kind,
		Columns: matchedColumns(f, at),
	}
	decimals := make([]int, len(f.metrics))
	for i, m := range f.metrics {
		decimals[i] = performanceDecimals(f, m)
	}
	for _, d := range f.datasets {
		for first := 0; first < len(d.Matched); {
			next := first + 1
			for next < len(d.Matched) && d.Matched[next].Ours == d.Matched[first].Ours {
				next++
			}
			t.Groups = append(t.Groups, matchedGroup(s, c, d, d.Matched[first:next], at, decimals, &t))
			first = next
		}
	}
	matchedRemarks(s, c, at, &t)
	estimates(&t, f.datasets)
	return t, len(t.Groups) > 0
}

// matchedColumns are the columns of the matched tables; matchedGroup fills
// them.
func matchedColumns(f family, at coordinate) []table.Column {
	performance := policyColumns(f)[performanceColumn]
	performance.DataOnly = true // the tables are wide, and what is matched are errors and costs
	number := func(head, field string) table.Column {
		return table.Column{Head: table.Words(head), Fields: []string{field}, Align: table.Right}
	}
	cols := []table.Column{
		{Head: table.Words("Study"), Fields: []string{"study"}, DataOnly: true},
		{Head: table.Words("Cascade"), Fields: []string{"cascade"}, DataOnly: true},
		{Head: table.Words("Dataset"), Fields: []string{"dataset"}, Merge: true},
		{Head: table.Words("Policy"), Fields: []string{"policy"}},
		{Head: table.Words("Policy id"), Fields: []string{"policy_id"}, DataOnly: true},
		{Head: table.Words("Beside"), Fields: []string{"ours_id"}, DataOnly: true},
		performance,
		number("Saved (%)", "cost_saved_pct"),
		number("Error (%)", "error"),
	}
	if at == errs {
		return append(cols,
			number("Δ saved", "saved_difference_pct"),
			number("Curve: saved (%)", "curve_saved_pct"),
			number("Curve: Δ saved", "curve_saved_difference_pct"),
			table.Column{Head: table.Words("Reached"), Fields: []string{"curve_reached"}, Exact: true, DataOnly: true},
			table.Column{Head: table.Words("Δ error"), Fields: []string{"error_difference"}, DataOnly: true})
	}
	return append(cols,
		number("Δ error", "error_difference"),
		number("Curve: error (%)", "curve_error"),
		number("Curve: Δ error", "curve_error_difference"),
		table.Column{Head: table.Words("Reached"), Fields: []string{"curve_reached"}, Exact: true, DataOnly: true},
		table.Column{Head: table.Words("Δ saved"), Fields: []string{"saved_difference_pct"}, DataOnly: true})
}

// matchedGroup is one of our rows and every baseline next to it.
func matchedGroup(s *result.Results, c *result.Cascade, d *result.Dataset, list []result.Matched, at coordinate,
	decimals []int, t *table.Table) []table.Row {
	cells := func(title, id, ours string, performance table.Cell) table.Row {
		return table.Row{
			table.Of(table.Plain(s.Name)), table.Of(table.Plain(c.Name)), table.Of(table.Name(d.Name)),
			table.Of(table.Plain(title)), table.Of(table.Plain(id)), table.Of(table.Plain(ours)), performance,
		}
	}
	var group []table.Row
	for k := range d.Rows {
		if r := &d.Rows[k]; r.Policy == list[0].Ours {
			row := cells(r.Title, r.Policy, r.Policy, performanceCell(d, r.Metrics, decimals, nil))
			row[3] = table.Of(table.Plain(r.Title).Bold())
			group = append(group, append(row, table.Of(interval(r.Saved, 2)), table.Of(percents(r.Error, 1))))
		}
	}
	for k := range list {
		m := &list[k]
		match := at.of(m)
		row := cells(curveTitle(d, m.Baseline), m.Baseline, m.Ours, performanceCell(d, match.Fitted.Metrics, decimals, nil))
		row = append(row, table.Of(interval(match.Fitted.Saved, 2)), table.Of(percents(match.Fitted.Error, 1)))
		reached := table.Of(table.Num(table.Exactly(match.Curve.Reached, 4)))
		if at == errs {
			row = append(row, table.Of(interval(match.Fitted.DiffSaved, 1)), table.Of(estimated(match.Curve.Saved, 1)),
				table.Of(estimated(match.Curve.Differs, 1)), reached, table.Of(percents(match.Fitted.DiffError, 1)))
		} else {
			row = append(row, table.Of(percents(match.Fitted.DiffError, 1)), table.Of(estimatedPercents(match.Curve.Error, 1)),
				table.Of(estimatedPercents(match.Curve.Differs, 1)), reached, table.Of(interval(match.Fitted.DiffSaved, 1)))
		}
		for _, n := range matchNotes(m, match, at) {
			row[3].Mark(t.Note(string(n.Kind), n.Text))
		}
		group = append(group, row)
	}
	return group
}

// matchNotes are the caveats of comparing one baseline with ours.
func matchNotes(m *result.Matched, match *result.Match, at coordinate) []result.Note {
	var notes []result.Note
	add := func(kind note.Kind, format string, args ...any) {
		notes = append(notes, result.Note{Kind: kind, Text: fmt.Sprintf(format, args...)})
	}
	if baseline.Of(baseline.Kind(m.Baseline)).Foresees {
		add("oracle", "Knows every error of the test part before it decides: the headroom, not a policy. Charged as a "+
			"router.")
	}
	if match.Fitted.Clipped {
		if at == errs {
			add("out-of-reach", "Errs more than ours on the fit part whatever it defers: its thresholds of least error "+
				"stand here.")
		} else {
			add("out-of-reach", "Cannot cost as much, or as little, as ours on the fit part: the nearest that it can "+
				"stands here.")
		}
	}
	switch {
	case match.Curve.Reached == 1:
	case at == errs:
		add("unmatched", "In some resamples it errs more than ours at any cost: there its saving is minus infinity. The "+
			"CSV file says in how many it does not (curve_reached).")
	default:
		add("unmatched", "In some resamples it cannot cost what ours costs: its nearest end is taken there. The CSV file "+
			"says in how many it can (curve_reached).")
	}
	return notes
}

// matchedRemarks say how to read the table.
func matchedRemarks(s *result.Results, c *result.Cascade, at coordinate, t *table.Table) {
	t.Remark(table.Plain(fmt.Sprintf("All numbers are of the test part%s, paired. Each row "+
		"of ours (bold) is followed by the policies it is set beside; Δ, in percentage points, is ours minus theirs.",
		withRanges(s, false))))
	if at == errs {
		t.Remark(table.Plain("Saved, Error and Δ: the other policy's threshold was chosen on the fit part to err there as " +
			"rarely as ours, at the least cost. “Curve”: its cheapest point that errs no more than ours on the test part " +
			"itself, chosen by looking at the test labels, which favours it; found anew in each resample. A saving of −∞: it " +
			"errs more at any cost."))
	} else {
		t.Remark(table.Plain("Saved, Error and Δ: the other policy's threshold was chosen on the fit part to cost there " +
			"what ours costs. “Curve”: its point that costs what ours costs on the test part itself, found without a look at " +
			"any label, anew in each resample."))
	}
	t.Remark(table.Plain("Where no threshold fits exactly a coin between two neighbouring ones does, in expectation. " +
		"None Deferred and All Deferred have no threshold to move: they are the ends of the other curves, but that All " +
		"Deferred does not pay the student. Random: the coin that fits."))
	for _, d := range c.Datasets {
		if slices.ContainsFunc(d.Curves, func(k result.Curve) bool { return k.Overhead > 0 }) {
			t.Remark(table.Plain("What it costs to make a learned score is counted here, for every query; in the table of " +
				"policies it is not."))
			break
		}
	}
	if c.Within != "" {
		t.Remark(table.Plain("This pair is part of the chain "), table.Name(c.Within), table.Plain("."))
	}
}

// curveTitle is what a policy is called next to its curve, which holds for every draw of its coins.
func curveTitle(d *result.Dataset, policy string) string {
	for _, c := range d.Curves {
		if c.Policy == policy {
			return c.Title
		}
	}
	return title(d, policy)
}

func interval(iv infer.Interval, decimals int) table.Part {
	return table.Num(table.Estimated(iv.Value, iv.Low, iv.High, decimals))
}

func percents(iv infer.Interval, decimals int) table.Part {
	return table.Num(table.Estimated(iv.Value, iv.Low, iv.High, decimals).AsPercent())
}

func estimated(e result.Estimate, decimals int) table.Part {
	return table.Num(table.Estimated(float64(e.Value), float64(e.Low), float64(e.High), decimals))
}

func estimatedPercents(e result.Estimate, decimals int) table.Part {
	return table.Num(table.Estimated(float64(e.Value), float64(e.Low), float64(e.High), decimals).AsPercent())
}
