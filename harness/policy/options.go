package policy

import (
	"fmt"
	"math/big"
	"strconv"

	"infnet/harness/choice"
)

// Setting says what errors are measured against.
type Setting string

// The settings of the paper (§2).
const (
	NonOracle Setting = "non-oracle" // the dataset's reference; the master errs too
	Oracle    Setting = "oracle"     // the master's answer; the master never errs
)

// Settings lists the valid settings.
func Settings() []Setting { return []Setting{NonOracle, Oracle} }

// UnmarshalText accepts a setting's name.
func (s *Setting) UnmarshalText(b []byte) error { return choice.Decode(s, b, "setting", Settings()) }

// Method is how thresholds are found.
type Method string

// The methods. Exact and Linear give the same thresholds.
const (
	Exact          Method = "exact"           // optimal, with a certificate
	Linear         Method = "linear"          // single threshold in linear time; oracle setting only
	Lagrangian     Method = "lagrangian"      // from the convex hull of each class's options
	LagrangianGrid Method = "lagrangian-grid" // the paper's sweep over a grid of multipliers
)

// Methods lists the valid methods.
func Methods() []Method { return []Method{Exact, Linear, Lagrangian, LagrangianGrid} }

// UnmarshalText accepts a method's name.
func (m *Method) UnmarshalText(b []byte) error { return choice.Decode(m, b, "method", Methods()) }

// Target is the error budget as a study states it: the error of a model, the
// least achievable error, or a performance ξ ∈ [0,1] (error at most 1−ξ).
// The zero Target is "best".
type Target struct {
	name   string   // "master", "student", "best", "min"; "" with xi == nil means best
	xi     *big.Rat // performance, exactly as the decimal literal says; nil for names
	source string   // the literal
}

// The named targets.
var (
	Master  = Target{name: "master"}  // the master's error count on the fit part
	Student = Target{name: "student"} // the student's
	Best    = Target{name: "best"}    // the smaller of the two
	Min     = Target{name: "min"}     // the least error any thresholds achieve
)

// ParseTarget reads "master", "student", "best", "min" or a decimal in [0,1].
func ParseTarget(s string) (Target, error) {
	for _, t := range []Target{Master, Student, Best, Min} {
		if s == t.name {
			return t, nil
		}
	}
	xi, ok := new(big.Rat).SetString(s)
	if !ok {
		return Target{}, fmt.Errorf("unknown target %q: want master, student, best, min or a number in [0,1]", s)
	}
	if xi.Sign() < 0 || xi.Cmp(big.NewRat(1, 1)) > 0 {
		return Target{}, fmt.Errorf("target %s is outside [0,1]: it is a performance, 0.9 asks for at most 10 %% errors", s)
	}
	return Target{xi: xi, source: s}, nil
}

// Numeric reports whether the target is a number, and returns it.
func (t Target) Numeric() (*big.Rat, bool) { return t.xi, t.xi != nil }

// String returns the target as it would be written in a spec.
func (t Target) String() string {
	switch {
	case t.xi != nil:
		return t.source
	case t.name == "":
		return Best.name
	}
	return t.name
}

// UnmarshalTOML accepts a string or a number. A number is taken as the decimal
// it was written as, not as its binary neighbour.
func (t *Target) UnmarshalTOML(v any) (err error) {
	switch v := v.(type) {
	case string:
		*t, err = ParseTarget(v)
	case float64:
		*t, err = ParseTarget(strconv.FormatFloat(v, 'g', -1, 64))
	case int64:
		*t, err = ParseTarget(strconv.FormatInt(v, 10))
	default:
		err = fmt.Errorf("target is a %T: want master, student, best, min or a number in [0,1]", v)
	}
	return err
}
