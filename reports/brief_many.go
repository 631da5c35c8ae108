package reports

import (
	"fmt"
	"slices"

	"infnet/metrics/infer"
	"infnet/reports/table"
)

// verdictWords are the verdicts in a table.
var verdictWords = map[Verdict]string{
	WorthIt: "worth it", ErrsMore: "errs more", NotWorthIt: "not worth it", NotShown: "not shown",
	SameAs: "single model", ErrsLess: "errs less", Infeasible: "infeasible", Incomplete: "incomplete",
	NoSignal: "no signal", TooFew: "too few records", Nothing: "no result",
}

// count writes how often each verdict is.
func (b *brief) count() {
	var order []string
	count := map[string]int{}
	for i := range b.all {
		v := verdictWords[b.all[i].Verdict]
		if count[v]++; count[v] == 1 {
			order = append(order, v)
		}
	}
	slices.SortStableFunc(order, func(x, y string) int { return count[y] - count[x] })
	b.paragraph(table.Words(fmt.Sprintf("Of %d: ", len(b.all))+listWords(order, ", ", func(v string) string {
		return fmt.Sprintf("%d %s", count[v], v)
	})+". The report has a sentence for each."), "")
	b.line("")
}

// overview is a row for each headline.
func (b *brief) overview(x shape) *table.Table {
	rich := x.metrics > 1
	right := func(head string, shown bool) table.Column {
		return table.Column{Head: table.Words(head), Align: table.Right, DataOnly: !shown}
	}
	t := &table.Table{Caption: b.caption(x.intervals), Label: "tab:brief", Columns: []table.Column{
		{Head: table.Words("Dataset")}, {Head: table.Words("Models"), DataOnly: !b.several()},
		{Head: table.Words("Verdict")}, right("Saved %", true), right("Deferred %", true), right("Error %", true),
		right("Student", rich), right("Master", true), {Head: table.Words("Baseline"), DataOnly: !rich},
		right("Saved %", rich), right("Error %", rich),
	}}
	var group []table.Row
	for i := range b.all {
		h := &b.all[i]
		best := ""
		if h.Best != nil {
			best = h.Best.Title
		}
		saved, errs := lineCells(h.Ours, x.intervals)
		theirs, wrong := lineCells(h.Best, false)
		_, student := lineCells(h.Student, false)
		_, master := lineCells(h.Master, false)
		deferred := table.Cell{}
		if h.Ours != nil {
			deferred = table.Of(table.Num(table.Exactly(h.Ours.Deferred.Value, 1).AsPercent()))
		}
		group = append(group, table.Row{table.Of(table.Name(h.Dataset)), table.Of(table.Plain(b.models(h))),
			table.Of(table.Plain(verdictWords[h.Verdict])), saved, deferred, errs, student, master,
			table.Of(table.Plain(best)), theirs, wrong})
	}
	t.Groups = [][]table.Row{group}
	return t
}

// lineCells are what a line saves and how often it errs; empty where there is none.
func lineCells(l *Line, interval bool) (saved, errs table.Cell) {
	if l == nil {
		return saved, errs
	}
	of := func(iv infer.Interval) table.Number {
		n := table.Exactly(iv.Value, 1)
		n.Low, n.High, n.Estimate = iv.Low, iv.High, interval
		return n
	}
	return table.Of(table.Num(of(l.Saved))), table.Of(table.Num(of(l.Error).AsPercent()))
}
