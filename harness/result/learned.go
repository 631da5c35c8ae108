package result

// Learned is a baseline that learned from the texts of the fit part whom to
// ask: what it learned from, how well, and what it costs to ask it. Times are
// not here: they are not the same twice.
type Learned struct {
	Policy   string `json:"policy"`             // the Row it belongs to
	Title    string `json:"title"`              //
	Kind     string `json:"kind"`               // of the baseline
	Reads    string `json:"reads"`              // in words
	Predicts string `json:"predicts"`           // in words: what a label of 1 is
	Learner  string `json:"learner"`            // "light", "gbdt", "command"; the kind of a baseline with its own
	Name     string `json:"learner_name"`       // in words
	Released bool   `json:"released,omitempty"` // as the authors' code

	Quality  string  `json:"quality,omitempty"` // hybridllm: what an answer is worth
	Delta    float64 `json:"delta"`             // hybridllm: allowed drop of the mean quality
	Relative bool    `json:"relative,omitempty"`

	Records   int    `json:"records"` // of the fit part
	Ones      int    `json:"ones"`    // of them, with label 1
	Folds     int    `json:"folds"`   // of the cross-fit whose scores the threshold is from; 0 = one fit, which saw them
	Epochs    int    `json:"epochs"`  // of the fit on all: passes over its records until the best was found
	Passes    int    `json:"passes"`  // in all
	Held      Judged `json:"held_out"`
	OutOfFold Judged `json:"out_of_fold"` // calibrated; of one fit, on what it saw
	Test      Judged `json:"test"`        // calibrated, by the fit on all
	Digest    string `json:"digest"`      // of all that the fit on all learned; command: of the program's files
	Constant  bool   `json:"constant,omitempty"`

	Theta       Float   `json:"theta"`        // the student's answer stands where the score is at least this
	Feasible    bool    `json:"feasible"`     // the constraint is met on the fit part
	FitDeferred int     `json:"fit_deferred"` // by the scores that the threshold is fitted to
	FitErrors   float64 `json:"fit_errors"`   // frugalgpt: errors there
	FitDrop     float64 `json:"fit_drop"`     // hybridllm: mean drop of quality there
	TestDrop    float64 `json:"test_drop"`    // hybridllm: on the test part

	// what the model expects that the threshold is from, per record of the fit part; nil = the threshold was counted
	Modelled *Modelled `json:"modelled,omitempty"`

	FLOPs    float64  `json:"flops"`    // of one score, mean over the fit part
	Overhead float64  `json:"overhead"` // the same in the cascade's cost unit; 0 where that is not made of FLOPs
	Notes    []string `json:"notes,omitempty"`
}

// Modelled is what a model expects of a threshold, per record.
type Modelled struct {
	Error    float64 `json:"error"`
	Deferred float64 `json:"deferred"`
}

// Judged is how probabilities fit labels.
type Judged struct {
	Records  int      `json:"records"`
	Loss     float64  `json:"loss"` // mean logistic loss
	Accuracy float64  `json:"accuracy"`
	AUROC    *float64 `json:"auroc,omitempty"` // nil where all labels are equal
}
