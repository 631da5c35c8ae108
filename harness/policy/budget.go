package policy

import (
	"fmt"
	"math/big"
	"strconv"
)

// Count is an exact number of errors, Units/Scale. Scale is 1 where every
// error is 0 or 1, and 2³² where errors are soft.
type Count struct {
	Units int64
	Scale int64 // ≥ 1
}

// Float returns the number of errors.
func (c Count) Float() float64 { return float64(c.Units) / float64(c.Scale) }

// Rate returns the error per record, in [0,1] for a count over n records.
func (c Count) Rate(n int) float64 { return c.Float() / float64(n) }

// String returns the number of errors: an integer, or three decimals if soft.
func (c Count) String() string {
	if c.Scale == 1 {
		return strconv.FormatInt(c.Units, 10)
	}
	return strconv.FormatFloat(c.Float(), 'f', 3, 64)
}

// Budget is how many errors the cascade may make on N records. It is an
// integer number of units: comparing it needs no tolerance.
type Budget struct {
	Target Target // what was asked for
	Errors Count  // what that means here
	N      int    // records
}

// NumericBudget returns the budget ⌊(1−ξ)·n·scale⌋ units of a numeric target,
// computed from its decimal literal: ξ = 0.9 over 10 records allows 1 error,
// where 64-bit arithmetic says 0. It panics if the target is not a number.
func NumericBudget(t Target, n int, scale int64) Budget {
	xi, ok := t.Numeric()
	if !ok {
		panic("policy: NumericBudget of target " + t.String())
	}
	b := new(big.Rat).Sub(big.NewRat(1, 1), xi)
	b.Mul(b, new(big.Rat).SetInt(new(big.Int).Mul(big.NewInt(int64(n)), big.NewInt(scale))))
	floor := new(big.Int).Quo(b.Num(), b.Denom()) // b ≥ 0, so this is the floor
	return Budget{Target: t, Errors: Count{floor.Int64(), scale}, N: n}
}

// budget converts a target to a budget; least is the least achievable error.
func (c *columns) budget(t Target, least int64) Budget {
	b := Budget{Target: t, Errors: Count{0, c.scale}, N: c.n}
	switch t.String() {
	case Master.name:
		b.Errors.Units = c.sumMaster
	case Student.name:
		b.Errors.Units = c.sumStudent
	case Best.name:
		b.Errors.Units = min(c.sumStudent, c.sumMaster)
	case Min.name:
		b.Errors.Units = least
	default:
		return NumericBudget(t, c.n, c.scale)
	}
	return b
}

// String returns the budget as "12 errors in 400 records".
func (b Budget) String() string { return fmt.Sprintf("%s errors in %d records", b.Errors, b.N) }

// AsTarget returns the number that allows exactly these errors in these records.
func (b Budget) AsTarget() Target {
	whole := new(big.Int).Mul(big.NewInt(int64(b.N)), big.NewInt(b.Errors.Scale))
	rate := new(big.Rat).SetFrac(big.NewInt(b.Errors.Units), whole)
	if one := big.NewRat(1, 1); rate.Cmp(one) > 0 {
		rate = one
	}
	xi := rate.Sub(big.NewRat(1, 1), rate)
	return Target{xi: xi, source: xi.RatString()}
}
