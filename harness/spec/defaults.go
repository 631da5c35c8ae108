package spec

import (
	"time"

	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/task"
	"infnet/metrics"
)

// What a study means where it says nothing. The schema's tags say the same in
// words; a test holds them together.
const (
	defaultFit       = 0.8 // paper §5: the first 80 % fit
	defaultTau       = 0.7 // the paper's τ; it states it for the cosine of its sentence encoder
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

// byTask are the defaults that depend on a dataset's task.
type byTask struct {
	rule      task.Rule
	metrics   []metrics.Name // what the paper's tables show
	maxTokens int            // 0 = not a generation
}

func defaultsOf(k task.Kind) byTask {
	switch k {
	case task.Classification:
		return byTask{rule: task.Label, metrics: []metrics.Name{metrics.Accuracy, metrics.F1Macro}}
	case task.QA:
		return byTask{rule: task.ExactMatch, metrics: []metrics.Name{metrics.RougeL, metrics.Cosine}, maxTokens: 16}
	case task.Translation:
		return byTask{rule: task.TokenF1, metrics: []metrics.Name{metrics.RougeL, metrics.Cosine}, maxTokens: 64}
	}
	return byTask{rule: task.TokenF1, metrics: []metrics.Name{metrics.RougeL, metrics.Cosine}, maxTokens: 128}
}

// or is *p, or the default where the key was not written.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
