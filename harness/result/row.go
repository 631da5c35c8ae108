package result

import (
	"infnet/harness/pool"
	"infnet/metrics/infer"
)

// Rival sets a policy beside the single models, and the coins between two of them: is it worth it? On every resample of
// the test part the rival is found anew: the cheapest whose error there is at most the policy's plus the margin. Costs
// are each record's own, or the study's constants where cost.summary is not the mean. The intervals of the rows that
// headlines are about hold together over the study, those of a pool's savings over the pool.
type Rival struct {
	// worth it; errs more than the better single model; not shown; not worth it: the rival is cheaper; same:
	// it is a single model; errs less: dearer, but no single model errs so rarely; "" = costs are not known
	Verdict string  `json:"verdict"`
	Margin  float64 `json:"margin"`            // errors per query
	Single  string  `json:"same_as,omitempty"` // the model whose answer counts on every test record
	First   string  `json:"model"`             // the rival on the test part itself
	Second  string  `json:"second"`            // of a coin; equal to the first where P is 0
	P       float64 `json:"second_probability"`
	// what the cheaper of the two costs less, as a share of the other's cost: below 0 where that is the rival
	Saved infer.Interval `json:"saved"`
	Error infer.Interval `json:"error_difference"` // errors per query of the policy minus those of Than
	Than  string         `json:"than"`             // the better single model: the one that errs least on the test part

	Units int `json:"units"` // test records, or clusters of them

	// Of two models: the student's cost over the master's, and the ratio below which
	// the policy is cheaper than all of them; 0 = at no price.
	Ratio     float64         `json:"price_ratio,omitempty"`
	BreakEven *infer.Interval `json:"break_even_ratio,omitempty"`
}

// Conclude writes what a contest came to, where the models have these names.
func (v *Rival) Conclude(w pool.Worth, names []string) {
	v.First, v.Second, v.P, v.Than = names[w.Rival.First], names[w.Rival.Second], w.Rival.P, names[w.Than]
	v.Verdict, v.Saved, v.Error, v.Units = string(w.Verdict), w.Saved, w.Error, w.Units
}

// Price is what policies lose at the study's price of an error: costs, errors and
// missing answers of the test part, in the study's unit of cost, each record at its own
// cost, or at the study's constants where cost.summary is not the mean.
type Price struct {
	ErrorCost   float64 `json:"error_cost"`
	AbstainCost float64 `json:"abstain_cost,omitempty"` // 0 = nothing abstains
	Rows        []Loss  `json:"rows"`
	// the row that loses least on the test part; those with a promise do not compete
	Advice  string `json:"advice"`
	Settled bool   `json:"settled"` // each row of another kind is shown to lose more

	// the price from which on the master alone loses less than policies of this row's form, each fitted to the price on
	// the fit part; inf = at no price
	Form string `json:"form"`
}

// Loss is what one policy loses per query.
type Loss struct {
	Policy   string          `json:"policy"`
	Title    string          `json:"title"`
	Answered infer.Interval  `json:"answered"`        // share of the queries
	Error    *infer.Interval `json:"error,omitempty"` // among the answered; nil = none is
	Cost     infer.Interval  `json:"cost"`
	Loss     infer.Interval  `json:"loss"`
	More     infer.Interval  `json:"loss_more"` // than the advice's

	// of policies that abstain: by class, or one for all
	Thresholds []AbstainThreshold `json:"thresholds,omitempty"`
	Alone      *Float             `json:"threshold,omitempty"` // of one model alone: its answers below this are dropped
}

// AbstainThreshold is a class's two: no answer below Low, the student's from High on, the master is asked between.
type AbstainThreshold struct {
	Class string `json:"class,omitempty"`
	Low   Float  `json:"low"`
	High  Float  `json:"high"`
}

// Learned is a baseline that learned from the texts of the fit part whom to ask: what it learned from, how well, and
// what it costs to ask it. Times are not here: they are not the same twice.
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
