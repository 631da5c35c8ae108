package recorded

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"infnet/backends"
	"infnet/harness/calc"
	"infnet/harness/dataset"
	"infnet/harness/dataset/files"
)

// table reads rows whose columns have roles.
type table struct {
	columns map[dataset.Role]*string // by role; "" = of the default name, which is the role's
	Facts
}

func newTable(c dataset.AnswerColumns, f Facts) *table {
	t := &table{Facts: f}
	t.columns = c.ByRole(&t.AnswerFacts)
	return t
}

// reader takes the cells of one row; the first error stays.
type reader struct {
	*table
	row files.Row
	err error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// unasked are roles that are looked for by their default names only where facts are wanted; of a dataset, never.
var unasked = strings.Fields("dataset correct score cost currency latency_ms cached_tokens reasoning_tokens")

// column is the column of a role: the named one, which must be there, or that of the default name, which need not;
// "" = there is none.
func (r *reader) column(role dataset.Role) string {
	name := *r.columns[role]
	asked := !slices.Contains(unasked, string(role)) || r.Wanted && role != "dataset"
	if name == "" && asked && r.row.Has(string(role)) {
		return string(role)
	}
	return name
}

// with hands a cell that is recorded to use: a null and an empty cell are not.
func (r *reader) with(role dataset.Role, use func(v any) error) { r.at(r.column(role), use) }

func (r *reader) at(column string, use func(v any) error) {
	if column == "" {
		return
	}
	v, err := r.row.Value(column)
	if err != nil {
		r.fail(err)
	} else if v != nil && v != "" {
		if err := use(v); err != nil {
			r.fail(fmt.Errorf("column %q: %w", column, err))
		}
	}
}

// to is the use of a cell that is read into a variable.
func to[T any](into *T, read func(v any) (T, error)) func(v any) error {
	return func(v any) (err error) {
		*into, err = read(v)
		return err
	}
}

// text returns a cell as text; an empty one is an empty text.
func (r *reader) text(role dataset.Role) (text string, ok bool) {
	column := r.column(role)
	if column == "" {
		return "", false
	}
	v, err := r.row.Value(column)
	if err == nil && v == nil {
		return "", false
	}
	if err == nil {
		text, err = r.row.Text(column)
	}
	if err != nil {
		r.fail(err)
	}
	return text, err == nil
}

func (t *table) read(row files.Row) (Row, error) {
	r := &reader{table: t, row: row}
	var a Row
	id, ok := r.text("id")
	if !ok || id == "" {
		if r.err != nil {
			return a, r.err
		}
		return a, fmt.Errorf("no id: name the column that holds the example's id (columns.id); there are %q",
			slices.Sorted(maps.Keys(row.Values)))
	}
	a.ID = id
	a.Dataset, _ = r.text("dataset")
	a.Text, a.Said = r.text("text")
	if *t.columns["label"] != backends.NoColumn {
		a.Label, a.Labelled = r.text("label")
		a.Labelled = a.Labelled && a.Label != ""
	}
	r.with("confidence", to(&a.Confidence, func(v any) (*float64, error) {
		f, err := number(v)
		if err == nil && !(f >= 0 && f <= 1) {
			err = fmt.Errorf("%v is no confidence in [0,1]", f)
		}
		return &f, err
	}))
	r.with("probs", to(&a.Scores, probabilities))
	r.with("logprobs", func(v any) (err error) {
		if a.Scores != nil {
			return errors.New("there are probabilities too: name one of them in columns")
		}
		a.Scores, err = scores(v, logprob)
		return err
	})
	r.with("finish_reason", func(v any) error {
		word, ok := v.(string)
		if !ok {
			return fmt.Errorf("%s is no text", show(v))
		}
		a.Finish = backends.FinishOf(word, false)
		return nil
	})
	r.with("prompt_tokens", to(&a.Usage.Prompt, count))
	r.with("completion_tokens", to(&a.Usage.Completion, count))
	r.with("latency", to(&a.Latency, lasting(time.Second)))
	r.facts(&a)
	r.tokens(&a)
	if r.err == nil && a.Grade == nil && !a.Said && !a.Labelled && a.Scores == nil {
		return a, fmt.Errorf("no answer: neither a text nor a label nor probabilities of labels: name their columns "+
			"(columns.text, columns.label, columns.probs); there are %q", slices.Sorted(maps.Keys(row.Values)))
	}
	return a, r.err
}

// mostTokens bounds the tokens an answer may claim.
const mostTokens = 1 << 20

// tokens reads the log-probabilities of the generated tokens: one by one, or
// those of the whole answer.
func (r *reader) tokens(a *Row) {
	apart := false
	r.with("token_logprobs", func(v any) error {
		apart = true
		lps, err := list(v)
		if err != nil {
			return err
		}
		for i, v := range lps {
			lp, err := known(v)
			if err != nil {
				return fmt.Errorf("element %d %w", i+1, err)
			}
			a.Tokens = append(a.Tokens, backends.Token{Logprob: lp})
		}
		if n, _ := a.Usage.Completion.Known(); n == 0 && len(lps) > 0 {
			a.Usage.Completion = backends.Counted(len(lps))
		}
		return nil
	})
	if !apart {
		r.whole(a)
		return
	}
	r.with("tokens", func(v any) error {
		texts, err := list(v)
		if err == nil && len(texts) != len(a.Tokens) {
			err = fmt.Errorf("%d tokens with %d log-probabilities", len(texts), len(a.Tokens))
		}
		for i := 0; err == nil && i < len(texts); i++ {
			var ok bool
			if a.Tokens[i].Text, ok = texts[i].(string); !ok {
				err = fmt.Errorf("element %d is no text", i+1)
			}
		}
		return err
	})
}

// most is the largest log-probability that is one, rounded.
const most = 1e-3

// whole reads the log-probability of a whole answer, null for minus infinity. It is shared out evenly over the tokens;
// without their number it stands for itself.
func (r *reader) whole(a *Row) {
	column := r.column("logprob")
	if column == "" {
		return
	}
	v, err := r.row.Value(column)
	sum, known := math.Inf(-1), err == nil && v == nil // JSON writes minus infinity as null
	r.at(column, func(v any) (err error) {
		known = true
		if sum, err = number(v); err == nil && sum > most {
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
	case n == 0 || n > mostTokens:
		r.fail(fmt.Errorf("column %q: %d generated tokens cannot have a log-probability", column, n))
	default:
		a.Shared, a.Tokens = true, slices.Repeat([]backends.Token{{Logprob: sum / float64(n)}}, n)
	}
}

func probabilities(v any) ([]Score, error) {
	sum := 0.0
	out, err := scores(v, func(v any) (float64, error) {
		p, err := number(v)
		if err == nil && !(p >= 0 && p <= 1) {
			err = fmt.Errorf("%v is no probability", p)
		}
		if err != nil {
			return 0, err
		}
		sum += p
		return calc.Log(p), nil
	})
	if err == nil && (sum <= 0 || sum > 1.01) {
		err = fmt.Errorf("the probabilities of the labels add up to %v", sum)
	}
	return out, err
}

// scores reads one number per label, by label or in their order.
func scores(v any, logprob func(any) (float64, error)) ([]Score, error) {
	if s, ok := v.(string); ok {
		v = fromJSON(s)
	}
	var out []Score
	add := func(label string, x any) error {
		f, err := logprob(x)
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
