package reports

import (
	"cmp"
	"fmt"

	"infnet/harness/result"
	"infnet/reports/table"
)

// data is the table of datasets: their tasks, and which of their records the numbers rest on. They are in the order in
// which the study or its catalogs define them. A cascade has a row of its own only where its records are others.
func data(s *result.Results) (t table.Table) {
	list := places(s)
	if len(list) == 0 {
		return t
	}
	t = table.Table{Kind: "data", Caption: cascadesCaption("Records behind the numbers: ", list)}
	if paperLayout(s) {
		t.Caption = table.Words("Summary of datasets and corresponding tasks.")
	}
	var rows []place
	add := func(p place) {
		for _, q := range rows {
			if sameRecords(p.d, q.d) {
				return
			}
		}
		rows = append(rows, p)
	}
	for _, a := range s.Spec.Answers { // by model and dataset, in the order of definitions
		for _, p := range list {
			if p.d.Name == a.Dataset {
				add(p)
			}
		}
	}
	for _, p := range list {
		add(p)
	}
	titles := map[string]string{
		"qa": "Question-Answering", "translation": "Machine-Translation", "generation": "Generation",
	}
	total := func(head, field string, n func(c *result.Counts) int) column[place] {
		return number(head, field, func(p place) int { return n(&p.d.Counts) }, exact)
	}
	fill(&t, []column[place]{
		text("Study", "study", func(p place) string { return p.s.Name }, csvOnly),
		text("Dataset", "dataset", func(p place) table.Cell {
			return table.Cell{Text: table.Text{table.Name(p.d.Name)}, Marks: marksOf(&t, datasetNotes(p.d))}
		}),
		text("Task", "task", func(p place) string {
			if n := len(p.d.Labels); n > 0 {
				return fmt.Sprintf("%d-way classification", n)
			}
			return cmp.Or(titles[p.d.Task], p.d.Task)
		}),
		total("Records", "records", func(c *result.Counts) int { return c.Records }),
		total("Used", "used", func(c *result.Counts) int { return c.Used }),
		total("Fit", "fit", func(c *result.Counts) int { return c.Fit }),
		total("Test", "test", func(c *result.Counts) int { return c.Test }),
	}, [][]place{rows}, nil)
	for _, p := range rows {
		d := p.d
		source := short(d.Source)
		if d.Revision != "" {
			source += ", revision " + short(d.Revision)
		}
		if d.Direction != "" {
			source += ", translated " + short(d.Direction)
		}
		t.Remark(table.Name(d.Name), table.Plain(fmt.Sprintf(": %s, content %s; split %s, fit part %s, hash %s.", source,
			short(d.Hash), short(d.Split.Order), short(d.Split.Fraction), short(d.Split.Hash))))
	}
	return t
}

func sameRecords(a, b *result.Dataset) bool {
	return a.Name == b.Name && a.Hash == b.Hash && a.Split.Hash == b.Split.Hash && a.Counts.Records == b.Counts.Records &&
		a.Counts.Used == b.Counts.Used && a.Counts.Fit == b.Counts.Fit && a.Counts.Test == b.Counts.Test
}
