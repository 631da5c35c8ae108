package reports

import (
	"cmp"
	"fmt"

	"infnet/harness/result"
	"infnet/reports/table"
)

// datasets is the paper's table of datasets and their tasks, in the order in which the study or its catalogs define
// them.
func datasets(s *result.Results) (t table.Table, ok bool) {
	t = table.Table{Kind: "datasets", Caption: table.Words("Summary of datasets and corresponding tasks.")}
	known := map[string]place{}
	for _, p := range places(s) {
		known[p.d.Name] = p
	}
	var all []place
	for _, a := range s.Spec.Answers { // by model and dataset, in the order of definitions
		if p, left := known[a.Dataset]; left {
			all = append(all, p)
			delete(known, a.Dataset)
		}
	}
	fill(&t, []column[place]{
		cells(table.Words("Dataset"), []string{"dataset"}, func(p place) table.Cell {
			return table.Of(table.Name(p.d.Name))
		}),
		text("Task", "task", taskTitle),
		number("Records", "records", func(p place) table.Part {
			return count(float64(p.d.Counts.Fit + p.d.Counts.Test))
		}, csvOnly, exact),
	}, [][]place{all})
	return t, len(t.Groups) > 0
}

// taskTitle is what the paper calls a task.
func taskTitle(p place) string {
	titles := map[string]string{
		"qa": "Question-Answering", "translation": "Machine-Translation", "generation": "Generation",
	}
	if n := len(p.d.Labels); n > 0 {
		return fmt.Sprintf("%d-way classification", n)
	}
	return cmp.Or(titles[p.d.Task], p.d.Task)
}
