package spec

import (
	"fmt"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/dataset"
	"infnet/harness/spec/place"
)

// replay checks a model whose answers are recorded in a file.
func (l *loader) replay(d *definition, r *rawModel, m *Model) {
	if r.Answers == nil {
		l.missing(d.file, d.at, "answers", "answers = \"file.jsonl\": the file of recorded answers")
		return
	}
	m.Answers = &Answers{Text: *r.Answers, Format: or(r.AnswersFormat, backends.AnswersAuto), Filter: or(r.AnswersFilter, "")}
	format := m.Answers.Format
	if r.AnswersFilter != nil && (*r.AnswersFilter == "" || format != backends.AnswersAuto && format != backends.AnswersLMEval) {
		l.bad(d.file, d.at+".answers_filter", "only lm-eval has filters, and they have names", "leave it out")
	}
	if text := or(r.AnswersDelim, ","); text != "," { // the default written out is the default
		sep, ok := separator(text)
		switch name := strings.TrimSuffix(strings.ToLower(*r.Answers), ".gz"); {
		case !strings.HasSuffix(name, ".csv"):
			l.bad(d.file, d.at+".answers_delimiter", fmt.Sprintf("%s has no delimiter to choose", *r.Answers), "leave it out; it is for files named .csv")
		case !ok:
			l.bad(d.file, d.at+".answers_delimiter", fmt.Sprintf("%q cannot part cells", text), `want one character, such as ";" or "|", or "tab"`)
		default:
			m.Answers.Delimiter = sep
		}
	}
	l.answerColumns(d, r.Columns, m.Answers)
	where, ok := l.path(d.file, d.at+".answers", *r.Answers)
	if !ok {
		return
	}
	m.Answers.File = where
	if info, err := l.fsys.stat(where); err != nil {
		l.bad(d.file, d.at+".answers", fmt.Sprintf("cannot find the answers %s: %s", where, reason(err)), "paths are relative to the file they stand in")
	} else if info.IsDir() {
		l.bad(d.file, d.at+".answers", fmt.Sprintf("%s is a folder", where), "name the file of the answers")
	}
}

// answerColumns takes over the columns of a table.
func (l *loader) answerColumns(d *definition, r *rawColumns, a *Answers) {
	if r == nil {
		return
	}
	c := &a.Columns
	for _, k := range []struct {
		key    string
		p      *string
		to     *string
		lmEval bool
	}{
		{"id", r.ID, &c.ID, true}, {"dataset", r.Dataset, &c.Dataset, false}, {"text", r.Text, &c.Text, false}, {"label", r.Label, &c.Label, false},
		{"confidence", r.Confidence, &c.Confidence, false}, {"probs", r.Probs, &c.Probs, false}, {"logprobs", r.Logprobs, &c.Logprobs, false},
		{"tokens", r.Tokens, &c.Tokens, false}, {"token_logprobs", r.TokenLogprobs, &c.TokenLogprobs, false}, {"logprob", r.Logprob, &c.Logprob, false},
		{"prompt_tokens", r.PromptTokens, &c.PromptTokens, false}, {"completion_tokens", r.CompletionTokens, &c.CompletionTokens, false}, {"latency", r.Latency, &c.Latency, false}, {"finish_reason", r.Finish, &c.Finish, false},
	} {
		if k.p == nil {
			continue
		}
		key := place.Join(d.at+".columns", k.key)
		if _, err := dataset.ParsePath(*k.p); err != nil {
			l.bad(d.file, key, err.Error(), "name a column, such as \"answer\" or \"output.text\"")
			continue
		}
		switch {
		case a.Format == backends.AnswersInspect:
			l.bad(d.file, key, "an Inspect log has no columns to name", "leave it out, or set answers_format = \"table\"")
		case a.Format == backends.AnswersLMEval && !k.lmEval:
			l.bad(d.file, key, "lm-eval samples have columns of their own; only id can be named", "leave it out, or set answers_format = \"table\"")
		}
		*k.to = *k.p
	}
	if c.Probs != "" && c.Logprobs != "" {
		l.bad(d.file, d.at+".columns.logprobs", "probabilities and their logarithms are one fact twice", "name probs or logprobs")
	}
}

// replays refuses a file without a column of datasets for several datasets:
// their ids may be the same, of other examples.
func (l *loader) replays(s *Study, models []*definition) {
	for _, d := range models {
		i := slices.IndexFunc(s.Models, func(m Model) bool { return m.Name == d.name })
		if !d.used || i < 0 || s.Models[i].Answers == nil || s.Models[i].Answers.Columns.Dataset != "" {
			continue
		}
		var on []string
		for _, c := range s.Cascades {
			for _, name := range c.Datasets {
				if slices.Contains(c.Models, d.name) && !slices.Contains(on, name) {
					on = append(on, name)
				}
			}
		}
		if len(on) > 1 {
			l.bad(d.file, d.at+".answers", fmt.Sprintf("one file of answers for the datasets %s, and nothing says which answers are whose", strings.Join(on, ", ")),
				"columns = { dataset = \"COLUMN\" } with the datasets' names in this study, or a model per dataset")
		}
	}
}
