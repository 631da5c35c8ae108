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
	if a.Delimiter != 0 && !isCSV(a.Text) {
		d.wrong("answers_delimiter", fmt.Sprintf("%s has no delimiter to choose", a.Text),
			"leave it out; it is for files named .csv")
	}
	a.Ties, a.Facts.NullIsLow = a.NoConfidence == "tie", a.NullLogprob == "-inf"
	a.Facts.CachedApart = slices.Contains(a.CountedApart, "cached")
	a.Facts.ReasoningApart = slices.Contains(a.CountedApart, "reasoning")
	checkAnswerColumns(d, &a)
	a.File = d.answers("answers", a.Text)
	for i, text := range a.Also {
		a.AlsoFiles = append(a.AlsoFiles, d.answers(place.Element("answers_also", i), text))
	}
}

func (d *definition) answers(key, written string) string {
	where, info := d.file.existing(d.at+"."+key, written, "the answers ")
	if info != nil && info.IsDir() {
		d.wrong(key, fmt.Sprintf("%s is a folder", where), "name the file of the answers")
	}
	return where
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
		switch a.Format {
		case backends.AnswersInspect, backends.AnswersEvalEver, backends.AnswersRouterBench:
			wrong(what, fmt.Sprintf("a file of the format %s has no columns to name", a.Format),
				"leave it out, or set answers_format = \"table\"")
		case backends.AnswersLMEval:
			if what != "id" && what != "correct" && what != "score" {
				wrong(what, "lm-eval samples have columns of their own; only id, correct and score can be named",
					"leave it out, or set answers_format = \"table\"")
			}
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
