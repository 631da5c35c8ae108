package reports

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/reports/table"
)

type modelRow struct {
	place
	name  string
	in    []string           // the cascades in which it has these numbers
	found *result.Diagnostic // nil = none
	cost  *result.Cost       // nil = none
}

func modelRows(p place) (out []modelRow) {
	for _, m := range p.c.Models {
		x := modelRow{place: p, name: m, in: []string{p.c.Name},
			found: result.Find(p.d.Diagnostics, func(g *result.Diagnostic) bool { return g.Model == m }),
			cost:  result.Find(p.d.Costs, func(k *result.Cost) bool { return k.Model == m })}
		if x.found != nil || x.cost != nil {
			out = append(out, x)
		}
	}
	return out
}

// models is the table of the models themselves: how often each is right, what its confidence is worth, and what it
// costs. A model has a row for each dataset; a second one only where it was measured on other records.
func models(s *result.Results) (t table.Table) {
	var list []place
	var groups [][]modelRow
	of := map[string]int{} // the group of a dataset
	for _, p := range places(s) {
		for _, x := range modelRows(p) {
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
		return t
	}
	t = table.Table{Kind: "models", Caption: cascadesCaption("The models on their own, without a policy: ", places(s))}
	fill(&t, modelColumns(&t, list), groups, nil)
	modelRemarks(s, list, &t)
	return t
}

// equals reports whether two rows are of one model and have the same numbers.
func (x modelRow) equals(y modelRow) bool {
	print := func(m modelRow) string {
		text := m.name + m.d.Confidence + m.d.Calibration + costWords(m.c) + m.c.Summary
		if d := m.found; d != nil {
			text += fmt.Sprint(d.Correct, d.AUROC, d.ECE, d.Brier)
			if d.Graded != nil {
				text += fmt.Sprint(*d.Graded)
			}
		}
		if k := m.cost; k != nil {
			text += fmt.Sprint(k.Value, k.Mean)
		}
		return text
	}
	return print(x) == print(y)
}

var found = partly(func(x modelRow) *result.Diagnostic { return x.found }, none)

func some(list []place, has func(g *result.Diagnostic) bool) bool {
	return slices.ContainsFunc(list, func(p place) bool {
		return slices.ContainsFunc(p.d.Diagnostics, func(g result.Diagnostic) bool { return has(&g) })
	})
}

func modelColumns(t *table.Table, list []place) []column[modelRow] {
	cost := partly(func(x modelRow) *result.Cost { return x.cost }, none, exact)
	about := map[string][]int{}
	for _, p := range list {
		about[p.d.Name] = marksOf(t, datasetNotes(p.d))
	}
	c := list[0].c // the costs are the study's
	columns := []column[modelRow]{
		text("Study", "study", func(x modelRow) string { return x.s.Name }, csvOnly),
		text("Cascades", "cascades", func(x modelRow) string { return strings.Join(x.in, "; ") }, csvOnly),
		text("Dataset", "dataset", func(x modelRow) table.Cell {
			return table.Cell{Text: table.Text{table.Name(x.d.Name)}, Marks: about[x.d.Name]}
		}, merge),
		text("Model", "model", func(x modelRow) table.Part { return table.Name(x.name) }),
		found("Correct (%)", "correct", func(g *result.Diagnostic) any { return percents(g.Correct, 1) }),
		found("AUROC", "auroc", func(g *result.Diagnostic) any {
			if g.AUROC.N == 0 { // all right, or all wrong
				return nil
			}
			return interval(g.AUROC, 3)
		}),
		found("ECE", "ece", func(g *result.Diagnostic) any { return exactly(g.ECE, 3) }, exact),
		found("Brier", "brier", func(g *result.Diagnostic) any { return exactly(g.Brier, 3) }, exact),
	}
	columns = slices.Concat(columns, massColumns(list), gradedColumns(list))
	return append(columns,
		cost("Cost per query ("+costWords(c)+", "+c.Summary+")", "cost",
			func(k *result.Cost) any { return significant(k.Value) }))
}

// massColumns are those of label mass, where there are classifications: a number, or two bounds of one.
func massColumns(list []place) []column[modelRow] {
	var first *result.LabelMass
	if !some(list, func(g *result.Diagnostic) bool {
		first = g.LabelMass
		return first != nil
	}) {
		return nil
	}
	shown := func(head string, of func(k *result.LabelMass) (low, high table.Number)) column[modelRow] {
		return found(head, "", func(g *result.Diagnostic) any {
			switch {
			case g.LabelMass == nil:
				return nil
			case g.LabelMass.Known == 0:
				return "unknown"
			}
			low, high := of(g.LabelMass)
			if low.Value == high.Value || low.String() == high.String() {
				return low
			}
			return textOf(low, " to ", high)
		})
	}
	return []column[modelRow]{
		shown("Label mass", func(k *result.LabelMass) (low, high table.Number) {
			return table.Exactly(k.Low, 3), table.Exactly(k.High, 3)
		}),
		shown(fmt.Sprintf("Below %v (%%)", first.Floor), func(k *result.LabelMass) (low, high table.Number) {
			share := func(n int) table.Number { return table.Exactly(float64(n)/float64(k.Known), 1).AsPercent() }
			return share(k.Below), share(k.Below + k.Open)
		}),
	}
}

func graded(p place) bool { return len(p.d.Counts.Graded) > 0 }

func audited(g *result.Diagnostic) bool { return g.Audit != nil }

// gradedColumns are those of answers that are found in replies or read by a rule, and of what people graded of what a
// judge grades.
func gradedColumns(list []place) (out []column[modelRow]) {
	replies := partly(func(x modelRow) *result.Graded {
		if x.found == nil {
			return nil
		}
		return x.found.Graded
	}, none, exact)
	audit := partly(func(x modelRow) *result.Audit {
		if x.found == nil {
			return nil
		}
		return x.found.Audit
	}, none)
	if slices.ContainsFunc(list, graded) {
		out = append(out,
			replies("No answer (%)", "no_answer", func(g *result.Graded) any {
				return exactPercent(float64(g.None)/float64(g.Answers), 1)
			}),
			replies("Undecided (%)", "undecided", func(g *result.Graded) any {
				return exactPercent(float64(g.Undecided)/float64(g.Answers), 1)
			}))
	}
	if some(list, audited) {
		out = append(out,
			audit("Corrected (%)", "corrected", func(a *result.Audit) any { return percents(a.Correct, 1) }),
			audit("Sensitivity (%)", "sensitivity", func(a *result.Audit) any { return scaled(a.Sensitivity, 1, 1) }),
			audit("Specificity (%)", "specificity", func(a *result.Audit) any { return scaled(a.Specificity, 1, 1) }))
	}
	return out
}

// modelRemarks say how to read the table, and which weights each name refers to.
func modelRemarks(s *result.Results, list []place, t *table.Table) {
	part := "the test part"
	for _, p := range list {
		if slices.ContainsFunc(p.d.Diagnostics, func(g result.Diagnostic) bool { return g.Correct.N != p.d.Counts.Test }) {
			part = "the records that every model answered"
		}
	}
	t.Remark(table.Plain(fmt.Sprintf("Measured on %s. Correct: share of records right under the correctness rule. "+
		"AUROC: chance that a right answer is given more confidence than a wrong one. ECE (15 equal-mass bins) and Brier "+
		"score of the confidence: smaller is better%s.", part, withRanges(s))))
	if some(list, func(g *result.Diagnostic) bool { return g.LabelMass != nil }) {
		t.Remark(table.Plain("Label mass: mean probability that a model puts on the labels of a classification, of which " +
			"its confidence is one label's share; unknown where the scores were normalised over the labels."))
	}
	if slices.ContainsFunc(list, graded) {
		t.Remark(table.Plain("No answer: replies in which no answer was found. Undecided: answers that no rule could " +
			"decide. Both count as wrong."))
	}
	if some(list, audited) {
		t.Remark(table.Plain("Corrected: the share right, by the judge on all records and by people on those that they " +
			"graded, taken as drawn at random (prediction-powered inference). Sensitivity, specificity: of the answers that " +
			"the judge was asked about, the shares of right and of wrong ones, by people, that it grades so."))
	}
	for _, p := range list {
		if judgedMost(p.d.Counts.Graded) > 0 {
			t.Remark(textOf("Answers to ", table.Name(p.d.Name), " that no rule decides are graded by "+short(p.d.Grader)+
				".")...)
		}
		t.Remark(textOf("Confidence on ", table.Name(p.d.Name),
			fmt.Sprintf(": %s, calibration %s.", short(p.d.Confidence), short(p.d.Calibration)))...)
	}
	for _, m := range s.Models {
		if slices.ContainsFunc(s.Cascades, func(c result.Cascade) bool { return slices.Contains(c.Models, m.Name) }) {
			t.Remark(table.Name(m.Name), table.Plain(": "+identity(m)))
		}
	}
}

func identity(m result.Model) string {
	id := short(m.ID)
	if id == "" {
		id = "no identifier"
	}
	add := func(given bool, format string, args ...any) {
		if given {
			id += fmt.Sprintf(format, args...)
		}
	}
	add(m.Revision != "", ", revision %s", short(m.Revision))
	add(m.Params > 0, ", %.3g billion parameters", m.Params)
	add(m.Backend != "", ", backend %s", short(m.Backend))
	add(m.Served != "", ", served as %s", short(m.Served))
	for i, r := range m.AnsweredBy {
		add(i == 0, ", answered by ")
		add(i > 0, " and ")
		add(true, "%s (%s)", short(r.Name), Plural(r.Answers, "answer"))
	}
	add(m.Unconfirmed != "", ", not confirmed (%s)", short(m.Unconfirmed))
	add(m.LabelMode != "", ", labels asked by %s", m.LabelMode)
	for _, s := range m.Servers {
		name := s.Name
		if name == "" {
			name = "a server that does not say what it is"
		}
		add(true, ", served by %s", name)
		add(s.Version != "", " %s", short(s.Version))
		add(true, " (fingerprint %s)", s.Fingerprint)
		add(s.Launch != "", ", started as %s", s.Launch)
	}
	return id + "."
}
