package result

import "infnet/metrics/infer"

// Pool is what a set of models is worth on its datasets.
type Pool struct {
	Name       string        `json:"name"`
	Models     []string      `json:"models"`
	CostModel  string        `json:"cost_model"`
	Unit       string        `json:"cost_unit"`
	Datasets   []PoolDataset `json:"datasets"`
	Incomplete bool          `json:"incomplete"` // more answers are missing than the study allows
}

// PoolDataset is a pool on one dataset. Policies are chosen on the fit part and
// measured on the test part, at each record's own cost.
type PoolDataset struct {
	Name     string       `json:"name"`
	Counts   Counts       `json:"counts"`
	Split    string       `json:"split"` // hash of who did what
	Families []PoolFamily `json:"families"`
	Models   []PoolModel  `json:"models"`
	Envelope []PoolChoice `json:"envelope"` // the cheapest first
	Savings  []PoolSaving `json:"savings"`  // one for each budget that a single model sets
	Pairs    []PoolPair   `json:"pairs"`
	Oracle   []PoolPoint  `json:"oracle"` // on the test part: what perfect foresight costs and errs
	Notes    []Note       `json:"notes,omitempty"`
	Grader   string       `json:"grader,omitempty"` // as of a Dataset, where a model grades
	Audits   []Diagnostic `json:"audits,omitempty"` // then: the shares right by it, and what people say of them
}

// PoolPoint is what a policy costs and how often it errs, per query.
type PoolPoint struct {
	Cost  float64 `json:"cost"`
	Error float64 `json:"error"`
}

// PoolFamily is the policies of one kind: single, cascade, ensemble or router.
type PoolFamily struct {
	Kind  string      `json:"kind"`
	Tried int         `json:"tried"`     // policies, on the fit part
	Hull  []PoolPoint `json:"hull"`      // of the fit part: what is best at some price of an error
	Test  []PoolPoint `json:"hull_test"` // the same policies on the test part
}

// PoolModel is one model of a pool.
type PoolModel struct {
	Model     string         `json:"model"`
	Fit       PoolPoint      `json:"fit"`
	Error     infer.Interval `json:"error"` // alone, on the test part
	Cost      infer.Interval `json:"cost"`
	Confident bool           `json:"confident"`     // its answers have confidences
	Worth     []PriceRange   `json:"worth"`         // prices of an error at which the best choice asks it; none = never
	Envelope  []int          `json:"envelope"`      // choices that ask it
	Hull      bool           `json:"on_coins_hull"` // alone it is best at some price of an error, among single models
}

// PriceRange is a range of prices of one error, in units of cost.
type PriceRange struct {
	From Float `json:"from"`
	To   Float `json:"to"` // inf = however expensive an error is
}

// PoolChoice is a policy of the envelope: the best choice while an error costs From to
// To. Between two neighbours lies what a coin between them does.
type PoolChoice struct {
	PoolPolicy
	Price PriceRange     `json:"error_price"`
	Fit   PoolPoint      `json:"fit"`
	Error infer.Interval `json:"error"` // on the test part
	Cost  infer.Interval `json:"cost"`
}

// PoolPolicy names a policy.
type PoolPolicy struct {
	Kind   string   `json:"kind"`
	Models []string `json:"models"`           // in the order asked
	Thetas []Float  `json:"thetas,omitempty"` // of cascades
	Rule   string   `json:"rule,omitempty"`   // of ensembles
	Router float64  `json:"price,omitempty"`  // of routers: the price of an error that they weigh with
}

// PoolSaving is the cheapest cascade that errs no more on the fit part than a single model, beside the cheapest single
// model, or coin between two, that errs no more on the test part.
type PoolSaving struct {
	Model   string      `json:"model"`             // whose error is the budget, and which the error difference is from
	Cascade *PoolChoice `json:"cascade,omitempty"` // nil = no cascade errs so rarely; its Price is empty
	Rival   *Rival      `json:"rival,omitempty"`   // nil = no cascade

	// What the cascade costs beyond an oracle that errs as often, per query on the test part: a perfect confidence, no
	// price for the models asked before, and the other models would save so much.
	Signal    *infer.Interval `json:"loss_signal,omitempty"`
	Structure *infer.Interval `json:"loss_structure,omitempty"`
	Choice    *infer.Interval `json:"loss_choice,omitempty"`
}

// PoolPair is everything one threshold does with two models on the fit part, and the
// price ratio at which it begins to be worth it.
type PoolPair struct {
	Student string `json:"student"`
	Master  string `json:"master"`
	Tried   int    `json:"thresholds"`
	// the Pareto-optimal outcomes of all thresholds, the cheapest first
	Frontier []PoolPoint `json:"frontier"`

	Ratio Float `json:"price_ratio"` // the student's mean cost over the master's; inf where only the master is free
	// the highest ratio below which some threshold is cheaper than both models and their coins
	FitEven   float64         `json:"break_even_fit"`
	BreakEven *infer.Interval `json:"break_even_ratio"` // of that threshold on the test part; nil = there is none
	Theta     Float           `json:"theta"`            // that threshold

	// the same at errors that matter; none where the master errs no less than the student
	Even []PoolEven `json:"break_even_at"`
}

// PoolEven is the break-even price ratio of a pair's cheapest threshold that closes a
// share of the gap between the errors of student and master.
type PoolEven struct {
	Share     float64         `json:"gap_closed"` // 1: the pair errs no more than the master
	FitEven   float64         `json:"break_even_fit"`
	BreakEven *infer.Interval `json:"break_even_ratio"` // of that threshold on the test part; nil = at no price
	Theta     Float           `json:"theta"`
}
