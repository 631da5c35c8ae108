package recorded

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"infnet/backends"
	"infnet/harness/dataset"
)

// errEnough stops reading early.
var errEnough = errors.New("enough")

// Each passes the recorded answers of a file to use, one after another and in their order, so that a file may be
// larger than memory. It passes those of the model that o.Of names alone. An error names the line, row or sample.
func Each(ctx context.Context, o Options, use func(Row) error) error {
	if o.Format == "" || o.Format == backends.AnswersAuto {
		var err error
		if o.Format, err = Detect(ctx, o); err != nil {
			return fmt.Errorf("%s: %w", o.Path, err)
		}
	}
	read := map[backends.AnswersFormat]func(context.Context, Options, func(Row) error) error{
		backends.AnswersTable: eachTable, backends.AnswersLMEval: eachLMEval, backends.AnswersInspect: eachInspect,
		backends.AnswersEvalEver: eachEvalEver, backends.AnswersRouterBench: eachRouterBench,
	}[o.Format]
	if read == nil {
		return fmt.Errorf("%s: unknown format of answers %q: want one of %v", o.Path, o.Format, backends.AnswersFormats())
	}
	others := map[string]bool{}
	any := false
	err := read(ctx, o, func(r Row) error {
		if o.Of != "" && r.Model != "" && r.Model != o.Of {
			if len(others) < 20 {
				others[r.Model] = true
			}
			return nil
		}
		any = true
		return use(r)
	})
	switch {
	case errors.Is(err, errEnough):
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", o.Path, err)
	case !any && len(others) > 0:
		return fmt.Errorf("%s: it has no answer of %q (answers_of): there are %q", o.Path, o.Of,
			slices.Sorted(maps.Keys(others)))
	case !any:
		return fmt.Errorf("%s: %w: it has no answer", o.Path, dataset.ErrEmpty)
	}
	return nil
}

// One passes the recorded answers of a file of one model to use, as Each does.
func One(ctx context.Context, o Options, use func(Row) error) error {
	model := ""
	return Each(ctx, o, func(r Row) error {
		if r.Model != "" && model != "" && r.Model != model {
			return fmt.Errorf("%s: an answer of %q after answers of %q: say whose are wanted, answers_of = %q", r.Place,
				r.Model, model, model)
		}
		if r.Model != "" {
			model = r.Model
		}
		return use(r)
	})
}
