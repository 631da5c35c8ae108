package policy

import (
	"cmp"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"

	"infnet/harness/choice"
)

// Setting says what errors are measured against.
type Setting string

const (
	NonOracle Setting = "non-oracle" // the dataset's reference; the master errs too
	Oracle    Setting = "oracle"     // the master's answer; the master never errs
)

func Settings() []Setting { return []Setting{NonOracle, Oracle} }

func (s *Setting) UnmarshalText(b []byte) error { return choice.Decode(s, b, "setting", Settings()) }

type Method string

// The methods. Exact and Linear give the same thresholds, in the same time.
const (
	Exact          Method = "exact"           // optimal, with a certificate
	Linear         Method = "linear"          // single threshold, the paper's name; oracle setting only
	Lagrangian     Method = "lagrangian"      // from the convex hull of each class's options
	LagrangianGrid Method = "lagrangian-grid" // the paper's sweep over a grid of multipliers
)

func Methods() []Method { return []Method{Exact, Linear, Lagrangian, LagrangianGrid} }

func (m *Method) UnmarshalText(b []byte) error { return choice.Decode(m, b, "method", Methods()) }

// Objective is what thresholds minimise.
type Objective string

// The objectives. They agree where every query costs the master the same.
const (
	Deferrals Objective = "deferrals" // the number of deferred records
	Cost      Objective = "cost"      // the master's cost summed over the deferred records
)

func Objectives() []Objective { return []Objective{Deferrals, Cost} }

func (o *Objective) UnmarshalText(b []byte) error {
	return choice.Decode(o, b, "objective", Objectives())
}

// Options say what to fit. The zero Options mean: non-oracle, target best,
// exact, fewest deferrals.
type Options struct {
	Setting   Setting   // "" = NonOracle
	Target    Target    // zero = Best; the oracle setting needs a number
	Method    Method    // "" = Exact
	Objective Objective // "" = Deferrals; Cost needs Records.MasterCost
	// Exact with several thresholds: pairs of states looked at before it stops; 0 = 4·10⁹. FrontierMulti: the
	// same before it keeps to the hull
	WorkLimit int64
}

// Resolve fills in defaults and reports options that contradict each other or the
// records.
func (o Options) Resolve(r Records) (Options, error) {
	o = o.withDefaults()
	return o, o.check(r)
}

func (o Options) withDefaults() Options {
	if o.Setting == "" {
		o.Setting = NonOracle
	}
	if o.Method == "" {
		o.Method = Exact
	}
	if o.Objective == "" {
		o.Objective = Deferrals
	}
	if o.WorkLimit == 0 {
		o.WorkLimit = 4_000_000_000
	}
	return o
}

func (o Options) check(r Records) error {
	if !slices.Contains(Settings(), o.Setting) || !slices.Contains(Methods(), o.Method) ||
		!slices.Contains(Objectives(), o.Objective) {
		return fmt.Errorf("setting %q, method %q, objective %q: one of them is unknown", o.Setting, o.Method, o.Objective)
	}
	if o.Setting == Oracle {
		if err := o.checkTarget(); err != nil {
			return err
		}
		for i, v := range r.Master {
			if v != 0 {
				return fmt.Errorf("record %d: master error %v in the oracle setting, where the master's answer is the "+
					"reference: leave Master nil", i, v)
			}
		}
	} else if r.Master == nil {
		return fmt.Errorf("no master errors: the non-oracle setting needs them (the oracle setting does not)")
	}
	if o.Method == Linear && o.Setting != Oracle {
		return fmt.Errorf("method %q needs the oracle setting: against a reference the error is not monotone in the "+
			"threshold; use %q", Linear, Exact)
	}
	if o.Objective == Cost && r.MasterCost == nil {
		return fmt.Errorf("objective %q needs the master's cost of every record", o.Objective)
	}
	return nil
}

func (o Options) checkTarget() error {
	if _, ok := o.Target.Numeric(); !ok && o.Setting == Oracle {
		return fmt.Errorf("target %q in the oracle setting: the master never errs there, so give a number, the agreement "+
			"with the master, such as 0.95", o.Target)
	}
	return nil
}

// Target is the error budget as a study states it: the error of a model, the
// least achievable error, or a performance ξ ∈ [0,1] (error at most 1−ξ).
// The zero Target is "best".
type Target struct {
	source string   // the literal, or "master", "student", "best", "min"; "" means best
	xi     *big.Rat // performance, exactly as the decimal literal says; nil for names
}

// The named targets.
var (
	Master  = Target{source: "master"}  // the master's error count on the fit part
	Student = Target{source: "student"} // the student's
	Best    = Target{source: "best"}    // the smaller of the two
	Min     = Target{source: "min"}     // the least error any thresholds achieve
)

// decimal matches a numeric target. An exponent has at most three digits: more
// would let a short text denote a number of any length.
var decimal = regexp.MustCompile(`^-?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$`)

// ParseTarget reads "master", "student", "best", "min" or a decimal in [0,1].
func ParseTarget(s string) (Target, error) {
	for _, t := range []Target{Master, Student, Best, Min} {
		if s == t.source {
			return t, nil
		}
	}
	xi, ok := new(big.Rat), decimal.MatchString(s) && len(s) <= 100
	if ok {
		_, ok = xi.SetString(s)
	}
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

func (t Target) String() string { return cmp.Or(t.source, Best.source) }

// Equal reports whether two targets ask for the same: 0.9 and 9e-1 do.
func (t Target) Equal(u Target) bool {
	if t.xi != nil && u.xi != nil {
		return t.xi.Cmp(u.xi) == 0
	}
	return t.xi == nil && u.xi == nil && t.String() == u.String()
}

func (t Target) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

func (t *Target) UnmarshalText(b []byte) (err error) {
	*t, err = ParseTarget(string(b))
	return err
}

// UnmarshalTOML accepts a string or a number. A number is read as the decimal
// literal, not as the nearest binary fraction.
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

// Count is an exact number of errors, Units/Scale. Scale is 1 where every
// error is 0 or 1, and 2³² where errors are soft.
type Count struct {
	Units int64
	Scale int64 // ≥ 1
}

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
	case Master.source:
		b.Errors.Units = c.sumMaster
	case Student.source:
		b.Errors.Units = c.sumStudent
	case Best.source:
		b.Errors.Units = min(c.sumStudent, c.sumMaster)
	case Min.source:
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
