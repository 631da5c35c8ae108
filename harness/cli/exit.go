package cli

import (
	"context"
	"errors"

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
	ExitDiffers     = 9   // verify, paper --check: files differ from what the run gives
	ExitBudget      = 10  // the budget is used up; everything received is on disk, and running again goes on
	ExitWorse       = 11  // compare: a quantity is worse than in the run it is compared with
	ExitUnrelated   = 12  // compare: the two cannot be compared: unrelated studies, or a file of another version
	ExitChanged     = 13  // recheck: a model that is served is not the one that was measured
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
    9  verify, paper --check: files differ from what the run gives
   10  budget used up (run again to go on)
   11  compare: a quantity is worse
   12  compare: the two cannot be compared
   13  recheck: a model that is served has changed
  130  interrupted (run again to go on; calls under way are waited for, a
       second Ctrl-C leaves at once)`

// code returns the exit code for the type of an error.
func code(err error) int {
	var inUse *store.InUseError
	var corrupt *store.CorruptError
	var write *store.WriteError
	var cache *hub.CacheError
	var offline *hub.OfflineError
	var few *records.TooFewError
	var missing *collect.MissingError
	var gaveUp *collect.GaveUpError
	var spent *collect.SpendingError
	var failure *backends.Failure
	var known *fault.Error
	var problems place.Problems
	var row *dataset.RowError
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.As(err, &inUse), errors.As(err, &corrupt), errors.As(err, &write), errors.As(err, &cache):
		return ExitStore
	case errors.As(err, &offline), errors.As(err, &missing):
		return ExitOffline
	case errors.As(err, &few):
		return ExitIncomplete
	case errors.As(err, &spent):
		return ExitBudget
	case errors.As(err, &known):
		return ofKind(known.Kind)
	case errors.As(err, &gaveUp), errors.As(err, &failure):
		return ExitModel
	case errors.As(err, &problems):
		return ExitSpec
	case errors.As(err, &row), errors.Is(err, dataset.ErrEmpty):
		return ExitData
	}
	return ExitFailure
}

func ofKind(k fault.Kind) int {
	switch k {
	case fault.Usage:
		return ExitUsage
	case fault.Spec:
		return ExitSpec
	case fault.Data:
		return ExitData
	case fault.Model:
		return ExitModel
	case fault.Store:
		return ExitStore
	case fault.Incomplete:
		return ExitIncomplete
	case fault.Budget:
		return ExitBudget
	case fault.Differs:
		return ExitDiffers
	case fault.Worse:
		return ExitWorse
	case fault.Unrelated:
		return ExitUnrelated
	case fault.Changed:
		return ExitChanged
	}
	return ExitFailure
}
