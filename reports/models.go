package reports

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/result"
	"infnet/reports/table"
)

// quality is the table of the models themselves: how often each is right, what
// its confidence is worth, and what it costs.
func quality(s *result.Results, c *result.Cascade) table.Table {
	t := table.Table{
		Caption: caption(c, "The models on their own, without a policy: "),
		Of:      c.Name, Kind: "models",
		Columns: []table.Column{
			{Head: table.Words("Study"), Fields: []string{"study"}, DataOnly: true},
			{Head: table.Words("Cascade"), Fields: []string{"cascade"}, DataOnly: true},
			{Head: table.Words("Dataset"), Fields: []string{"dataset"}, Merge: true},
			{Head: table.Words("Model"), Fields: []string{"model"}},
			{Head: table.Words("Correct (%)"), Fields: []string{"correct"}, Align: table.Right},
			{Head: table.Words("AUROC"), Fields: []string{"auroc"}, Align: table.Right},
			{Head: table.Words("ECE"), Fields: []string{"ece"}, Exact: true, Align: table.Right},
			{Head: table.Words("Brier"), Fields: []string{"brier"}, Exact: true, Align: table.Right},
			{Head: table.Words("Cost per query (" + costWords(c) + ", " + c.Summary + ")"), Fields: []string{"cost"},
				Exact: true, Align: table.Right},
			{Head: table.Words("Mean cost"), Fields: []string{"mean_cost"}, Exact: true, DataOnly: true},
			{Head: table.Words("Records"), Fields: []string{"records"}, Exact: true, DataOnly: true},
			{Head: table.Words("Confidence"), Fields: []string{"confidence"}, DataOnly: true},
			{Head: table.Words("Calibration"), Fields: []string{"calibration"}, DataOnly: true},
		},
	}
	masses := massColumns(c)
	t.Columns = slices.Insert(t.Columns, massAt, masses...)
	for i := range c.Datasets {
		if g := qualityGroup(s, c, &c.Datasets[i], len(masses) > 0); len(g) > 0 {
			for _, n := range datasetNotes(&c.Datasets[i]) {
				g[0][2].Mark(t.Note(string(n.Kind), n.Text))
			}
			t.Groups = append(t.Groups, g)
		}
	}
	t.Remark(table.Plain(fmt.Sprintf("Measured on %s. Correct: share of records right under the correctness rule. "+
		"AUROC: chance that a right answer is given more confidence than a wrong one. ECE (15 equal-mass bins) and Brier "+
		"score of the confidence: smaller is better%s.", part(c), withRanges(s, false))))
	if len(masses) > 0 {
		t.Remark(table.Plain("Label mass: mean probability that a model puts on the labels of a classification, of which " +
			"its confidence is one label's share; unknown where the scores were normalised over the labels."))
	}
	for _, d := range c.Datasets {
		t.Remark(table.Plain("Confidence on "), table.Name(d.Name),
			table.Plain(fmt.Sprintf(": %s, calibration %s.", short(d.Confidence), short(d.Calibration))))
	}
	for _, m := range s.Models {
		if !slices.Contains(c.Models, m.Name) {
			continue
		}
		t.Remark(table.Name(m.Name), table.Plain(": "+identity(m)))
	}
	return t
}

// part says which records the diagnostics rest on.
func part(c *result.Cascade) string {
	for _, d := range c.Datasets {
		for _, g := range d.Diagnostics {
			if g.Correct.N != d.Counts.Test {
				return "the records that every model answered"
			}
		}
	}
	return "the test part"
}

// massAt is the index of the first column of the label mass.
const massAt = 8

// qualityGroup has one row per model of the cascade that has costs or
// diagnostics.
func qualityGroup(s *result.Results, c *result.Cascade, d *result.Dataset, masses bool) []table.Row {
	var group []table.Row
	for _, model := range c.Models {
		undefined := table.Num(table.Exactly(math.NaN(), 2))
		correct, auroc, ece, brier, cost, mean := undefined, undefined, undefined, undefined, undefined, undefined
		records, known := undefined, false
		var mass *result.LabelMass
		for _, g := range d.Diagnostics {
			if g.Model == model {
				known, mass = true, g.LabelMass
				correct = table.Num(table.Estimated(g.Correct.Value, g.Correct.Low, g.Correct.High, 1).AsPercent())
				if g.AUROC.N > 0 { // else undefined: all right, or all wrong
					auroc = table.Num(table.Estimated(g.AUROC.Value, g.AUROC.Low, g.AUROC.High, 3))
				}
				ece = table.Num(table.Exactly(g.ECE, 3))
				brier = table.Num(table.Exactly(g.Brier, 3))
				records = count(float64(g.Correct.N))
			}
		}
		for _, k := range d.Costs {
			if k.Model == model {
				known = true
				cost, mean = table.Num(significant(k.Value)), table.Num(significant(k.Mean))
			}
		}
		if !known {
			continue
		}
		row := table.Row{
			table.Of(table.Plain(s.Name)), table.Of(table.Plain(c.Name)), table.Of(table.Name(d.Name)),
			table.Of(table.Name(model)),
			table.Of(correct), table.Of(auroc), table.Of(ece), table.Of(brier), table.Of(cost), table.Of(mean),
			table.Of(records),
			table.Of(table.Plain(d.Confidence)), table.Of(table.Plain(d.Calibration)),
		}
		if masses {
			row = slices.Insert(row, massAt, massCells(mass)...)
		}
		group = append(group, row)
	}
	return group
}

