package policy

import (
	"fmt"
	"slices"

	"infnet/harness/choice"
)

// GuaranteeMethod is how a budget is promised for records not seen yet.
type GuaranteeMethod string

// The methods. Meeting a budget on the records thresholds were fitted to
// promises nothing: about every second policy fitted so breaks it on new ones.
const (
	// LearnThenTest promises that the true risk is within the budget with
	// probability 1 − δ over the records.
	LearnThenTest GuaranteeMethod = "ltt"
	// ConformalRisk promises it on average over the records.
	ConformalRisk GuaranteeMethod = "crc"
)

// GuaranteeMethods lists the valid methods.
func GuaranteeMethods() []GuaranteeMethod { return []GuaranteeMethod{LearnThenTest, ConformalRisk} }

// UnmarshalText accepts a method's name.
func (m *GuaranteeMethod) UnmarshalText(b []byte) error {
	return choice.Decode(m, b, "guarantee method", GuaranteeMethods())
}

// PValue is the test of one candidate.
type PValue string

// The tests. Choose before looking at the records.
const (
	Binomial         PValue = "binomial"          // numeric target, errors of 0 and 1; exact
	HoeffdingBentkus PValue = "hoeffding-bentkus" // numeric target, any errors
	Betting          PValue = "betting"           // relative target: the paired excess error
	Regret           PValue = "regret"            // target master: accepted where the student errs and the master does not
)

// PValues lists the valid tests.
func PValues() []PValue { return []PValue{Binomial, HoeffdingBentkus, Betting, Regret} }

// UnmarshalText accepts a test's name.
func (p *PValue) UnmarshalText(b []byte) error { return choice.Decode(p, b, "p-value", PValues()) }

// Guarantee says what to promise about records drawn like those of the fit part.
type Guarantee struct {
	Method GuaranteeMethod `json:"method" toml:"method"`   // "" = LearnThenTest
	Delta  float64         `json:"delta" toml:"delta"`     // ltt: probability of a broken promise, in (0,1); 0 = 0.05. crc has none
	Margin float64         `json:"margin" toml:"margin"`   // relative targets: excess error per record allowed above the reference, in (0,1); numeric targets have none
	PValue PValue          `json:"p_value" toml:"p_value"` // ltt; "" = Betting for a relative target, Regret being the alternative against the master; for a number Binomial, or HoeffdingBentkus where errors are soft
}

// DefaultDelta is the probability of a broken promise where none is given.
const DefaultDelta = 0.05

// Check reports a guarantee that contradicts itself or the options: what a
// spec can be told without records.
func (g Guarantee) Check(o Options) error {
	o, g = o.withDefaults(), g.withDefaults()
	if !slices.Contains(GuaranteeMethods(), g.Method) {
		return fmt.Errorf("guarantee method %q: want one of %v", g.Method, GuaranteeMethods())
	}
	_, numeric := o.Target.Numeric()
	switch {
	case o.Setting == Oracle && !numeric:
		return fmt.Errorf("target %q in the oracle setting: give a number, the agreement with the master, such as 0.95", o.Target)
	case o.Target.Equal(Min):
		return fmt.Errorf("target %q with a guarantee: the least error is no reference known before the records are seen; use a number, master, student or best", Min)
	case numeric && g.Margin != 0:
		return fmt.Errorf("margin %v with the numeric target %s: the number itself is the budget; leave the margin out or lower the target", g.Margin, o.Target)
	case !numeric && !(g.Margin > 0 && g.Margin < 1):
		return fmt.Errorf("margin %v with target %q: no finite number of records shows that an error is at most another's; allow an excess per record in (0,1), such as 0.01", g.Margin, o.Target)
	}
	if g.Method == ConformalRisk {
		return g.checkConformal(o, numeric)
	}
	if !(g.Delta > 0 && g.Delta < 1) {
		return fmt.Errorf("delta %v: want a probability in (0,1), such as 0.05", g.Delta)
	}
	switch {
	case g.PValue == "":
	case !slices.Contains(PValues(), g.PValue):
		return fmt.Errorf("p-value %q: want one of %v", g.PValue, PValues())
	case numeric != (g.PValue == Binomial || g.PValue == HoeffdingBentkus):
		return fmt.Errorf("p-value %q with target %q: numbers are tested by %q or %q, models by %q or %q", g.PValue, o.Target, Binomial, HoeffdingBentkus, Betting, Regret)
	case g.PValue == Regret && !o.Target.Equal(Master):
		return fmt.Errorf("p-value %q with target %q: regret is measured against the master; use target %q, or %q", Regret, o.Target, Master, Betting)
	}
	return nil
}

