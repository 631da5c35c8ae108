package analyze

import (
	"strconv"

	"infnet/harness/policy"
	"infnet/harness/policy/chain"
	"infnet/harness/policy/guarantee"
	"infnet/harness/population"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/router"
)

// student is the place of a cascade's first model.
const student = 0

// Bench is one cascade on one dataset: its records, and all that was made of
// them.
type Bench struct {
	*records.Records
	in Input

	fitted    []Fitted
	serial    *chain.Policy        // of three models or more; nil where there are two
	mixture   *policy.Mixture      // nil = not fitted
	pairs     []pairing            // the pairs that a chain contains
	form      *population.FormLoss // of the generalised policy; nil = not fitted
	budgets   []string             // rows whose budget is not that of the single threshold (target min)
	decisions []Decided
	learned   []learnedPolicy // baselines that learn, in the study's order
	trained   []Trained
	fits      map[string]*router.Fitted // by what they depend on: rows that differ in their thresholds alone share one
	families  []family                  // of rows that have a curve
	out       result.Dataset
}

// Fitted is a fitted policy and the row it belongs to.
type Fitted struct {
	Name    string
	Policy  policy.Policy
	Promise *guarantee.Result // of certified rows; Policy is its policy
}

// Decided is what a row's policy decided about examples.
type Decided struct {
	Name  string
	Defer map[int]bool // by example: is the last model asked? Absent = nothing was decided about it
	Paths map[int]path // by example, for rows of more than two models or in parallel; nil for others
	Theta []float64    // of chains, by stage

	// Of policies that compare a score of their own with one threshold.
	Scores map[int]float64 // by example; out of fold on the fit part
	Cut    float64
}

// path is whom one query asked, in this order, and whose answer stands.
type path struct {
	asked  []int // places in the cascade
	stands int
}

// incomplete reports whether more records lack an answer than the study allows.
func (b *Bench) incomplete() bool {
	lost := b.out.Counts.Records - b.out.Counts.Used
	return float64(lost) > b.in.Study.Collect.MaxMissing*float64(b.out.Counts.Records)
}

// fraction writes a number as its shortest decimal.
func fraction(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
