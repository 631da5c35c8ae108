package spec

import (
	"time"

	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/policy"
)

// The defaults of a study; a dataset's task has its own (task.DefaultsOf). The schema's comments
// state them too, and a test compares the two.
const (
	defaultFit       = 0.8 // paper §5: the first 80 % fit
	defaultP         = 0.5
	defaultDraws     = 1000
	defaultMissing   = 0.01
	defaultTimeout   = 5 * time.Minute
	defaultRetries   = 4
	defaultGrace     = 30 * time.Second
	defaultGiveUp    = 20
	defaultParallel  = 1
	defaultServed    = 16 // calls in flight of a server's model
	defaultTop       = 20 // the most that OpenAI and vLLM give by default
	defaultCoolDown  = 10 * time.Second
	defaultMaxBody   = 64 << 20
	defaultMaxBodyHF = 4 << 20 // scores of labels are short
	defaultBootstrap = 2000
	defaultLevel     = 0.95
	defaultCurrency  = "USD"
	defaultLabel     = "label"

	defaultBuiltinRows = 1000 // generators have no last row
)

const (
	defaultCost        = cost.TFLOPs
	defaultSummary     = cost.Mean
	defaultSetting     = policy.NonOracle
	defaultMethod      = Solver(policy.Exact)
	defaultObjective   = policy.Deferrals
	defaultCalibration = confidence.NoCalibration
	defaultGeneration  = confidence.Exp
	defaultMode        = backends.Raw
	defaultOrder       = Shuffle
	defaultTruncate    = TruncateAllow
)

// or returns *p, or the default if the key is missing.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
