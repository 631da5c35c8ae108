package reports

import (
	"fmt"
	"math"

	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

// learnedTable is the table of the learned baselines: on how many records each was trained, how well it ranks, and what
// evaluating it costs. ok is false where there are none.
func learnedTable(s *result.Results, c *result.Cascade) (t table.Table, ok bool) {
	number := func(head, field string, exact bool) table.Column {
		return table.Column{Head: table.Words(head), Fields: []string{field}, Exact: exact, Align: table.Right}
	}
	hidden := func(head, field string) table.Column {
		return table.Column{Head: table.Words(head), Fields: []string{field}, Exact: true, DataOnly: true}
	}
	t = table.Table{
		Caption: caption(c, "Baselines that learn from the texts of the fit part whom to ask: "),
		Of:      c.Name, Kind: "learned",
		Columns: []table.Column{
			{Head: table.Words("Study"), Fields: []string{"study"}, DataOnly: true},
			{Head: table.Words("Cascade"), Fields: []string{"cascade"}, DataOnly: true},
			{Head: table.Words("Dataset"), Fields: []string{"dataset"}, Merge: true},
			{Head: table.Words("Policy"), Fields: []string{"policy"}},
			hidden("Policy id", "policy_id"),
			{Head: table.Words("Learner"), Fields: []string{"learner"}},
			{Head: table.Words("Of 1 / N"), Fields: []string{"ones", "records"}, Exact: true, Align: table.Right},
			number("Epochs", "epochs", true), number("Loss", "held_loss", true), number("Accuracy", "held_accuracy",
				true), number("AUROC", "held_auroc", true),
			number("AUROC, folds", "fold_auroc", true), number("AUROC, test", "test_auroc", true), number("θ", "theta", true),
			number("kFLOPs per query", "kflops", true), number("Score costs", "overhead", true), number("Saved (%)",
				"saved", false),
			hidden("Reads", "reads"), hidden("Predicts", "predicts"), hidden("Quality", "quality"), hidden("δ",
				"delta"), hidden("Drop, fit", "fit_drop"), hidden("Drop, test", "test_drop"),
			hidden("Passes", "passes"), hidden("Held out", "held_records"), hidden("Loss, folds",
				"fold_loss"), hidden("Loss, test", "test_loss"),
			hidden("Feasible", "feasible"), hidden("Deferred, fit", "fit_deferred"), hidden("Released", "released"),
		},
	}
	once := false
	for i := range c.Datasets {
		d := &c.Datasets[i]
		var group []table.Row
		for j := range d.Learned {
			once = once || d.Learned[j].Folds == 0
			group = append(group, learnedRow(s, c, d, &d.Learned[j], &t))
		}
		if len(group) > 0 {
			t.Groups = append(t.Groups, group)
		}
	}
	text := "Each is fitted six times: without each of five folds, whose records it then scores for the " +
		"threshold, and on all N records of the fit part, for the test part."
	if once {
		text += " Those as released are fitted once, on all N, and that fit scores both parts."
	}
	t.Remark(table.Plain(text + " Of 1: records whose label is 1. Epochs are " +
		"passes over the records until the best fit was found (of trees: trees), loss, accuracy and AUROC are of the last " +
		"fit on the records that it held out, before calibration; AUROC, folds: of the out-of-fold scores; AUROC, test: " +
		"of the last fit on the test part."))
	t.Remark(table.Plain(fmt.Sprintf("Score costs: what every query pays for its score, in %s; it is in every saving.",
		costUnitWords(c))))
	estimates(&t, all(c))
	return t, len(t.Groups) > 0
}

// costUnitWords name the unit of costs.
func costUnitWords(c *result.Cascade) string {
	if c.Unit == "" {
		return "the study's unit of cost"
	}
	return c.Unit
}

func learnedRow(s *result.Results, c *result.Cascade, d *result.Dataset, l *result.Learned, t *table.Table) table.Row {
	auroc := func(j result.Judged) table.Cell {
		v := math.NaN()
		if j.AUROC != nil {
			v = *j.AUROC
		}
		return table.Of(table.Num(table.Exactly(v, 3)))
	}
	of := func(j result.Judged, v float64, decimals int) table.Cell {
		if j.Records == 0 {
			v = math.NaN()
		}
		return table.Of(table.Num(table.Exactly(v, decimals)))
	}
	interval := func(v *infer.Interval) table.Cell {
		if v == nil {
			return table.Of(table.Num(table.Exactly(math.NaN(), 2)))
		}
		return table.Of(table.Num(table.Estimated(v.Value, v.Low, v.High, 2)))
	}
	var saved *infer.Interval
	for k := range d.Rows {
		if d.Rows[k].Policy == l.Policy {
			saved = &d.Rows[k].Saved
		}
	}
	policy := table.Of(table.Plain(l.Title))
	policy.Mark(t.Note("reads", fmt.Sprintf("Reads the %s; a label is 1 where %s.", l.Reads, l.Predicts)))
	for _, n := range l.Notes {
		policy.Mark(t.Note("learner", n.Text))
	}
	text := func(v string) table.Cell { return table.Of(table.Plain(v)) }
	plain := func(v float64) table.Cell { return table.Of(count(v)) }
	exactly := func(v float64, decimals int) table.Cell { return table.Of(table.Num(table.Exactly(v, decimals))) }
	return table.Row{
		text(s.Name), text(c.Name), table.Of(table.Name(d.Name)), policy, text(l.Policy), text(l.Name),
		table.Of(count(float64(l.Ones)), table.Plain(" / "), count(float64(l.Records))),
		plain(float64(l.Epochs)), of(l.Held, l.Held.Loss, 3), of(l.Held, l.Held.Accuracy,
			3), auroc(l.Held), auroc(l.OutOfFold), auroc(l.Test),
		exactly(float64(l.Theta), 4), table.Of(table.Num(significant(l.FLOPs / 1e3))),
		table.Of(table.Num(significant(l.Overhead))), interval(saved),
		text(l.Reads), text(l.Predicts), text(l.Quality), exactly(l.Delta, 4), exactly(l.FitDrop, 4), exactly(l.TestDrop, 4),
		plain(float64(l.Passes)), plain(float64(l.Held.Records)), of(l.OutOfFold, l.OutOfFold.Loss, 4), of(l.Test,
			l.Test.Loss, 4),
		text(yesNo(l.Feasible)), plain(float64(l.FitDeferred)), text(yesNo(l.Released)),
	}
}
