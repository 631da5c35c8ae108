// Package sufficiency tests whether anything known when a cascade decides helps
// to predict "student wrong, master right" beyond the confidence β: the
// question of the paper's appendix on sufficiency (app:sufficiency), with the
// effect's size and the worth of J in cost.
//
// It owns the test and the columns that go into it: [ClassStats], [AnswerStats]
// and [Embeddings] make sets of extra information J. It refuses columns with
// values missing, and it refuses to make randomness of its own: all draws come
// from named streams of one seed, so that results are the same on any number of
// threads.
//
// Its opinion: the question is whether the conditional mean of Δ moves with J
// once β is known, so the default is a pair of covariance measures (package
// pcm; Shah and Peters 2020; Lundborg, Kim, Shah and Samworth 2024), of each
// column by itself and of what trees make of all of them. The paper's permutation
// test (alg:sufficiency_test), which moves J anywhere and so breaks its dependence
// on β too, is available for comparison. And a p-value is not all: a row gives the
// effect's size, the effect that would have been seen, and what it is worth; where
// a test's own assumption failed, it says "cannot decide".
package sufficiency

import (
	"fmt"

	"infnet/metrics/infer"
	"infnet/sufficiency/gbdt"
	"infnet/sufficiency/pcm"
)

// Null is what the null model knows.
type Null int

// The nulls.
const (
	Beta         Null = iota // β alone, as in the paper
	BetaAndClass             // β and the student's class, which a threshold per class uses already
)

// String returns "beta" or "beta+class".
func (n Null) String() string {
	if n == BetaAndClass {
		return "beta+class"
	}
	return "beta"
}