func (g Guarantee) checkConformal(o Options, numeric bool) error {
	switch {
	case g.Delta != 0:
		return fmt.Errorf("delta %v with method %q: its promise is one on average; leave delta out, or use %q", g.Delta, ConformalRisk, LearnThenTest)
	case g.PValue != "":
		return fmt.Errorf("p-value %q with method %q, which tests nothing", g.PValue, ConformalRisk)
	case numeric && o.Setting != Oracle:
		return fmt.Errorf("numeric target %s with method %q: against a reference the error is not monotone along the thresholds, the regret is; use target %q with a margin, or %q", o.Target, ConformalRisk, Master, LearnThenTest)
	case !numeric && !o.Target.Equal(Master):
		return fmt.Errorf("target %q with method %q: it bounds the regret, which is measured against the master; use target %q", o.Target, ConformalRisk, Master)
	}
	return nil
}

func (g Guarantee) withDefaults() Guarantee {
	if g.Method == "" {
		g.Method = LearnThenTest
	}
	if g.Method == LearnThenTest && g.Delta == 0 {
		g.Delta = DefaultDelta
	}
	return g
}

// test returns the test to use on these records.
func (g Guarantee) test(numeric bool, scale int64) (PValue, error) {
	switch {
	case g.PValue == Binomial && scale != 1:
		return "", fmt.Errorf("p-value %q with soft errors: it counts errors of 0 and 1; use %q", Binomial, HoeffdingBentkus)
	case g.PValue != "":
		return g.PValue, nil
	case !numeric:
		return Betting, nil
	case scale == 1:
		return Binomial, nil
	}
	return HoeffdingBentkus, nil
}

// Halves divides the records of a fit part, by index. Nothing the confidence
// needs (calibrator, scale, regressor) may have been fitted on Test, nor may β
// be out-of-fold predictions.
type Halves struct {
	Propose []int // half A: fixes the reference, the candidates and their order; may be empty for a single threshold by ConformalRisk
	Test    []int // half B: tests them, in this order, which must not depend on the records: a seeded shuffle
}

// check reports indices outside the records, or used twice.
func (h Halves) check(n int, needPropose bool) error {
	if len(h.Test) == 0 || needPropose && len(h.Propose) == 0 {
		return fmt.Errorf("a guarantee with %d records to propose and %d to test: both need some", len(h.Propose), len(h.Test))
	}
	seen := make([]bool, n)
	for _, half := range [][]int{h.Propose, h.Test} {
		for _, i := range half {
			if i < 0 || i >= n {
				return fmt.Errorf("record %d of a half is outside the %d records", i, n)
			}
			if seen[i] {
				return fmt.Errorf("record %d is in the halves twice: what proposes may not test", i)
			}
			seen[i] = true
		}
	}
	return nil
}

// Guaranteed is a policy with a promise about new records, or without one.
type Guaranteed struct {
	// Policy describes its thresholds over both halves together, the margin
	// being part of its budget. Its errors there are no test and may exceed the
	// budget. Its certificate compares it with nothing: the lower bound is 0.
	Policy    Policy          `json:"policy"`
	Certified bool            `json:"certified"` // false: no promise at all, and the thresholds are half A's of least error
	Method    GuaranteeMethod `json:"method"`
	PValue    PValue          `json:"p_value_kind,omitempty"`
	Reference string          `json:"reference,omitempty"` // relative targets: the model chosen on half A, "student" or "master"
	Level     float64         `json:"level"`               // what is promised: error, or excess over the reference, per record
	Delta     float64         `json:"delta,omitempty"`     // with probability 1 − δ; 0 = on average
	Untested  bool            `json:"untested,omitempty"`  // the thresholds are the reference itself, which needs no test
	Proposed  int             `json:"proposed"`            // records in half A
	Tested    int             `json:"tested"`              // records in half B
	Tests     []Tested        `json:"tests,omitempty"`     // candidates in order, up to the first that failed
	// Free is the policy fitted to both halves at the same target without a
	// promise. Against a reference it has no margin either: the two differ in
	// what they allow.
	Free Policy `json:"free"`
}

// Tested is one candidate on half B.
type Tested struct {
	Thresholds Thresholds `json:"thresholds"`
	Deferred   int        `json:"deferred"` // of half B
	Risk       float64    `json:"risk"`     // observed on half B: error, excess or regret per record
	P          float64    `json:"p"`        // ltt: p-value; crc: the bound on the risk
}
