package result

import "infnet/metrics/infer"

// Varied is what fitted policies come to along one axis of a study's grid: one setting varies, and all others stay.
type Varied struct {
	Axis   string  `json:"axis"`   // target, tau, fit_records or seed
	Points []Point `json:"points"` // those of a policy, on a dataset of a cascade, next to each other
}

// OverSeeds is the value of the mean over all seeds.
const OverSeeds = "mean"

// Point is a policy at one value of the axis.
type Point struct {
	Cascade string `json:"cascade"`
	Dataset string `json:"dataset"`
	Value   string `json:"value"` // as the study writes it; OverSeeds
	Fit     int    `json:"fit"`   // records
	Test    int    `json:"test"`  // likewise
	Realised
}

// Transferred is what policies that are fitted on each domain come to on every one.
type Transferred struct {
	By      string   `json:"by"` // dataset, or a column
	Cascade string   `json:"cascade"`
	Dataset string   `json:"dataset,omitempty"` // of the column
	Domains []Domain `json:"domains"`
	Cells   []Cell   `json:"cells"` // by policy, then the domain fitted on, then the one used on
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

// Kept says whether a budget is kept.
type Kept string

// Whether it is.
const (
	BudgetKept   Kept = "kept"
	BudgetBroken Kept = "broken"
	BudgetOpen   Kept = "open" // the interval of the excess holds 0
)

// KeptBy says it by the interval of the excess.
func KeptBy(excess infer.Interval) Kept {
	switch {
	case excess.Low > 0:
		return BudgetBroken
	case excess.High <= 0:
		return BudgetKept
	}
	return BudgetOpen
}

// Chunks are the parts of a list whose entries have one key and stand next to each other.
func Chunks[T any](list []T, key func(*T) string) (out [][]T) {
	for i := range list {
		if i == 0 || key(&list[i]) != key(&list[i-1]) {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], list[i])
	}
	return out
}

// Find is the first of a list that is so; nil = none is.
func Find[T any](list []T, is func(*T) bool) *T {
	for i := range list {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// Row is the row of a policy; nil = there is none.
func (d *Dataset) Row(policy string) *Row {
	return Find(d.Rows, func(r *Row) bool { return r.Policy == policy })
}

// Curve is the curve of a policy; nil = it has none.
func (d *Dataset) Curve(policy string) *Curve {
	return Find(d.Curves, func(c *Curve) bool { return c.Policy == policy })
}