// UnmarshalText reads what String writes.
func (n *Null) UnmarshalText(text []byte) error {
	switch string(text) {
	case "beta":
		*n = Beta
	case "beta+class":
		*n = BetaAndClass
	default:
		return fmt.Errorf("unknown null %q: want one of beta, beta+class", text)
	}
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (n Null) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// Input is a pair of models on one dataset: every slice has one entry per record.
type Input struct {
	IDs    []string  // unique; folds depend on them; nil = "0", "1", …
	Groups []string  // records of one group share a fold and move together; "" or nil = alone
	Beta   []float64 // confidence of the student's answer
	Class  []int     // the student's class; nil where the task has none

	// StudentErr and MasterErr are the errors in [0,1]; their difference Δ is
	// what is predicted. Delta may be given instead; the worth of J is then not
	// computed.
	StudentErr, MasterErr []float64
	Delta                 []float64

	// StudentCost and MasterCost are what each model cost on the record, ≥ 0;
	// nil: 0 and 1, so that costs are numbers of deferrals.
	StudentCost, MasterCost []float64

	Sets []Set // what J may be, each tested on its own
}

// Set is one choice of J.
type Set struct {
	Name    string // in the table; unique
	Columns []Covariate

	Truncated *Truncation // how the columns were made of vectors; nil = they were not cut
}

// Truncation is what is left of vectors.
type Truncation struct {
	Dimensions, Of int
	Kept           float64 // share of the squared length
}

// Covariate is one number for each record.
type Covariate struct {
	Name   string
	Values []float64
	Of     Source // what it is a function of, known from how it was made
}

// Source says what a column is a function of.
type Source int

// The sources.
const (
	Free        Source = iota // of nothing the null knows, as far as its construction shows
	OfBeta                    // of β
	OfClass                   // of the class
	OfBetaClass               // of β and class together
)

// known reports whether the null model already has the information in such a
// column.
func (s Source) known(n Null) bool { return s == OfBeta || n == BetaAndClass && s != Free }

// What a study's tests do.
const (
	Folds  = 5   // of the cross-fitting
	Trees  = 100 // of depth 3, as scikit-learn's
	Depth  = 3
	Alpha  = 0.05
	Splits = pcm.DefaultSplits // of the method pcm
)

// Options say how to test. The zero value but for Seed is the default.
type Options struct {
	Seed uint64 // of the study
	Name string // of dataset and pair: names the streams

	Folds   int // of the cross-fitting, ≥ 2; 0 = 5
	Learner gbdt.Options
	Nulls   []Null // nil = beta, and beta+class where there are at least two classes

	Method Method
	Alpha  float64 // 0 = 0.05
	Splits int     // PCM: random halves; 0 = 8

	Permutations int // Plain: 0 = 199

	// Budget is the share of errors allowed when J is priced, in [0,1]; nil =
	// that of the better model on these records.
	Budget *float64

	Resamples int     // of the bootstrap; 0 = 2,000
	Level     float64 // of intervals; 0 = 0.95
	Threads   int     // ≥ 1; 0 = 1
}

// State is how a row ended.
type State string

// The states.
const (
	Tested     State = "tested"
	Undecided  State = "cannot decide"   // the regression of Δ on the null's columns does not fit: the p-value is invalid
	Determined State = "determined by β" // every column is a function of what the null knows: nothing to test
	Degenerate State = "degenerate"      // nothing can be predicted; Row.Facts says why
)

// Result is the tests of all sets against all nulls.
type Result struct {
	Records int   `json:"records"`
	Folds   int   `json:"folds"`
	Rows    []Row `json:"rows"` // by set, then null
}

// Facts are what a row's numbers do not say of how they came about.
type Facts struct {
	Truncated *Truncation      // of the set
	Delta     *float64         // Δ of every record; nil = it varies
	FlatBeta  bool             // β is the same on every record
	Undivided *TooFewError     // there are fewer records than folds
	Unhalved  *pcm.TooFewError // there are too few records for [PCM]
}

// Row is one line of the table. Numbers of a row that was not tested are zero.
type Row struct {
	Set     string   `json:"set"`
	Null    Null     `json:"null"`
	State   State    `json:"state"`
	Columns int      `json:"columns"` // of J in the test
	Dropped []string `json:"dropped"` // names of those that the null determines
	Notes   []string `json:"notes"`   // caveats in words
	Facts   Facts    `json:"-"`

	MSENull MSE            `json:"mse_null"`
	MSEFull MSE            `json:"mse_full"`
	Gain    infer.Interval `json:"gain"` // ΔMSE = null − full: T_obs; positive where J helps
	R2      infer.Interval `json:"r2"`   // ΔMSE as a share of the variance of Δ

	Method Method      `json:"method"`
	P      float64     `json:"p"`             // by the method
	PCM    *pcm.Result `json:"pcm,omitempty"` // nil for the other methods

	Permutation *Permutation `json:"shuffle,omitempty"` // nil for PCM

	Holm    float64 `json:"p_holm"` // p adjusted over the tested rows; see Adjust
	BH      float64 `json:"p_bh"`
	Finding bool    `json:"finding"` // tested, and p ≤ α

	Value *Value `json:"value,omitempty"`
}

// Measured reports whether the row's numbers were computed.
func (r *Row) Measured() bool { return r.State == Tested || r.State == Undecided }

// Permutation is a permutation test.
type Permutation struct {
	Strata int      `json:"strata"` // within which rows move: groups of one size, classes that the null knows
	Fixed  int      `json:"fixed"`  // records that no permutation can move
	Test   Permuted `json:"test"`
}

// MSE is a cross-fitted mean squared error.
type MSE struct {
	Pooled float64   `json:"pooled"` // over all records
	Mean   float64   `json:"mean"`   // of the folds' errors
	SD     float64   `json:"sd"`     // of the folds' errors, with n − 1
	Folds  []float64 `json:"folds"`
}

// Adjust sets Holm and BH of all rows that were tested, as one family: the rows
// of one table, whichever results they come from. A row that cannot decide is
// one of the family, with a p-value of 1. Run does so for its own rows.
func Adjust(rows []*Row) {
	var p []float64
	var tested []*Row
	for _, r := range rows {
		if !r.Measured() {
			continue
		}
		value := r.P
		if r.State == Undecided {
			value = 1
		}
		tested, p = append(tested, r), append(p, value)
	}
	holm, bh := infer.Holm(p), infer.BenjaminiHochberg(p)
	for i, r := range tested {
		r.Holm, r.BH = holm[i], bh[i]
	}
}
