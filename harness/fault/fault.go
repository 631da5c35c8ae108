// Package fault says what failed, as a type that a program can branch on: the
// spec, the data, a model, the store and so on. It owns the list of these
// kinds and nothing else: no wording, no exit codes.
//
// Its opinion: whoever is closest to a failure knows best what failed. So the
// innermost kind wins, and an interruption is no failure of anything.
package fault

import (
	"context"
	"errors"
)

// Kind is what failed.
type Kind string

// The kinds. Rooms that have error types of their own, such as spec.Problems,
// store.CorruptError or collect.BudgetError, need none of these.
const (
	Usage      Kind = "usage"      // what was asked for makes no sense, whatever the files say
	Spec       Kind = "spec"       // the study's TOML file
	Data       Kind = "data"       // a dataset, recorded answers, or another file that is read
	Model      Kind = "model"      // a model, an embedder or a scorer: opened or asked
	Store      Kind = "store"      // the answers on disk, or the folder of results
	Incomplete Kind = "incomplete" // more answers are missing than the study allows
	Budget     Kind = "budget"     // the work takes more than it may
	Differs    Kind = "differs"    // a run is not what its answers give
)

// Error is a failure whose kind is known.
type Error struct {
	Kind Kind
	Err  error
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the failure without its kind.
func (e *Error) Unwrap() error { return e.Err }

// Wrap says that err is of kind k. A nil error stays nil, and an error that has
// a kind keeps it, as does an interruption.
func (k Kind) Wrap(err error) error {
	var known *Error
	if err == nil || errors.As(err, &known) || errors.Is(err, context.Canceled) {
		return err
	}
	return &Error{k, err}
}
