package recorded

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/dataset/files"
)

// lmEval reads a sample that the Language Model Evaluation Harness writes
// with --log_samples: one line per document and filter, with
//
//	doc_id          number of the document, from 0
//	doc             the document itself; columns.id may lead into it ("doc.id")
//	arguments       per request its prompt and, for log-likelihoods, its continuation
//	filtered_resps  per request a text, or [log-probability, greedy]
//
// in all the spellings its versions had: log-probabilities as numbers or
// texts, arguments as lists or as gen_args_0, gen_args_1, … objects.
func (l *log) lmEval(r files.Row) (Row, error) {
	if f, ok := r.Values["filter"].(string); ok {
		if l.filters[f] = true; l.Filter != "" && f != l.Filter {
			return Row{}, errOther
		}
	}
	a, err := lmEvalRow(r, cmp.Or(l.Columns.ID, documentID(r, l.IDColumn)))
	if err == nil {
		err = lmEvalGrade(&a, r, l.Facts)
	}
	return a, err
}

// filtered returns an error where answers went through several filters, or through none of the name.
func (l *log) filtered() error {
	names := slices.Sorted(maps.Keys(l.filters))
	switch {
	case l.Filter != "" && !l.filters[l.Filter]:
		return fmt.Errorf("no answer went through the filter %q: there are %q", l.Filter, names)
	case l.Filter == "" && len(names) > 1:
		return fmt.Errorf("every document was answered once per filter: choose one with answers_filter (import: --filter); "+
			"there are %q", names)
	}
	return nil
}

// lmEvalGrade reads the grade, what was asked and the right answer. The grade is a metric of the sample: the named
// one, else the first that the sample lists, else one of the usual two.
func lmEvalGrade(a *Row, r files.Row, f Facts) error {
	a.Question = asked(r.Values["arguments"])
	if target, ok := r.Values["target"].(string); ok {
		a.References = []string{target}
	}
	if !f.Wanted {
		return nil
	}
	name := cmp.Or(f.Correct, f.Score)
	if listed, ok := r.Values["metrics"].([]any); ok && name == "" && len(listed) > 0 {
		name, _ = listed[0].(string)
	}
	for _, usual := range []string{"exact_match", "acc"} {
		if name == "" && r.Has(usual) {
			name = usual
		}
	}
	if name == "" {
		return nil
	}
	v, err := r.Value(name)
	if err != nil || v == nil {
		return err
	}
	g, err := share(v)
	if err != nil {
		return fmt.Errorf("metric %q: %w: name another, columns.score (import: --column score=METRIC)", name, err)
	}
	a.Grade = &g
	return nil
}

// asked is the prompt of a sample's first request.
func asked(v any) string {
	if all := requests(v); len(all) > 0 {
		prompt, _ := all[0][0].(string)
		return prompt
	}
	return ""
}

// documentID is where in a sample its document's id is, or "".
func documentID(r files.Row, column string) string {
	if doc, ok := r.Values["doc"].(map[string]any); ok && column != "" && (files.Row{Values: doc}).Has(column) {
		return "doc." + column
	}
	return ""
}

func lmEvalRow(r files.Row, id string) (Row, error) {
	var a Row
	n, err := number(r.Values["doc_id"])
	if err != nil || n < 0 || n != float64(int(n)) {
		return a, fmt.Errorf("doc_id: %s is no number of a document", show(r.Values["doc_id"]))
	}
	a.Number = int(n) + 1
	if id != "" {
		text, err := r.Text(id)
		if err != nil {
			return a, err
		}
		a.IDs, a.Number = []string{text}, 0
	} else {
		a.IDs = []string{strconv.Itoa(int(n))}
	}
	resps, filtered := r.Values["filtered_resps"]
	if !filtered {
		resps = r.Values["resps"]
	}
	list, ok := resps.([]any)
	if !ok || len(list) == 0 {
		return a, fmt.Errorf("filtered_resps: %s is no list of responses", show(resps))
	}
	if text, ok := single(list); ok {
		a.Text, a.Said = text, true
		return a, nil
	}
	if len(list) < 2 {
		return a, fmt.Errorf("filtered_resps: one log-likelihood, %s: a choice is among two or more, and a generation "+
			"has a text", show(list))
	}
	words := continuations(r.Values["arguments"])
	if len(words) != len(list) {
		words = make([]string, len(list))
	}
	for i, x := range list {
		lp, err := likelihood(x)
		if err != nil {
			return a, fmt.Errorf("filtered_resps, choice %d: %w", i+1, err)
		}
		a.Scores = append(a.Scores, Score{strings.TrimSpace(words[i]), lp})
	}
	return a, nil
}

// single returns the text of a generation: the first of its responses.
func single(list []any) (string, bool) {
	for len(list) > 0 && !(len(list) == 2 && isGreedy(list[1])) { // [log-probability, greedy]
		switch x := list[0].(type) {
		case string:
			return x, true
		case []any:
			list = x
		default:
			return "", false
		}
	}
	return "", false
}

func isGreedy(v any) bool {
	_, truth := v.(bool)
	return truth || v == "True" || v == "False"
}

// likelihood reads [log-probability, greedy], perhaps inside another list.
func likelihood(v any) (float64, error) {
	for {
		l, ok := v.([]any)
		if !ok {
			return logprob(v)
		}
		if len(l) == 0 {
			return 0, errors.New("an empty list")
		}
		v = l[0]
	}
}

// requests are the prompt of each request, and what it asked the likelihood of; nil of what is none.
func requests(v any) (out [][2]any) {
	list, _ := v.([]any)
	named, _ := v.(map[string]any)
	for i := range len(named) {
		list = append(list, named["gen_args_"+strconv.Itoa(i)])
	}
	for _, x := range list {
		switch x := x.(type) {
		case []any:
			out = append(out, [2]any{})
			copy(out[len(out)-1][:], x)
		case map[string]any:
			out = append(out, [2]any{x["arg_0"], x["arg_1"]})
		default:
			out = append(out, [2]any{})
		}
	}
	return out
}

// continuations returns what each request asked the likelihood of; nil where one does not say.
func continuations(v any) (out []string) {
	for _, r := range requests(v) {
		s, ok := r[1].(string)
		if !ok {
			return nil
		}
		out = append(out, s)
	}
	return out
}
