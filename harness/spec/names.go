package spec

import (
	"infnet/backends"
	"infnet/harness/choice"
)

// Metric names a score that tables show.
type Metric string

// The metrics.
const (
	Accuracy   Metric = "accuracy"    // share of right classes
	F1Macro    Metric = "f1-macro"    // mean over classes of F1
	F1Micro    Metric = "f1-micro"    // F1 of the pooled counts
	F1Weighted Metric = "f1-weighted" // mean of F1 weighted by class frequency
	RougeL     Metric = "rouge-l"     // ROUGE-L F against the reference
	Cosine     Metric = "cosine"      // cosine of the embeddings of answer and reference
	ExactMatch Metric = "exact-match" // equal after SQuAD normalisation
	TokenF1    Metric = "token-f1"    // SQuAD token F1
)

// Metrics lists the valid metrics, those of classification first.
func Metrics() []Metric {
	return []Metric{Accuracy, F1Macro, F1Micro, F1Weighted, RougeL, Cosine, ExactMatch, TokenF1}
}

// UnmarshalText accepts a metric's name.
func (m *Metric) UnmarshalText(b []byte) error { return choice.Decode(m, b, "metric", Metrics()) }

// Calibration is how β is corrected on the fit part before thresholds are
// fitted on it.
type Calibration string

// The calibrations.
const (
	NoCalibration    Calibration = "none"
	Isotonic         Calibration = "isotonic"           // non-decreasing step function, all classes together
	IsotonicPerClass Calibration = "isotonic-per-class" // one per predicted class
	Platt            Calibration = "platt"              // logistic curve
)

// Calibrations lists the valid calibrations.
func Calibrations() []Calibration {
	return []Calibration{NoCalibration, Isotonic, IsotonicPerClass, Platt}
}

// UnmarshalText accepts a calibration's name.
func (c *Calibration) UnmarshalText(b []byte) error {
	return choice.Decode(c, b, "calibration", Calibrations())
}

// Orders lists the valid orders.
func Orders() []Order { return []Order{Shuffle, InFile} }

// UnmarshalText accepts an order's name.
func (o *Order) UnmarshalText(b []byte) error { return choice.Decode(o, b, "order", Orders()) }

// Truncates lists what may happen to long prompts.
func Truncates() []Truncate { return []Truncate{TruncateAllow, TruncateRefuse} }

// UnmarshalText accepts "allow" or "refuse".
func (t *Truncate) UnmarshalText(b []byte) error {
	return choice.Decode(t, b, "treatment of long prompts", Truncates())
}

// BaselineKinds lists the valid baselines.
func BaselineKinds() []BaselineKind {
	return []BaselineKind{NoneDeferred, AllDeferred, Random, OracleRouter}
}

// UnmarshalText accepts a baseline's name.
func (k *BaselineKind) UnmarshalText(b []byte) error {
	return choice.Decode(k, b, "baseline", BaselineKinds())
}

// rawMode is backends.Mode as a closed set.
type rawMode backends.Mode

func modes() []rawMode { return []rawMode{rawMode(backends.Raw), rawMode(backends.Chat)} }

func (m *rawMode) UnmarshalText(b []byte) error { return choice.Decode(m, b, "mode", modes()) }
