// Package guarantee fits thresholds with a guarantee for new records. It owns the
// guarantees (learn then test, conformal risk control), the tests behind them and
// the division of the records into halves. It refuses to test on a record that
// helped to choose what is tested. Its opinion: meeting a budget on the records
// that thresholds were fitted to guarantees nothing.
//
// GUARANTEES.md shows how often the guarantees hold in simulation.
package guarantee

import (
	"fmt"
	"slices"

	"infnet/harness/choice"
	"infnet/harness/policy"
)

// Method is a way to guarantee a budget for new records.
type Method string

// The methods. Meeting a budget on the records that thresholds were fitted to
// guarantees nothing: about every second such policy exceeds it on new ones.
const (
	// LearnThenTest guarantees that the true risk is within the budget with
	// probability 1 − δ over the records.
	LearnThenTest Method = "ltt"
	// ConformalRisk guarantees it on average over the records.
	ConformalRisk Method = "crc"
)

func Methods() []Method { return []Method{LearnThenTest, ConformalRisk} }

func (m *Method) UnmarshalText(b []byte) error {
	return choice.Decode(m, b, "guarantee method", Methods())
}

// PValue is the test of one candidate.
type PValue string

// The tests: which one is used follows from the target and the records' form, not from what they say.
const (
	Binomial         PValue = "binomial"          // numeric target, independent errors of 0 and 1; exact
	HoeffdingBentkus PValue = "hoeffding-bentkus" // numeric target, any errors
	Betting          PValue = "betting"           // relative target: the paired excess error; numeric target: the error
)

// Terms are the terms of a guarantee for records drawn like those of the fit part.
type Terms struct {
	// learn-then-test, with probability 1 − delta; conformal risk control, on average
	Method Method `json:"method" toml:"method" default:"ltt"`
	// ltt: probability that the promise is broken
	Delta float64 `json:"delta" toml:"delta" usual:"0.05" range:"more than 0, less than 1" fix:"0.05 breaks one promise in twenty"`
	// targets that name a model: error per record allowed above that model's
	Margin float64 `json:"margin" toml:"margin" usual:"none" range:"more than 0, less than 1"`
	// most records that a group can have by its nature; needed with groups
	MaxCluster int `json:"max_cluster,omitempty" toml:"max_cluster" usual:"none" range:"1 to 1000000" fix:"give the most records that a group can have by its nature"`
}

// DefaultDelta is the probability of a broken promise where none is given.
const DefaultDelta = 0.05

// Check reports a guarantee that contradicts itself or the options. It needs no
// records, so a spec can be checked with it.
func (g Terms) Check(o policy.Options) error {
	g = g.withDefaults()
	if !slices.Contains(Methods(), g.Method) {
		return fmt.Errorf("guarantee method %q: want one of %v", g.Method, Methods())
	}
	_, numeric := o.Target.Numeric()
	switch {
	case o.Setting == policy.Oracle && !numeric:
		return fmt.Errorf("target %q in the oracle setting: give a number, the agreement with the master, such as 0.95",
			o.Target)
	case o.Target.Equal(policy.Min):
		return fmt.Errorf("target %q with a guarantee: the least error is no reference known before the records are seen; "+
			"use a number, master, student or best", policy.Min)
	case numeric && g.Margin != 0:
		return fmt.Errorf("margin %v with the numeric target %s: the number itself is the budget; leave the margin out or "+
			"lower the target", g.Margin, o.Target)
	case !numeric && !(g.Margin > 0 && g.Margin < 1):
		return fmt.Errorf("margin %v with target %q: no finite number of records shows that an error is at most "+
			"another's; allow an excess per record in (0,1), such as 0.01", g.Margin, o.Target)
	case g.MaxCluster < 0:
		return fmt.Errorf("max_cluster %d: want the most records that a group may have, 1 or more", g.MaxCluster)
	}
	if g.Method == ConformalRisk {
		return g.checkConformal(o, numeric)
	}
	if !(g.Delta > 0 && g.Delta < 1) {
		return fmt.Errorf("delta %v: want a probability in (0,1), such as 0.05", g.Delta)
	}
	return nil
}

func (g Terms) checkConformal(o policy.Options, numeric bool) error {
	switch {
	case g.Delta != 0:
		return fmt.Errorf("delta %v with method %q: its promise is one on average; leave delta out, or use %q", g.Delta,
			ConformalRisk, LearnThenTest)
	case numeric && o.Setting != policy.Oracle:
		return fmt.Errorf("numeric target %s with method %q: against a reference the error is not monotone along the "+
			"thresholds, the regret is; use target %q with a margin, or %q", o.Target, ConformalRisk, policy.Master,
			LearnThenTest)
	case !numeric && !o.Target.Equal(policy.Master):
		return fmt.Errorf("target %q with method %q: it bounds the regret, which is measured against the master; use "+
			"target %q", o.Target, ConformalRisk, policy.Master)
	}
	return nil
}

func (g Terms) withDefaults() Terms {
	if g.Method == "" {
		g.Method = LearnThenTest
	}
	if g.Method == LearnThenTest && g.Delta == 0 {
		g.Delta = DefaultDelta
	}
	return g
}

// test returns the test of records with errors in multiples of 1/scale that come in
// clusters of up to most records.
func test(numeric bool, scale int64, most int) PValue {
	switch {
	case !numeric || most > 1:
		return Betting
	case scale == 1:
		return Binomial
	}
	return HoeffdingBentkus
}

// Uncertified is the warning that no guarantee could be given.
const Uncertified policy.WarningKind = "uncertified"

// Promise is what is promised of a policy on records drawn like those of the fit part, and what was tested. It is a
// table of a file of thresholds.
type Promise struct {
	Method    Method `toml:"method"`
	Certified bool   `toml:"certified"` // false: no guarantee, and the thresholds of least error on half A
	// relative targets: the model chosen on half A, "student" or "master"
	Reference string  `toml:"reference,omitempty"`
	Level     float64 `toml:"level"`              // what is promised: error, or excess over the reference, per record
	Delta     float64 `toml:"delta"`              // with probability 1 − δ; 0 = on average
	Proposed  int     `toml:"proposed"`           // records in half A
	Tested    int     `toml:"tested"`             // records in half B
	Clusters  int     `toml:"clusters,omitempty"` // their clusters; 0 = every record is one
	// the promise is about records of clusters of at most so many; 0 = every record is a cluster
	Largest int `toml:"largest,omitempty"`

	PValue   PValue   `toml:"-"`
	Untested bool     `toml:"-"` // the thresholds are the reference itself, which needs no test
	Tests    []Tested `toml:"-"` // candidates in order, up to the first that failed
}

// Result is a policy with a guarantee for new records, or without one.
type Result struct {
	// Policy describes its thresholds over both halves together, the margin
	// being part of its budget. Its errors there are no test and may exceed the
	// budget. Its certificate compares it with nothing: the lower bound is 0.
	Policy policy.Policy
	Promise
}

// Sample says in words what the promise was tested on.
func (p Promise) Sample() string {
	if p.Clusters == 0 {
		return fmt.Sprintf("%d records", p.Tested)
	}
	return fmt.Sprintf("%d records in %d groups", p.Tested, p.Clusters)
}

// Tested is one candidate on half B.
type Tested struct {
	Thresholds policy.Thresholds
	Deferred   int     // of half B
	Risk       float64 // observed on half B: error, excess or regret per record
	P          float64 // ltt: p-value; crc: the bound on the risk
}
