package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/dataset"
	"infnet/harness/spec/place"
)

// replayKind is a model whose answers are recorded in a file.
func replayKind() *kind {
	return &kind{
		name: backends.Replay, title: "a model of recorded answers",
		own:   true,
		model: checkReplay,
		unshaped: func(d *definition) {
			d.missing("shape", "cost.model = \"tflops\" counts the network's work: give the shape and record prompt_tokens "+
				"and completion_tokens, or set cost.model = \"fixed\" and a fixed_cost for every model")
		},
	}
}

// checkReplay checks a model whose answers are recorded in a file.
func checkReplay(_ *modelCheck, d *definition, m *Model, _ *backend) {
	r := d.model()
	if r.Answers == nil {
		d.missing("answers", "answers = \"file.jsonl\": the file of recorded answers")
		return
	}
	m.Config.Settings = &backends.ReplayConfig{Source: *r.Answers} // whoever opens the model reads the answers
	m.Recording = &Recording{Text: *r.Answers, Format: or(r.AnswersFormat, backends.AnswersAuto),
		Filter: or(r.AnswersFilter, "")}
	format := m.Recording.Format
	if r.AnswersFilter != nil && (*r.AnswersFilter == "" ||
		format != backends.AnswersAuto && format != backends.AnswersLMEval && format != backends.AnswersInspect) {
		d.wrong("answers_filter", "only lm-eval has filters and Inspect scorers, and they have names", "leave it out")
	}
	if text := or(r.AnswersDelim, ","); text != "," { // the default written out is the default
		sep, ok := separator(text)
		switch name := strings.TrimSuffix(strings.ToLower(*r.Answers), ".gz"); {
		case !strings.HasSuffix(name, ".csv"):
			d.wrong("answers_delimiter", fmt.Sprintf("%s has no delimiter to choose", *r.Answers),
				"leave it out; it is for files named .csv")
		case !ok:
			d.wrong("answers_delimiter", fmt.Sprintf("%q cannot part cells", text),
				`want one character, such as ";" or "|", or "tab"`)
		default:
			m.Recording.Delimiter = sep
		}
	}
	checkAnswerColumns(d, r.Columns, m.Recording)
	checkFacts(d, r, m.Recording)
	m.Recording.File = answersFile(d, "answers", *r.Answers)
	for i, text := range r.AnswersAlso {
		m.Recording.Also = append(m.Recording.Also, text)
		m.Recording.AlsoFiles = append(m.Recording.AlsoFiles, answersFile(d, place.Element("answers_also", i), text))
	}
}

// answersFile finds a file of recorded answers.
func answersFile(d *definition, key, written string) string {
	where, ok := d.file.path(d.at+"."+key, written)
	if !ok {
		return ""
	}
	if info, err := d.file.fsys.stat(where); err != nil {
		d.wrong(key, fmt.Sprintf("cannot find the answers %s: %s", where, reason(err)),
			"paths are relative to the file that contains them")
	} else if info.IsDir() {
		d.wrong(key, fmt.Sprintf("%s is a folder", where), "name the file of the answers")
	}
	return where
}

// checkAnswerColumns takes over the columns of a table.
func checkAnswerColumns(d *definition, named map[string]string, a *Recording) {
	c, known := &a.Columns, a.Columns.ByRole(&a.Facts)
	known["model"] = &a.ModelIn
	var names []string
	for role := range known {
		names = append(names, string(role))
	}
	slices.Sort(names)
	for _, what := range slices.Sorted(maps.Keys(named)) {
		column, key := named[what], place.Join(d.at+".columns", what)
		if known[dataset.Role(what)] == nil {
			d.file.wrong(key, fmt.Sprintf("no column holds %q", what),
				place.Suggest(what, names))
			continue
		}
		if what == "label" && column == "" {
			c.Label = backends.NoColumn
			continue
		}
		if _, err := dataset.ParsePath(column); err != nil {
			d.file.wrong(key, err.Error(), "name a column, such as \"answer\" or \"output.text\"")
			continue
		}
		switch {
		case a.Format == backends.AnswersInspect || a.Format == backends.AnswersEvalEver ||
			a.Format == backends.AnswersRouterBench:
			d.file.wrong(key, fmt.Sprintf("a file of the format %s has no columns to name", a.Format),
				"leave it out, or set answers_format = \"table\"")
		case a.Format == backends.AnswersLMEval && what != "id" && what != "correct" && what != "score":
			d.file.wrong(key, "lm-eval samples have columns of their own; only id, correct and score can be named",
				"leave it out, or set answers_format = \"table\"")
		}
		*known[dataset.Role(what)] = column
	}
	if c.Probs != "" && c.Logprobs != "" {
		d.file.wrong(d.at+".columns.logprobs", "probabilities and their logarithms are one fact twice",
			"name probs or logprobs")
	}
}
