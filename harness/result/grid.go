package result

import "infnet/metrics/infer"

// Varied is what fitted policies come to along one axis of a study's grid: one setting varies, and all others stay.
type Varied struct {
	Axis   string  `json:"axis"` // target, tau, fit_records, models or seed
	Points []Point `json:"points"`
}

// Point is a policy at one value of the axis.
type Point struct {
	Cascade string `json:"cascade"`
	Dataset string `json:"dataset"`
	Value   string `json:"value"`          // as the study writes it
	At      *Float `json:"at,omitempty"`   // the same as a number; nil = it is none
	Fit     int    `json:"fit"`            // records
	Test    int    `json:"test"`           // likewise
	Mean    *Mean  `json:"mean,omitempty"` // of the policy over all seeds; with the first of them alone
	Realised
}

// Mean is a policy over the seeds of a grid.
type Mean struct {
	Seeds int            `json:"seeds"`
	Error infer.Interval `json:"error"`
	Saved infer.Interval `json:"saved_pct"`
	SD    [2]float64     `json:"sd"` // of the error and of the saving, over the seeds
}

// Transferred is what policies that are fitted on each domain come to on every one.
type Transferred struct {
	By      string   `json:"by"` // dataset, or a column
	Cascade string   `json:"cascade"`
	Dataset string   `json:"dataset,omitempty"` // of the column
	Domains []Domain `json:"domains"`
	Cells   []Cell   `json:"cells"` // by the domain fitted on, then the one used on
}

// Domain are the records of a dataset, or those with one value of a column.
type Domain struct {
	Name string `json:"name"`
	Fit  int    `json:"fit"`
	Test int    `json:"test"`
}

// Cell is a policy fitted on one domain and used on another, or on its own.
type Cell struct {
	FittedOn string `json:"fitted_on"`
	UsedOn   string `json:"used_on"`
	Realised
}

// Realised is what a fitted policy comes to on test records, by the models' costs there.
type Realised struct {
	Policy    string `json:"policy"`
	Title     string `json:"title"`
	Certified bool   `json:"certified,omitempty"` // promised for records like those that it was fitted on

	Error    infer.Interval `json:"error"`
	Allowed  float64        `json:"allowed"` // the error that its budget stands for on these records
	Excess   infer.Interval `json:"excess"`  // Error less Allowed; these intervals hold together over a table
	Budget   Kept           `json:"budget"`
	Saved    infer.Interval `json:"saved_pct"`
	Deferred float64        `json:"deferred"`
}

// Kept says whether a budget is kept, by the interval of the excess.
type Kept string

// Whether it is.
const (
	BudgetKept   Kept = "kept"
	BudgetBroken Kept = "broken"
	BudgetOpen   Kept = "open" // the interval holds 0
)
