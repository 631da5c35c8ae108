package analyze

import (
	"context"
	"fmt"

	"infnet/backends"
	"infnet/harness/spec"
	"infnet/harness/store"
)

// column is what one model said to one dataset, in the dataset's order.
type column struct {
	keys    []backends.Key
	answers []*backends.Answer // nil = no answer
	causes  []string           // why there is none
	old     []bool             // the answer was stored before keys held the served name
}

// Causes of answers that are missing without a recorded failure.
const (
	NotCollected = "not-collected" // nobody asked for it yet
	Torn         = "torn-line"     // it was in a line of the store that is torn
)

type columnID struct{ model, dataset string }

// table is every column of a study: read once, shared by its cascades.
type table map[columnID]*column

// columns reads the answers of every model to every dataset it meets in a
// cascade.
func columns(ctx context.Context, in Input) (table, error) {
	t := table{}
	for _, c := range in.Study.Cascades {
		for _, d := range c.Datasets {
			for _, m := range c.Models {
				id := columnID{m, d}
				if t[id] != nil {
					continue
				}
				col, err := read(ctx, in, m, d)
				if err != nil {
					return nil, fmt.Errorf("answers of %s to %s: %w", m, d, err)
				}
				t[id] = col
			}
		}
	}
	return t, nil
}

func read(ctx context.Context, in Input, model, dataset string) (*column, error) {
	m, _ := in.Study.Model(model)
	sheet := in.Sheets[dataset]
	id := in.Models[model].ID
	answers, err := in.Store.Answers(store.ID{Model: id, Dataset: in.Sources[dataset], Name: dataset})
	if err != nil {
		return nil, err
	}
	defer answers.Close()
	n := sheet.Len()
	col := &column{keys: make([]backends.Key, n), answers: make([]*backends.Answer, n), causes: make([]string, n), old: make([]bool, n)}
	for i := range n {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		request := sheet.Request(i, id, m)
		col.keys[i], col.old[i], _ = answers.Find(request)
		r, ok, err := answers.Get(col.keys[i])
		if err != nil {
			return nil, err
		}
		if ok {
			col.answers[i] = &r.Answer
			if r.Answer.Truncated > 0 && sheet.Dataset.Truncate == spec.TruncateRefuse {
				col.answers[i], col.causes[i] = nil, string(backends.TooLong)
			}
			continue
		}
		col.causes[i] = NotCollected
		if f, ok, err := answers.FailureOf(request); err != nil {
			return nil, err
		} else if ok {
			col.causes[i] = string(f.Failure.Cause)
		}
		if answers.Lost(col.keys[i]) {
			col.causes[i] = Torn
		}
	}
	return col, nil
}

// hash returns the digest of the keys of all answers there are.
func (t table) hash() string {
	var keys []backends.Key
	for _, c := range t {
		for i, a := range c.answers {
			if a != nil {
				keys = append(keys, c.keys[i])
			}
		}
	}
	return digest(keys)
}
