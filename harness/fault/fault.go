// Package fault classifies failures by what failed (the spec, the data, a model, the store, ...),
// so that a program can branch on it. It owns the list of kinds. It refuses to word messages or to
// choose exit codes.
//
// Its opinion: the code closest to a failure knows best what failed. So the innermost kind wins,
// and an interruption is not a failure.
package fault

import (
	"context"
	"errors"
)

// Kind is what failed.
type Kind string

// The kinds. Packages with error types of their own, such as place.Problems, store.CorruptError or
// collect.SpendingError, need none of these.
const (
	Usage      Kind = "usage"      // the command makes no sense, whatever the files say
	Spec       Kind = "spec"       // the study's TOML file
	Data       Kind = "data"       // a dataset, recorded answers, or another file that is read
	Model      Kind = "model"      // a model, an embedder or a scorer: opened or asked
	Store      Kind = "store"      // the answers on disk, or the folder of results
	Incomplete Kind = "incomplete" // more answers are missing than the study allows
	Budget     Kind = "budget"     // the work exceeds a spending limit
	Differs    Kind = "differs"    // a run's files differ from those that its answers give
	Worse      Kind = "worse"      // a run is worse than the one it is compared with
	Unrelated  Kind = "unrelated"  // two runs cannot be compared
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

// Of reports whether err is a failure of kind k.
func (k Kind) Of(err error) bool {
	var known *Error
	return errors.As(err, &known) && known.Kind == k
}
