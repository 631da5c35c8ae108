package recorded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/dataset/files"
)

// eachLMEval reads the samples the Language Model Evaluation Harness writes
// with --log_samples: one line per document and filter, with
//
//	doc_id          number of the document, from 0
//	doc             the document itself; columns.id may lead into it ("doc.id")
//	arguments       per request its prompt and, for log-likelihoods, its continuation
//	filtered_resps  per request a text, or [log-probability, greedy]
//
// in all the spellings its versions had: log-probabilities as numbers or
// texts, arguments as lists or as gen_args_0, gen_args_1, … objects.
func eachLMEval(ctx context.Context, o Options, use func(Row) error) error {
	filters := map[string]bool{}
	err := files.Each(ctx, files.Options{Path: o.Path, FS: o.FS}, func(r files.Row) error {
		if f, ok := r.Values["filter"].(string); ok {
			filters[f] = true
			if o.Filter != "" && f != o.Filter {
				return nil
			}
		}
		a, err := lmEvalRow(r, cmp.Or(o.Columns.ID, documentID(r, o.IDColumn)))
		if err == nil {
			err = lmEvalGrade(&a, r, o.Facts)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", place(r), err)
		}
		a.Place = place(r)
		return use(a)
	})
	names := slices.Sorted(maps.Keys(filters))
	switch {
	case err != nil:
		return err
	case o.Filter != "" && !filters[o.Filter]:
		return fmt.Errorf("no answer went through the filter %q: there are %q", o.Filter, names)
	case o.Filter == "" && len(names) > 1:
		return fmt.Errorf("every document was answered once per filter: choose one with answers_filter (import: --filter); "+
			"there are %q",
			names)
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
	g, err := number(v)
	if right, ok := v.(bool); ok {
		if g, err = 0, nil; right {
			g = 1
		}
	}
	if err == nil && !(g >= 0 && g <= 1) {
		err = fmt.Errorf("the grade %v is outside [0,1]: name another, columns.score (import: --column score=METRIC)", g)
	}
	if err != nil {
		return fmt.Errorf("metric %q: %w", name, err)
	}
	a.Grade = &g
	return nil
}

// asked is the prompt of a sample's first request.
func asked(v any) string {
	switch v := v.(type) {
	case []any:
		if len(v) > 0 {
			if first, ok := v[0].([]any); ok && len(first) > 0 {
				text, _ := first[0].(string)
				return text
			}
		}
	case map[string]any:
		if first, ok := v["gen_args_0"].(map[string]any); ok {
			text, _ := first["arg_0"].(string)
			return text
		}
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
	for len(list) > 0 {
		switch x := list[0].(type) {
		case string:
			if len(list) == 2 && (list[1] == "True" || list[1] == "False") {
				return "", false // a log-likelihood in texts
			}
			return x, true
		case []any:
			if len(x) == 2 && isGreedy(x[1]) {
				return "", false
			}
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
			lp, err := number(v)
			if err == nil {
				err = finiteAbove(lp)
			}
			return lp, err
		}
		if len(l) == 0 {
			return 0, errors.New("an empty list")
		}
		v = l[0]
	}
}

// continuations returns what each request asked the likelihood of.
func continuations(v any) []string {
	var requests []any
	switch v := v.(type) {
	case []any:
		requests = v
	case map[string]any:
		for i := range len(v) {
			x, ok := v["gen_args_"+strconv.Itoa(i)]
			if !ok {
				return nil
			}
			requests = append(requests, x)
		}
	}
	var out []string
	for _, x := range requests {
		var s string
		var ok bool
		switch x := x.(type) {
		case []any:
			if len(x) == 2 {
				s, ok = x[1].(string)
			}
		case map[string]any:
			s, ok = x["arg_1"].(string)
		}
		if !ok {
			return nil
		}
		out = append(out, s)
	}
	return out
}
