package spec

import (
	"fmt"
	"strings"

	"infnet/backends"
	"infnet/harness/dataset"
	"infnet/harness/spec/place"
)

// replayKind is a model whose answers are recorded in a file.
func replayKind() *kind {
	return &kind{
		name: backends.Replay, title: "a model of recorded answers", traits: (*backends.ReplayConfig)(nil).Traits(),
		own: true, shaped: true,
		strays: map[string]remark{
			"path": {"recorded answers need no folder", "leave it out; the file is answers = …"},
			"simulated": {"recorded answers simulate nothing",
				"leave it out, or set backend = \"simulated\" and leave answers out"},
			"served":   {"recorded answers are asked of no server", "leave it out"},
			"revision": {"the revision of recorded answers is their file's content", "leave it out"},
		},
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
func checkAnswerColumns(d *definition, r *rawColumns, a *Recording) {
	if r == nil {
		return
	}
	c, facts := &a.Columns, &a.Facts
	for _, k := range []struct {
		key    string
		p      *string
		to     *string
		lmEval bool
	}{
		{"id", r.ID, &c.ID, true}, {"dataset", r.Dataset, &c.Dataset, false}, {"text", r.Text, &c.Text, false}, {"label",
			r.Label, &c.Label, false},
		{"confidence", r.Confidence, &c.Confidence, false}, {"probs", r.Probs, &c.Probs, false}, {"logprobs", r.Logprobs,
			&c.Logprobs, false},
		{"tokens", r.Tokens, &c.Tokens, false}, {"token_logprobs", r.TokenLogprobs, &c.TokenLogprobs, false}, {"logprob",
			r.Logprob, &c.Logprob, false},
		{"prompt_tokens", r.PromptTokens, &c.PromptTokens, false}, {"completion_tokens", r.CompletionTokens,
			&c.CompletionTokens, false}, {"latency", r.Latency, &c.Latency, false},
		{"finish_reason", r.Finish, &c.Finish, false},
		{"model", r.Model, &a.ModelIn, false},
		{"correct", r.Correct, &facts.Correct, true}, {"score", r.Score, &facts.Score, true},
		{"cost", r.Cost, &facts.Cost, false}, {"currency", r.Currency, &facts.Currency, false},
		{"latency_ms", r.LatencyMS, &facts.LatencyMS, false},
		{"cached_tokens", r.CachedTokens, &facts.CachedTokens, false},
		{"reasoning_tokens", r.ReasoningTokens, &facts.ReasoningTokens, false},
	} {
		if k.p == nil {
			continue
		}
		key := place.Join(d.at+".columns", k.key)
		if k.key == "label" && *k.p == "" {
			c.Label = backends.NoColumn
			continue
		}
		if _, err := dataset.ParsePath(*k.p); err != nil {
			d.file.wrong(key, err.Error(), "name a column, such as \"answer\" or \"output.text\"")
			continue
		}
		switch {
		case a.Format == backends.AnswersInspect || a.Format == backends.AnswersEvalEver ||
			a.Format == backends.AnswersRouterBench:
			d.file.wrong(key, fmt.Sprintf("a file of the format %s has no columns to name", a.Format),
				"leave it out, or set answers_format = \"table\"")
		case a.Format == backends.AnswersLMEval && !k.lmEval:
			d.file.wrong(key, "lm-eval samples have columns of their own; only id, correct and score can be named",
				"leave it out, or set answers_format = \"table\"")
		}
		*k.to = *k.p
	}
	if c.Probs != "" && c.Logprobs != "" {
		d.file.wrong(d.at+".columns.logprobs", "probabilities and their logarithms are one fact twice",
			"name probs or logprobs")
	}
}
