package result

import "infnet/metrics/infer"

// Rival sets a policy beside the single models, and the coins between two of them: is it worth it? On every resample of
// the test part the rival is found anew: the cheapest whose error there is at most the policy's plus the margin. Costs
// are each record's own, or the study's constants where cost.summary is not the mean. The intervals of the rows that
// headlines are about hold together over the study, those of a pool's savings over the pool.
type Rival struct {
	// worth it; errs more than the better single model; not shown; not worth it: the rival is cheaper; same:
	// it is a single model; errs less: dearer, but no single model errs so rarely
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

	// What would change the verdict, of the rows that headlines are about; whom the rival asks, which becomes the models
	// whose names are joined by " + "; and the sign of what the row saves, which becomes "saves" or "costs more".
	Flips      []Flip `json:"flips,omitempty"`
	RivalFlips []Flip `json:"rival_flips,omitempty"`
	SavedFlips []Flip `json:"saved_flips,omitempty"`
}

// Flip is the smallest change of one thing that would change a verdict, where everything else stays as it is.
type Flip struct {
	Change  string   `json:"change"`
	Model   string   `json:"model,omitempty"`        // grades, price ratio: whose; "" = the first's
	Cascade []string `json:"cascade,omitempty"`      // of a pool, that becomes worth it or ceases to be
	Wrong   bool     `json:"graded_wrong,omitempty"` // grades: right answers are graded wrong, or else wrong ones right
	Now     float64  `json:"now"`                    // grades: test records
	To      float64  `json:"to"`                     // grades: how many change
	Records []string `json:"records,omitempty"`      // grades: of which records, up to a hundred; others of a kind may do too
	Verdict string   `json:"verdict,omitempty"`      // that it becomes; empty = none was found, and To means nothing
}

// What may change.
const (
	FlipGrades  = "grades"       // of one model on the test part
	FlipRatio   = "price ratio"  // of the first model to the last; 1,000 times more or less was tried
	FlipBudget  = "error budget" // on the fit part, with the thresholds that are chosen for it
	FlipRecords = "test records" // or clusters, at the same estimates; 100 times more or less was tried
	FlipAllowed = "allowed error"
	FlipDelta   = "delta"          // of a guarantee
	FlipTested  = "tested records" // of a guarantee, at the same share of errors
)
