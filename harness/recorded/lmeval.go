package recorded

import (
	"cmp"
	"errors"
	"fmt"
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
		l.filters[f] = true
	}
	id := l.Columns.ID
	if doc, ok := r.Values["doc"].(map[string]any); ok && id == "" && l.IDColumn != "" &&
		(files.Row{Values: doc}).Has(l.IDColumn) {
		id = "doc." + l.IDColumn
	}
	a, err := lmEvalRow(r, id)
	if err == nil {
		err = lmEvalGrade(&a, r, l.Facts)
	}
	return a, err
}

// lmEvalGrade reads the grade, what was asked and the right answer. The grade is a metric of the sample: the named
// one, else the first that the sample lists, else one of the usual two.
func lmEvalGrade(a *Row, r files.Row, f Facts) error {
	if all := requests(r.Values["arguments"]); len(all) > 0 {
		a.Question, _ = all[0][0].(string)
	}
	if target, ok := r.Values["target"].(string); ok {
		// Of a choice it is what was offered, or its number from 0.
		named := slices.ContainsFunc(a.Scores, func(s Score) bool { return s.Label == target })
		if k, err := strconv.Atoi(target); err == nil && k >= 0 && k < len(a.Scores) && !named {
			target = cmp.Or(a.Scores[k].Label, target)
		}
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
		return fmt.Errorf("metric %q: %w: name another, columns.score (init: --column score=METRIC)", name, err)
	}
	a.Grade = &g
	return nil
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
		a.ID, a.Number = text, 0
	} else {
		a.ID = strconv.Itoa(int(n))
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
	asked := requests(r.Values["arguments"])
	named := len(asked) == len(list) &&
		!slices.ContainsFunc(asked, func(r [2]any) bool { _, ok := r[1].(string); return !ok })
	for i, x := range list {
		lp, err := likelihood(x)
		if err != nil {
			return a, fmt.Errorf("filtered_resps, choice %d: %w", i+1, err)
		}
		score := Score{Logprob: lp}
		if named {
			score.Label = strings.TrimSpace(asked[i][1].(string))
		}
		a.Scores = append(a.Scores, score)
	}
	return a, nil
}

// single returns the text of a generation: the first of its responses.
func single(list []any) (string, bool) {
	for len(list) > 0 {
		if len(list) == 2 && slices.Contains([]any{true, false, "True", "False"}, list[1]) {
			break // [log-probability, greedy]
		}
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
