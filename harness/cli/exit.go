package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/dataset"
	"infnet/harness/dataset/hub"
	"infnet/harness/fault"
	"infnet/harness/records"
	"infnet/harness/spec/place"
	"infnet/harness/store"
)

// Exit codes. They are part of the interface: scripts branch on them, so a
// number never changes its meaning.
const (
	ExitOK      = 0 // everything asked for was done
	ExitFailure = 1 // something failed that has no code of its own
	ExitUsage   = 2 // the command line is wrong
	ExitSpec    = 3 // the spec is wrong
	ExitData    = 4 // a dataset is missing, empty or malformed
	ExitModel   = 5 // a model cannot be opened or called
	// more answers are missing than the study allows, after a run or a collect; tables, where any can be made,
	// are written and marked
	ExitIncomplete = 6
	ExitOffline    = 7 // offline, and answers are missing from the store, or rows or weights from the hub's cache
	// the answer store, the output folder or the hub's cache cannot be used: in use, full, read-only, corrupt
	ExitStore       = 8
	ExitDiffers     = 9   // verify: files differ from what the run gives
	ExitBudget      = 10  // the budget is used up; everything received is on disk, and running again goes on
	ExitWorse       = 11  // compare: a quantity is worse than in the run it is compared with
	ExitUnrelated   = 12  // compare: the two cannot be compared: unrelated studies, or a file of another version
	ExitInterrupted = 130 // stopped by Ctrl-C or SIGTERM; running again goes on
)

// exitHelp documents the codes in help texts.
const exitHelp = `Exit codes:
    0  done
    1  failed
    2  wrong command line
    3  wrong spec
    4  bad data
    5  a model cannot be used, or its server cannot be started
    6  incomplete: too many answers are missing (what tables can be made are
       written and marked)
    7  offline, and answers, rows or weights are not on disk
    8  store, output folder or cache unusable
    9  verify: files differ from what the run gives
   10  budget used up (run again to go on)
   11  compare: a quantity is worse
   12  compare: the two cannot be compared
  130  interrupted (run again to go on; calls under way are waited for, a
       second Ctrl-C leaves at once)`

// codes are the exit codes of failures whose kind is known.
var codes = map[fault.Kind]int{fault.Usage: ExitUsage, fault.Spec: ExitSpec, fault.Data: ExitData,
	fault.Model: ExitModel, fault.Store: ExitStore, fault.Incomplete: ExitIncomplete, fault.Budget: ExitBudget,
	fault.Differs: ExitDiffers, fault.Worse: ExitWorse, fault.Unrelated: ExitUnrelated}

// code returns the exit code for the type of an error.
func code(err error) int {
	is := func(targets ...any) bool {
		return slices.ContainsFunc(targets, func(target any) bool { return errors.As(err, target) })
	}
	var known *fault.Error
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case store.Unusable(err), is(new(*hub.CacheError)):
		return ExitStore
	case is(new(*hub.OfflineError), new(*collect.MissingError)):
		return ExitOffline
	case is(new(*records.TooFewError)):
		return ExitIncomplete
	case is(new(*collect.SpendingError)):
		return ExitBudget
	case errors.As(err, &known):
		return cmp.Or(codes[known.Kind], ExitFailure)
	case is(new(*collect.GaveUpError), new(*backends.Failure)):
		return ExitModel
	case is(new(place.Problems)):
		return ExitSpec
	case is(new(*dataset.RowError)), errors.Is(err, dataset.ErrEmpty):
		return ExitData
	}
	return ExitFailure
}
