package spec

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
