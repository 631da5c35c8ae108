package recorded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"infnet/backends"
	"infnet/harness/calc"
	"infnet/harness/dataset"
	"infnet/harness/dataset/files"
)

// eachTable reads one answer per row.
func eachTable(ctx context.Context, o Options, use func(Row) error) error {
	in := files.Options{Path: o.Path, FS: o.FS, Separator: o.Separator}
	if err := files.CheckSeparator(in); err != nil {
		return err
	}
	if o.Of != "" && o.ModelIn == "" {
		o.ModelIn = "model"
	}
	return files.Each(ctx, in, func(r files.Row) error {
		if o.Of != "" {
			model, err := r.Text(o.ModelIn)
			if err != nil {
				return fmt.Errorf("%s: %w", place(r), err)
			}
			if model != o.Of {
				return use(Row{Model: model}) // another model's, of which nothing else is read
			}
		}
		a, err := tableRow(r, o.Columns, o.Facts)
		if err != nil {
			return fmt.Errorf("%s: %w", place(r), err)
		}
		a.Place, a.Model = place(r), o.Of
		return use(a)
	})
}

// EachView passes the rows of a table to use as each of the views reads it: view k has columns of its own, as the
// models of a wide table do. The table is read once.
func EachView(ctx context.Context, o Options, views []Options, use func(k int, a Row, raw files.Row) error) error {
	return files.Each(ctx, files.Options{Path: o.Path, FS: o.FS, Separator: o.Separator}, func(r files.Row) error {
		for k, v := range views {
			a, err := tableRow(r, v.Columns, v.Facts)
			if err == nil && v.ModelIn != "" {
				a.Model, err = r.Text(v.ModelIn)
			}
			if err != nil {
				return fmt.Errorf("%s: %s: %w", o.Path, place(r), err)
			}
			a.Place = place(r)
			if err := use(k, a, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// place says where a row was found.
func place(r files.Row) string {
	if r.Line > 0 {
		return fmt.Sprintf("line %d", r.Line)
	}
	return fmt.Sprintf("row %d", r.Number)
}

// reader takes the cells of one row; the first error stays.
type reader struct {
	row files.Row
	err error
}

// value returns a cell: that of the named column, which must be there, or of
// the default one, which need not. A null and an empty cell are not recorded.
func (r *reader) value(named, usual string) (any, bool) {
	column := named
	if column == "" {
		if column = usual; usual == "" || !r.row.Has(usual) {
			return nil, false
		}
	}
	v, err := r.row.Value(column)
	if err != nil && r.err == nil {
		r.err = err
	}
	return v, err == nil && v != nil
}

// with hands a cell that is recorded to use.
func (r *reader) with(named, usual string, use func(any) error) {
	v, ok := r.value(named, usual)
	if !ok || v == "" {
		return
	}
	if err := use(v); err != nil && r.err == nil {
		r.err = fmt.Errorf("column %q: %w", cmp.Or(named, usual), err)
	}
}

// text returns a cell as text; an empty one is an empty text.
func (r *reader) text(named, usual string) (string, bool) {
	if _, ok := r.value(named, usual); !ok {
		return "", false
	}
	s, err := r.row.Text(cmp.Or(named, usual))
	if err != nil && r.err == nil {
		r.err = err
	}
	return s, err == nil
}

// tableRow reads one row.
func tableRow(row files.Row, c dataset.AnswerColumns, f Facts) (Row, error) {
	r := &reader{row: row}
	var a Row
	id, ok := r.text(c.ID, "id")
	if !ok || id == "" {
		if r.err != nil {
			return a, r.err
		}
		return a, fmt.Errorf("no id: name the column that holds the example's id (columns.id); there are %q",
			slices.Sorted(maps.Keys(row.Values)))
	}
	a.IDs = []string{id}
	a.Dataset, _ = r.text(c.Dataset, "")
	a.Text, a.Said = r.text(c.Text, "text")
	if c.Label != backends.NoColumn {
		a.Label, a.Labelled = r.text(c.Label, "label")
		a.Labelled = a.Labelled && a.Label != ""
	}
	r.with(c.Confidence, "confidence", func(v any) error {
		f, err := number(v)
		if err == nil && !(f >= 0 && f <= 1) {
			err = fmt.Errorf("%v is no confidence in [0,1]", f)
		}
		a.Confidence = &f
		return err
	})
	r.with(c.Probs, "probs", func(v any) (err error) { a.Scores, err = probabilities(v); return err })
	r.with(c.Logprobs, "logprobs", func(v any) (err error) {
		if a.Scores != nil {
			return errors.New("there are probabilities too: name one of them in columns")
		}
		a.Scores, err = scores(v, func(f float64) (float64, error) { return f, finiteAbove(f) })
		return err
	})
	r.with(c.Finish, "finish_reason", func(v any) error {
		word, ok := v.(string)
		if !ok {
			return fmt.Errorf("%s is no text", show(v))
		}
		a.Finish = backends.FinishOf(word, false)
		return nil
	})
	r.counts(&a, c)
	r.facts(&a, c, f)
	r.tokens(&a, c, f)
	if r.err == nil && a.Grade == nil && !a.Said && !a.Labelled && a.Scores == nil {
		return a, fmt.Errorf("no answer: neither a text nor a label nor probabilities of labels: name their columns "+
			"(columns.text, columns.label, columns.probs); there are %q", slices.Sorted(maps.Keys(row.Values)))
	}
	return a, r.err
}

func (r *reader) counts(a *Row, c dataset.AnswerColumns) {
	r.with(c.PromptTokens, "prompt_tokens", func(v any) (err error) { a.Usage.Prompt, err = count(v); return err })
	r.with(c.CompletionTokens, "completion_tokens",
		func(v any) (err error) { a.Usage.Completion, err = count(v); return err })
	r.with(c.Latency, "latency", func(v any) error {
		f, err := number(v)
		if err == nil {
			a.Latency, err = lasting(f, time.Second)
		}
		return err
	})
}

// mostTokens bounds the tokens an answer may claim.
const mostTokens = 1 << 20

// tokens reads the log-probabilities of the generated tokens: one by one, or
// those of the whole answer.
func (r *reader) tokens(a *Row, c dataset.AnswerColumns, f Facts) {
	r.with(c.TokenLogprobs, "token_logprobs", func(v any) error {
		lps, err := numbers(v)
		for _, lp := range lps {
			if err == nil && lp > 1e-3 {
				err = fmt.Errorf("log-probability %v is above 0", lp)
			} else if err == nil && lp <= unknown {
				err = fmt.Errorf("log-probability %v stands for one that is not known", lp)
			}
			a.Tokens = append(a.Tokens, backends.Token{Logprob: lp})
		}
		if n, _ := a.Usage.Completion.Known(); n == 0 && len(lps) > 0 {
			a.Usage.Completion = backends.Counted(len(lps))
		}
		return err
	})
	if _, ok := r.value(c.TokenLogprobs, "token_logprobs"); ok {
		r.with(c.Tokens, "tokens", func(v any) error {
			texts, err := list(v)
			if err == nil && len(texts) != len(a.Tokens) {
				err = fmt.Errorf("%d tokens with %d log-probabilities", len(texts), len(a.Tokens))
			}
			for i := 0; err == nil && i < len(texts); i++ {
				s, ok := texts[i].(string)
				if !ok {
					return fmt.Errorf("element %d is no text", i+1)
				}
				a.Tokens[i].Text = s
			}
			return err
		})
		return
	}
	r.whole(a, c, f)
}

// whole reads the log-probability of a whole answer. It is shared out evenly over the tokens; without their
// number it stands for itself.
func (r *reader) whole(a *Row, c dataset.AnswerColumns, f Facts) {
	sum, known := 0.0, false
	if f.NullIsLow {
		v, ok := r.value(c.Logprob, "logprob")
		if there := c.Logprob != "" || r.row.Has("logprob"); there && (!ok && r.err == nil || v == "") {
			sum, known = math.Inf(-1), true
		}
	}
	r.with(c.Logprob, "logprob", func(v any) (err error) {
		sum, err = number(v)
		known = true
		if err == nil && sum > 1e-3 {
			err = fmt.Errorf("log-probability %v is above 0", sum)
		}
		return err
	})
	if r.err != nil || !known {
		return
	}
	n, counted := a.Usage.Completion.Known()
	switch {
	case !counted:
		a.Tokens, a.Whole = []backends.Token{{Logprob: sum}}, true
		return
	case n == 0 || n > mostTokens:
		r.err = fmt.Errorf("column %q: %d generated tokens cannot have a log-probability", cmp.Or(c.Logprob, "logprob"), n)
		return
	}
	a.Shared = true
	for range n {
		a.Tokens = append(a.Tokens, backends.Token{Logprob: sum / float64(n)})
	}
}

// probabilities reads a probability per label.
func probabilities(v any) ([]Score, error) {
	sum := 0.0
	out, err := scores(v, func(p float64) (float64, error) {
		if !(p >= 0 && p <= 1) {
			return 0, fmt.Errorf("%v is no probability", p)
		}
		sum += p
		return calc.Log(p), nil
	})
	if err == nil && (sum <= 0 || sum > 1.01) {
		err = fmt.Errorf("the probabilities of the labels add up to %v", sum)
	}
	return out, err
}

func finiteAbove(f float64) error {
	if math.IsInf(f, 1) {
		return fmt.Errorf("%v is no log-probability", f)
	}
	return nil
}

// scores reads one number per label, by label or in their order.
func scores(v any, logprob func(float64) (float64, error)) ([]Score, error) {
	if s, ok := v.(string); ok {
		v = fromJSON(s)
	}
	var out []Score
	add := func(label string, x any) error {
		f, err := number(x)
		if err == nil {
			f, err = logprob(f)
		}
		out = append(out, Score{label, f})
		return err
	}
	switch v := v.(type) {
	case map[string]any:
		for _, label := range slices.Sorted(maps.Keys(v)) {
			if err := add(label, v[label]); err != nil {
				return nil, fmt.Errorf("label %q: %w", label, err)
			}
		}
	case []any:
		for i, x := range v {
			if err := add("", x); err != nil {
				return nil, fmt.Errorf("element %d: %w", i+1, err)
			}
		}
	default:
		return nil, fmt.Errorf("%s is neither an object by label nor a list", show(v))
	}
	if len(out) == 0 {
		return nil, errors.New("it is empty")
	}
	return out, nil
}
