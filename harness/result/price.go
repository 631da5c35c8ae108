package result

import "infnet/metrics/infer"

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
	Form       string     `json:"form"`
	MasterFrom Turn       `json:"master_from"`
	Coverage   []Coverage `json:"coverage,omitempty"` // where something abstains
}

// Turn is a price with its interval, of which an end may be 0 or inf.
type Turn struct {
	Value Float   `json:"value"`
	Low   Float   `json:"low"`
	High  Float   `json:"high"`
	Level float64 `json:"level"`
}

// NewTurn is a price with its interval.
func NewTurn(value, low, high, level float64) Turn {
	return Turn{Float(value), Float(low), Float(high), level}
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
	Promise  *Promise        `json:"promise,omitempty"`
	// promised: whether its promise was kept in the test, else nothing is promised and nothing answered
	Certified bool `json:"certified,omitempty"`

	// of policies that abstain: by class, or one for all
	Thresholds []AbstainThreshold `json:"thresholds,omitempty"`
	Last       *Float             `json:"master_threshold,omitempty"` // the master's answers below this confidence are dropped
	Alone      *Float             `json:"threshold,omitempty"`        // of one model alone: its answers below this are dropped
}

// AbstainThreshold is a class's two: no answer below Low, the student's from High on, the master is asked between.
type AbstainThreshold struct {
	Class string `json:"class,omitempty"`
	Low   Float  `json:"low"`
	High  Float  `json:"high"`
}

// Coverage is how often a family of policies errs among the queries that it answers,
// where it answers more or fewer: policies from the fit part, on the test part.
type Coverage struct {
	Policy   string    `json:"policy"`
	Title    string    `json:"title"`
	Answered []float64 `json:"answered"` // falling
	Error    []float64 `json:"error"`
	Low      []float64 `json:"error_low"` // pointwise intervals
	High     []float64 `json:"error_high"`
}
