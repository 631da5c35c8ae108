package spec

import (
	"fmt"
	"maps"
	"slices"

	"infnet/backends"
	"infnet/harness/dataset"
	"infnet/harness/spec/place"
)

func checkReplay(_ *modelCheck, d *definition, m *Model, _ *backend) {
	a := m.Replay
	if a.Text == "" {
		return // reported
	}
	m.Config.Settings = &backends.ReplayConfig{Source: a.Text} // whoever opens the model reads the answers
	m.Recording = &a
	a.Ties = a.NoConfidence == "tie"
	checkAnswerColumns(d, &a)
	where, info := d.file.existing(d.at+".answers", a.Text, "the answers ")
	if a.File = where; info != nil && info.IsDir() {
		d.wrong("answers", fmt.Sprintf("%s is a folder", where), "name the file of the answers")
	}
}

func checkAnswerColumns(d *definition, a *Recording) {
	c, known := &a.Columns, a.Columns.ByRole(&a.Facts)
	known["model"] = &a.ModelIn
	wrong := func(what, message, hint string) { d.file.wrong(place.Join(d.at+".columns", what), message, hint) }
	for _, what := range slices.Sorted(maps.Keys(a.Named)) {
		column, into := a.Named[what], known[dataset.Role(what)]
		if into == nil {
			var names []string
			for role := range known {
				names = append(names, string(role))
			}
			slices.Sort(names)
			wrong(what, fmt.Sprintf("no column holds %q", what), place.Suggest(what, names))
			continue
		}
		if what == "label" && column == "" {
			c.Label = backends.NoColumn
			continue
		}
		if _, err := dataset.ParsePath(column); err != nil {
			wrong(what, err.Error(), "name a column, such as \"answer\" or \"output.text\"")
			continue
		}
		*into = column
	}
	for _, both := range [][3]string{{"logprobs", c.Probs, c.Logprobs}, {"latency_ms", c.Latency, a.Facts.LatencyMS},
		{"score", a.Facts.Correct, a.Facts.Score}} {
		if both[1] != "" && both[2] != "" {
			wrong(both[0], fmt.Sprintf("the columns %q and %q say one fact twice", both[1], both[2]), "name one of them")
		}
	}
}
