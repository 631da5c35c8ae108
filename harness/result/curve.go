package result

import "infnet/metrics/infer"

// Curves of one cascade on one dataset. Lists that belong together are columns of equal length. Savings are in percent
// of the master's cost, errors and deferrals are shares in [0,1], a threshold is "inf" where everything is deferred.

// Estimate is an estimate with its interval; unlike infer.Interval it may be
// unbounded: "inf" or "-inf" says that no finite value will do.
type Estimate struct {
	Value  Float   `json:"value"`
	Low    Float   `json:"low"`
	High   Float   `json:"high"`
	Level  float64 `json:"level"`
	N      int     `json:"n"` // records it rests on
	Method string  `json:"method"`
}

// Curve is what a family of policies does on the test part, from the one that asks the master most rarely to the one
// that always does. Between neighbouring points lies what a coin between them does, in expectation: a straight line.
//
// A family is all thresholds on one score ("threshold"), the policies with a threshold per class that are
// Pareto-optimal on the fit part ("path"; then deferral by everything; on the test part they are in order of their
// cost), a coin ("coin"), the oracle router told to stop early or made to go on ("oracle"), or the policies of a chain
// that cost least on the fit part at rising budgets ("chain"). Deferred is the share asked of the family's last model.
//
// No point but Chosen was chosen for anything that it does on the test part.
type Curve struct {
	Policy   string `json:"policy"` // the row it belongs to
	Title    string `json:"title"`
	Family   string `json:"family"` // "threshold", "path", "coin", "oracle" or "chain"
	Charge   string `json:"charge"` // as in Row
	Baseline bool   `json:"baseline"`
	// what making the score costs per query, in percent of the master's cost; in Saved
	Overhead float64 `json:"overhead_pct,omitempty"`
	// points there are; at most 201 are written, evenly thinned, the ends among them
	Length int `json:"length"`

	// family "threshold": the student's answer stands where the score is at least this
	Theta    []Float              `json:"theta,omitempty"`
	Deferred []float64            `json:"deferred"`
	Saved    []float64            `json:"saved_pct"`
	Error    []float64            `json:"error"`
	Metrics  map[string][]float64 `json:"metrics"`

	Chosen *Place `json:"chosen,omitempty"` // the row's own place: its threshold is from the fit part
	Band   Band   `json:"band"`             // the error at equal savings, over the resamples of the test part
}

// Place is one policy's place beside a curve.
type Place struct {
	Theta    *Float  `json:"theta,omitempty"` // nil: none, or one per class
	Deferred float64 `json:"deferred"`
	Saved    float64 `json:"saved_pct"`
	Error    float64 `json:"error"`
}

// Band is a quantity at equal savings, with pointwise percentile intervals from the resamples that all rows of a
// dataset share. Saved ascends from 0, the master's cost, to what the student alone saves.
type Band struct {
	Saved []float64 `json:"saved_pct"`
	Value []float64 `json:"value"`
	Low   []float64 `json:"low"`
	High  []float64 `json:"high"`
}

// Sweep is the single threshold on the fit part: what each θ would cost there
// and how often it would err, and θ*, the smallest within the budget.
type Sweep struct {
	Records  int       `json:"records"`
	Budget   float64   `json:"budget"`       // error allowed, a share
	Student  float64   `json:"student"`      // error of the student alone: θ = 0
	Master   float64   `json:"master"`       // error of the master alone: θ = inf
	None     float64   `json:"none_pct"`     // saved where nothing is deferred
	All      float64   `json:"all_pct"`      // saved where the student is asked and then the master, always: negative
	Length   int       `json:"length"`       // thresholds there are; at most 201 are written, θ* among them
	Theta    []Float   `json:"theta"`        // ascending
	Deferred []float64 `json:"deferred"`     //
	Saved    []float64 `json:"saved_pct"`    //
	Error    []float64 `json:"error"`        //
	Chosen   Place     `json:"chosen"`       // θ*
	Feasible bool      `json:"feasible"`     // else θ* is the threshold of least error
	Unit     float64   `json:"master_costs"` // what 100 % of savings is, in the cascade's cost unit per query
}

// Reliability is a reliability diagram: on the test part, how sure a model was and how often it was right.
type Reliability struct {
	Model      string    `json:"model"`
	Binning    string    `json:"binning"` // "equal-mass" (ties together) or "equal-width" (empty bins left out)
	Low        []float64 `json:"low"`     // least confidence of the bin
	High       []float64 `json:"high"`
	Records    []int     `json:"records"`
	Confidence []float64 `json:"confidence"` // mean
	Correct    []float64 `json:"correct"`    // share right under the correctness rule
	From       []float64 `json:"correct_low"`
	// interval of Correct at the study's level: exact (Clopper–Pearson), records taken as independent
	To []float64 `json:"correct_high"`
}