// significant shows a cost, which spans many orders of magnitude.
func significant(v float64) table.Number { return table.Number{Value: v, Significant: 4} }

// identity says which weights a name refers to.
func identity(m result.Model) string {
	id := short(m.ID)
	if id == "" {
		id = "no identifier"
	}
	if m.Revision != "" {
		id += ", revision " + short(m.Revision)
	}
	if m.Params > 0 {
		id += fmt.Sprintf(", %.3g billion parameters", m.Params)
	}
	if m.Backend != "" {
		id += ", backend " + short(m.Backend)
	}
	if m.Served != "" {
		id += ", served as " + short(m.Served)
	}
	for i, r := range m.AnsweredBy {
		if i == 0 {
			id += ", answered by "
		} else {
			id += " and "
		}
		id += fmt.Sprintf("%s (%s)", short(r.Name), plural(r.Answers, "answer"))
	}
	if m.Unconfirmed != "" {
		id += ", not confirmed (" + short(m.Unconfirmed) + ")"
	}
	if m.LabelMode != "" {
		id += ", labels asked by " + m.LabelMode
	}
	for _, s := range m.Servers {
		name := s.Name
		if name == "" {
			name = "a server that does not say what it is"
		}
		if s.Version != "" {
			name += " " + short(s.Version)
		}
		id += fmt.Sprintf(", served by %s (fingerprint %s)", name, s.Fingerprint)
		if s.Launch != "" {
			id += ", started as " + s.Launch
		}
	}
	return id + "."
}

// counts is the table of which records the numbers rest on, and of what
// happened to the others. One row per cause.
func counts(s *result.Results, c *result.Cascade) table.Table {
	t := table.Table{
		Caption: caption(c, "Records behind the numbers: "),
		Of:      c.Name, Kind: "records",
		Columns: []table.Column{
			{Head: table.Words("Study"), Fields: []string{"study"}, DataOnly: true},
			{Head: table.Words("Cascade"), Fields: []string{"cascade"}, DataOnly: true},
			{Head: table.Words("Dataset"), Fields: []string{"dataset"}, Merge: true},
			{Head: table.Words("Records"), Fields: []string{"records"}, Exact: true, Merge: true, Align: table.Right},
			{Head: table.Words("Used"), Fields: []string{"used"}, Exact: true, Merge: true, Align: table.Right},
			{Head: table.Words("Fit"), Fields: []string{"fit"}, Exact: true, Merge: true, Align: table.Right},
			{Head: table.Words("Test"), Fields: []string{"test"}, Exact: true, Merge: true, Align: table.Right},
			{Head: table.Words("What"), Fields: []string{"what"}},
			{Head: table.Words("Model"), Fields: []string{"model"}},
			{Head: table.Words("Count"), Fields: []string{"count"}, Exact: true, Align: table.Right},
			{Head: table.Words("Source"), Fields: []string{"source"}, DataOnly: true},
			{Head: table.Words("Content hash"), Fields: []string{"content_hash"}, DataOnly: true},
			{Head: table.Words("Split hash"), Fields: []string{"split_hash"}, DataOnly: true},
		},
	}
	for i := range c.Datasets {
		d := &c.Datasets[i]
		var group []table.Row
		add := func(what, model string, n int) {
			group = append(group, table.Row{
				table.Of(table.Plain(s.Name)), table.Of(table.Plain(c.Name)), table.Of(table.Name(d.Name)),
				table.Of(count(float64(d.Counts.Records))), table.Of(count(float64(d.Counts.Used))),
				table.Of(count(float64(d.Counts.Fit))), table.Of(count(float64(d.Counts.Test))),
				table.Of(table.Plain(what)), table.Of(table.Name(short(model))), table.Of(count(float64(n))),
				table.Of(table.Plain(d.Source)), table.Of(table.Plain(d.Hash)), table.Of(table.Plain(d.Split.Hash)),
			})
		}
		list := func(what string, of []result.Missing) {
			for _, m := range of {
				w := what
				if m.Cause != "" {
					w += ": " + short(m.Cause)
				}
				add(w, m.Model, m.Count)
			}
		}
		if d.Counts.Skipped > 0 {
			add("bad row skipped", "", d.Counts.Skipped)
		}
		list("no answer", d.Counts.Missing)
		list("prompt cut to the context", d.Counts.Truncated)
		list("label probability not reported", d.Counts.Unseen)
		list(fmt.Sprintf("confidence not known to %v", result.WideBound), d.Counts.Wide)
		for _, k := range d.Counts.LabelMass {
			massRows(k, add)
		}
		list("empty answer", d.Counts.Empty)
		for _, k := range d.Counts.Cut {
			add(cutWhat(k), k.Model, k.Count)
		}
		list("labels asked otherwise", d.Counts.Otherwise)
		for _, e := range d.Counts.Estimated {
			add("tokens estimated", e.Model, e.Count)
		}
		if len(group) == 0 {
			add("nothing missing", "", 0)
		}
		t.Groups = append(t.Groups, group)
	}
	for _, d := range c.Datasets {
		source := short(d.Source)
		if d.Revision != "" {
			source += ", revision " + short(d.Revision)
		}
		if d.Direction != "" {
			source += ", translated " + short(d.Direction)
		}
		t.Remark(table.Name(d.Name), table.Plain(fmt.Sprintf(": %s, content %s; split %s, fit part %s, hash %s.",
			source, short(d.Hash), short(d.Split.Order), short(d.Split.Fraction), short(d.Split.Hash))))
	}
	return t
}
