package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/reports/table"
)

// modelRow is a model of a cascade on a dataset.
type modelRow struct {
	place
	name string
	in   []string // the cascades in which it has these numbers
}

// models is the table of the models themselves: how often each is right, what its confidence is worth, and what it
// costs. A model has a row for each dataset; a second one only where it was measured on other records.
func models(s *result.Results) (t table.Table, ok bool) {
	t = table.Table{Kind: "models"}
	var list []place
	var groups [][]modelRow
	of := map[string]int{} // the group of a dataset
	for _, p := range places(s) {
		for _, m := range p.c.Models {
			x := modelRow{place: p, name: m, in: []string{p.c.Name}}
			if x.diagnostics() == nil && x.cost() == nil {
				continue
			}
			k, seen := of[p.d.Name]
			if !seen {
				k, list = len(groups), append(list, p)
				of[p.d.Name], groups = k, append(groups, nil)
			}
			if same := slices.IndexFunc(groups[k], x.equals); same >= 0 {
				groups[k][same].in = append(groups[k][same].in, p.c.Name)
				continue
			}
			groups[k] = append(groups[k], x)
		}
	}
	if len(groups) == 0 {
		return t, false
	}
	t.Caption = cascadesCaption("The models on their own, without a policy: ", cascadesOf(places(s)))
	fill(&t, modelColumns(&t, list), groups)
	modelRemarks(s, list, &t)
	return t, true
}

// equals reports whether two rows are of one model and have the same numbers.
func (x modelRow) equals(y modelRow) bool {
	print := func(m modelRow) string {
		d, k := m.diagnostics(), m.cost()
		text := m.name + m.d.Confidence + m.d.Calibration + costWords(m.c) + m.c.Summary
		if d != nil {
			text += fmt.Sprint(d.Correct, d.AUROC, d.ECE, d.Brier)
			if d.Graded != nil {
				text += fmt.Sprint(*d.Graded)
			}
		}
		if k != nil {
			text += fmt.Sprint(k.Value, k.Mean)
		}
		return text
	}
	return print(x) == print(y)
}

func (x modelRow) diagnostics() *result.Diagnostic {
	for i := range x.d.Diagnostics {
		if g := &x.d.Diagnostics[i]; g.Model == x.name {
			return g
		}
	}
	return nil
}

func (x modelRow) cost() *result.Cost {
	for i := range x.d.Costs {
		if k := &x.d.Costs[i]; k.Model == x.name {
			return k
		}
	}
	return nil
}