// Matched sets one of our rows beside a baseline that is made to cost as much,
// and to err as rarely. All differences are ours minus the baseline's.
type Matched struct {
	Ours     string `json:"ours"`     // row
	Baseline string `json:"baseline"` // row
	Cost     Match  `json:"at_our_cost"`
	Error    Match  `json:"at_our_error"`
	Area     Area   `json:"area"`
}

// Match is a baseline at one of our row's coordinates, found in two ways.
type Match struct {
	Fitted Fitted `json:"fitted"`

	// On the baseline's own curve on the test part, matched anew in each resample: at our cost no label is looked at;
	// at our error it is the cheapest point that errs no more, which favours the baseline.
	Curve struct {
		Saved   Estimate `json:"saved_pct"`  // −inf: the baseline cannot err so rarely at any cost
		Error   Estimate `json:"error"`      // the baseline's there
		Differs Estimate `json:"difference"` // at our cost: of error; at our error: of savings, in points
		Reached float64  `json:"reached"`    // share of resamples in which the baseline comes so far
		// on the records themselves it does not; it stands at its nearest end
		Clipped bool `json:"out_of_reach,omitempty"`
	} `json:"curve"`
}

// Fitted is a baseline's operating point chosen on the fit part alone, measured on the test part.
type Fitted struct {
	// of a score: the threshold, or two between which a coin chooses; none for thresholds per class
	Thetas    []Float                   `json:"thetas,omitempty"`
	Second    float64                   `json:"second"` // chance of the second
	Clipped   bool                      `json:"out_of_reach,omitempty"`
	Metrics   map[string]infer.Interval `json:"metrics"`
	Error     infer.Interval            `json:"error"`
	Deferred  infer.Interval            `json:"deferred"`
	Saved     infer.Interval            `json:"saved_pct"`
	DiffError infer.Interval            `json:"error_difference"`
	DiffSaved infer.Interval            `json:"saved_pct_difference"`
}

// Area is the area between our row's curve and a baseline's, as the mean
// difference of their errors at equal savings, from 0 to To percent.
type Area struct {
	To         float64        `json:"to_pct"`
	Mean       infer.Interval `json:"mean_error_difference"`
	Difference Band           `json:"difference"` // along the way
}

// Test is a paired test of one of our rows against another row on the test
// part. Holm and BH adjust over the datasets of the cascade.
type Test struct {
	Ours     string `json:"ours"`
	Baseline string `json:"baseline"`
	What     string `json:"what"` // "correct", "cost", or a metric
	Test     string `json:"test"` // "mcnemar" (exact), "sign-flip" or "swap" (permutations)
	// ours minus the baseline's; of correct: of the share; of cost: per query, each record's own
	Difference float64 `json:"difference"`
	OnlyOurs   int     `json:"only_ours,omitempty"` // mcnemar: records only ours has right
	OnlyTheirs int     `json:"only_baseline,omitempty"`
	Units      int     `json:"units"`               // records, or clusters of them, in which the two differ
	Draws      int     `json:"draws,omitempty"`     // permutations
	Clustered  bool    `json:"clustered,omitempty"` // records of one source were flipped together
	P          float64 `json:"p"`
	Holm       float64 `json:"holm"`
	BH         float64 `json:"bh"`
	Datasets   int     `json:"datasets"` // adjusted for
}

// Repeats is the table again over several splits of the same answers,
// everything fitted anew on each: the first is the one that all else is about.
type Repeats struct {
	Count  int        `json:"count"`
	Splits []string   `json:"splits"` // hash of who did what
	Rows   []Repeated `json:"rows"`
}

// Repeated is a row over the splits.
type Repeated struct {
	Policy        string            `json:"policy"`
	Title         string            `json:"title"`
	Metrics       map[string]Spread `json:"metrics"`
	Error         Spread            `json:"error"`
	Deferred      Spread            `json:"deferred"`
	Saved         Spread            `json:"saved_pct"`
	SavedPerQuery Spread            `json:"saved_query_pct"`
}

// Spread is a number over the splits: mean, standard deviation (n−1) and each value. The splits share their
// records, so the deviation is no standard error.
type Spread struct {
	Mean   float64   `json:"mean"`
	SD     float64   `json:"sd"`
	Values []float64 `json:"values"`
}