// modelColumns are the columns of the table of models.
func modelColumns(t *table.Table, list []place) []column[modelRow] {
	diagnosed := func(head, field string, part func(g *result.Diagnostic) table.Part, looks ...look) column[modelRow] {
		return number(head, field, func(x modelRow) table.Part {
			if g := x.diagnostics(); g != nil {
				return part(g)
			}
			return table.Num(table.Exactly(math.NaN(), 2))
		}, looks...)
	}
	costs := func(head, field string, v func(k *result.Cost) float64, looks ...look) column[modelRow] {
		return number(head, field, func(x modelRow) table.Part {
			if k := x.cost(); k != nil {
				return table.Num(significant(v(k)))
			}
			return table.Num(table.Exactly(math.NaN(), 2))
		}, append(looks, exact)...)
	}
	about := map[string][]int{}
	for _, p := range list {
		about[p.d.Name] = marksOf(t, datasetNotes(p.d))
	}
	c := list[0].c // the costs are the study's
	columns := []column[modelRow]{
		text("Study", "study", func(x modelRow) string { return x.s.Name }, csvOnly),
		text("Cascades", "cascades", func(x modelRow) string { return strings.Join(x.in, "; ") }, csvOnly),
		cells(table.Words("Dataset"), []string{"dataset"}, func(x modelRow) table.Cell {
			return table.Cell{Text: table.Text{table.Name(x.d.Name)}, Marks: about[x.d.Name]}
		}, merge),
		cells(table.Words("Model"), []string{"model"}, func(x modelRow) table.Cell { return table.Of(table.Name(x.name)) }),
		diagnosed("Correct (%)", "correct", func(g *result.Diagnostic) table.Part { return percents(g.Correct, 1) }),
		diagnosed("AUROC", "auroc", func(g *result.Diagnostic) table.Part {
			if g.AUROC.N == 0 { // all right, or all wrong
				return table.Num(table.Exactly(math.NaN(), 2))
			}
			return table.Num(table.Estimated(g.AUROC.Value, g.AUROC.Low, g.AUROC.High, 3))
		}),
		diagnosed("ECE", "ece", func(g *result.Diagnostic) table.Part { return table.Num(table.Exactly(g.ECE, 3)) }, exact),
		diagnosed("Brier", "brier", func(g *result.Diagnostic) table.Part { return table.Num(table.Exactly(g.Brier, 3)) },
			exact),
	}
	columns = slices.Concat(columns, massColumns(list), gradedColumns(list), auditColumns(list))
	return append(columns,
		costs("Cost per query ("+costWords(c)+", "+c.Summary+")", "cost", func(k *result.Cost) float64 { return k.Value }),
		costs("Mean cost", "mean_cost", func(k *result.Cost) float64 { return k.Mean }, csvOnly),
		diagnosed("Records", "records", func(g *result.Diagnostic) table.Part { return count(float64(g.Correct.N)) },
			csvOnly, exact),
		text("Confidence", "confidence", func(x modelRow) string { return x.d.Confidence }, csvOnly),
		text("Calibration", "calibration", func(x modelRow) string { return x.d.Calibration }, csvOnly))
}

// modelRemarks say how to read the table, and which weights each name refers to.
func modelRemarks(s *result.Results, list []place, t *table.Table) {
	t.Remark(table.Plain(fmt.Sprintf("Measured on %s. Correct: share of records right under the correctness rule. "+
		"AUROC: chance that a right answer is given more confidence than a wrong one. ECE (15 equal-mass bins) and Brier "+
		"score of the confidence: smaller is better%s.", part(list), withRanges(s, false))))
	if len(massColumns(list)) > 0 {
		t.Remark(table.Plain("Label mass: mean probability that a model puts on the labels of a classification, of which " +
			"its confidence is one label's share; unknown where the scores were normalised over the labels."))
	}
	if slices.ContainsFunc(list, place.graded) {
		t.Remark(table.Plain("No answer: replies in which no answer was found. Undecided: answers that no rule could " +
			"decide. Both count as wrong."))
	}
	if len(auditColumns(list)) > 0 {
		t.Remark(table.Plain("Corrected: the share right, by the judge on all records and by people on those that they " +
			"graded, taken as drawn at random (prediction-powered inference). Sensitivity, specificity: of the answers that " +
			"the judge was asked about, the shares of right and of wrong ones, by people, that it grades so."))
	}
	for _, p := range list {
		if judgedMost(p.d.Counts.Graded) > 0 {
			t.Remark(table.Plain("Answers to "), table.Name(p.d.Name), table.Plain(" that no rule decides are graded by "+
				short(p.d.Grader)+"."))
		}
		t.Remark(table.Plain("Confidence on "), table.Name(p.d.Name),
			table.Plain(fmt.Sprintf(": %s, calibration %s.", short(p.d.Confidence), short(p.d.Calibration))))
	}
	for _, m := range s.Models {
		if slices.ContainsFunc(s.Cascades, func(c result.Cascade) bool { return slices.Contains(c.Models, m.Name) }) {
			t.Remark(table.Name(m.Name), table.Plain(": "+identity(m)))
		}
	}
}

// part says which records the diagnostics rest on.
func part(list []place) string {
	for _, p := range list {
		for _, g := range p.d.Diagnostics {
			if g.Correct.N != p.d.Counts.Test {
				return "the records that every model answered"
			}
		}
	}
	return "the test part"
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
