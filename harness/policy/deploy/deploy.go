// Package deploy keeps fitted thresholds in a TOML file, with all it takes to
// apply them elsewhere. It owns the file's format, its strict reader and the
// rule by which its thresholds decide. It refuses a file that contradicts
// itself, or that lacks what a reader needs to decide as infnet does. Its
// opinion: thresholds without the confidence they are compared with are
// useless, so both are in one file.
package deploy

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"infnet/harness/curve"
	"infnet/harness/policy"
	"infnet/harness/policy/guarantee"
)

// format and version open every file of thresholds. The version changes when a
// reader of the old one would decide differently.
const (
	format  = "infnet thresholds"
	version = 2
)

// File is a fitted policy of a file, with all it takes to apply it elsewhere: which
// models, how a confidence is read and calibrated, the thresholds, and what is
// known of them.
type File struct {
	About
	Thresholds  []ClassThreshold    `toml:"thresholds"` // one per class in index order, or one without a class for all
	Fit         Fit                 `toml:"fit"`
	Certificate *policy.Certificate `toml:"certificate,omitempty"` // nil with a guarantee, and where the policy may abstain
	Warnings    []string            `toml:"warnings"`              // for people
	Guarantee   *guarantee.Promise  `toml:"guarantee,omitempty"`
	Mixture     *Mixture            `toml:"mixture,omitempty"` // nil: the thresholds decide alone
}

// About is the part of a File that a policy does not know.
type About struct {
	Study       string      `toml:"study"`   // "" = none
	Dataset     string      `toml:"dataset"` // "" = none
	Policy      string      `toml:"policy"`  // its name in the study's tables
	Student     Model       `toml:"student"`
	Master      Model       `toml:"master"`
	Confidence  Confidence  `toml:"confidence"`
	Calibration Calibration `toml:"calibration"`
	Provenance  Provenance  `toml:"provenance"`
}

// Model names a model whatever machine serves it.
type Model struct {
	Name     string `toml:"name"`     // in the study
	ID       string `toml:"id"`       // on the hub, or the name where there is none
	Revision string `toml:"revision"` // commit, or content hash of a local folder
}

// Confidence says how β is read from the student's answer.
type Confidence struct {
	Score      string             `toml:"score"`
	Over       string             `toml:"over,omitempty"`       // "answer": of the answer's tokens; "" = of all
	Parameters map[string]float64 `toml:"parameters,omitempty"` // fitted, by name
}

// Calibration says how β is calibrated before it meets a threshold.
type Calibration struct {
	Method     string             `toml:"method"` // "none" = not at all
	Parameters map[string]float64 `toml:"parameters,omitempty"`
	Curves     []curve.Monotone   `toml:"curves,omitempty"` // one, or one per class in index order
}

// ClassThreshold is the θ of a class, and below it the bar of an answer at all.
type ClassThreshold struct {
	Class   string  `toml:"class,omitempty"`  // "" = every class
	Theta   float64 `toml:"theta"`            // accept iff β ≥ θ; inf = always defer
	Abstain float64 `toml:"abstain,omitzero"` // no answer iff β < this; 0 = never
}

// Fit says what the thresholds were fitted to and what they did there.
type Fit struct {
	Setting   string  `toml:"setting"`
	Method    string  `toml:"method"` // how they were found; a name of package policy, or of another solver
	Objective string  `toml:"objective"`
	Target    string  `toml:"target"`
	Feasible  bool    `toml:"feasible"`   // the budget was met
	Records   int     `toml:"records"`    // in the fit part
	Budget    float64 `toml:"budget"`     // errors allowed
	Errors    float64 `toml:"errors"`     // errors made
	MinErrors float64 `toml:"min_errors"` // least errors any thresholds make
	Deferred  int     `toml:"deferred"`   // records deferred
}

// Provenance says where the thresholds come from, by hash. Unknown parts are "".
type Provenance struct {
	Infnet  string `toml:"infnet"`  // the program's version
	Spec    string `toml:"spec"`    // of the study's specs
	Answers string `toml:"answers"` // of the keys of the answers used
	Split   string `toml:"split"`   // of which record did what
}

// New joins a policy with what it does not know, and with the guarantee it carries;
// nil = none. classes are the classes' names in index order; nil for a task without
// classes. A policy with one threshold applies to all of them.
func New(p policy.Policy, g *guarantee.Promise, classes []string, about About) (File, error) {
	d := File{
		About: about,
		Fit: Fit{
			Setting: string(p.Setting), Method: string(p.Certificate.Method), Objective: string(p.Objective),
			Target: p.Budget.Target.String(), Feasible: p.Feasible, Records: p.N,
			Budget: p.Budget.Errors.Float(), Errors: p.FitError.Float(), MinErrors: p.MinError.Float(),
			Deferred: p.FitDeferred,
		},
		Certificate: &p.Certificate,
		Warnings:    []string{},
	}
	p.Certificate.Method = "" // Fit has it
	if g != nil {             // the thresholds were chosen for the promise: nothing is proved about their deferrals
		told := *g
		told.PValue, told.Untested, told.Tests = "", false, nil
		d.Certificate, d.Guarantee = nil, &told
	}
	for _, w := range p.Warnings {
		d.Warnings = append(d.Warnings, w.Message)
	}
	var err error
	if d.Thresholds, err = named(p.Thresholds, classes); err != nil {
		return File{}, err
	}
	return d, d.Validate()
}

// named joins thresholds with the names of their classes.
func named(t policy.Thresholds, classes []string) ([]ClassThreshold, error) {
	if len(t) == 1 {
		return []ClassThreshold{{Theta: t[0]}}, nil
	}
	if len(classes) != len(t) {
		return nil, fmt.Errorf("%d class names for %d thresholds", len(classes), len(t))
	}
	var out []ClassThreshold
	for k, theta := range t {
		out = append(out, ClassThreshold{Class: classes[k], Theta: theta})
	}
	return out, nil
}

// Threshold returns the thresholds that decide a query of this class with this
// coin, a number in [0,1) that depends on the query alone, and whether the
// policy knows the class. A class it does not know is deferred.
//
//	accept iff known and β ≥ θ; else abstain iff known and β < Abstain; else defer
//
// Without a mixture the coin does not matter.
func (d File) Threshold(class string, coin float64) (bar ClassThreshold, known bool) {
	thresholds := d.Thresholds
	if d.Mixture != nil && coin >= d.Mixture.Alpha {
		thresholds = d.Mixture.Lax
	}
	for _, t := range thresholds {
		if t.Class == "" || t.Class == class {
			return t, true
		}
	}
	return ClassThreshold{}, false
}

// Abstains reports whether the policy may leave a query unanswered, by itself.
func (d File) Abstains() bool {
	return slices.ContainsFunc(d.Thresholds, func(t ClassThreshold) bool { return t.Abstain > 0 })
}

// Classed reports whether the policy looks at the class.
func (d File) Classed() bool {
	return d.Thresholds[0].Class != "" || d.Mixture != nil && d.Mixture.Lax[0].Class != ""
}

// Validate reports what makes a deployment unusable or contradictory.
func (d File) Validate() error {
	if err := validateThresholds(d.Thresholds); err != nil {
		return err
	}
	if d.Confidence.Score == "" || d.Calibration.Method == "" {
		return fmt.Errorf(`confidence score %q, calibration method %q: neither may be empty (no calibration is "none")`,
			d.Confidence.Score, d.Calibration.Method)
	}
	for _, m := range []map[string]float64{d.Confidence.Parameters, d.Calibration.Parameters} {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if v := m[name]; math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("parameter %q is %v: want a finite number", name, v)
			}
		}
	}
	for i, c := range d.Calibration.Curves {
		if err := c.Validate(); err != nil {
			return fmt.Errorf("calibration curve %d: %w", i, err)
		}
	}
	if err := d.validateGuarantee(); err != nil {
		return err
	}
	if err := d.validateMixture(); err != nil {
		return err
	}
	return d.validateFit()
}

func validateThresholds(thresholds []ClassThreshold) error {
	if len(thresholds) == 0 {
		return fmt.Errorf("no thresholds")
	}
	seen := map[string]bool{}
	for i, t := range thresholds {
		if !(t.Theta >= 0) {
			return fmt.Errorf("threshold %d is %v: want a number ≥ 0, or inf", i, t.Theta)
		}
		if !(t.Abstain >= 0 && t.Abstain <= t.Theta) {
			return fmt.Errorf("threshold %d abstains below %v, with a theta of %v: want a number from 0 to theta", i, t.Abstain,
				t.Theta)
		}
		if t.Class == "" && len(thresholds) > 1 {
			return fmt.Errorf("threshold %d has no class, but there are %d thresholds", i, len(thresholds))
		}
		if seen[t.Class] {
			return fmt.Errorf("class %q has two thresholds", t.Class)
		}
		seen[t.Class] = true
	}
	return nil
}

func (d File) validateFit() error {
	known := slices.Contains(policy.Settings(), policy.Setting(d.Fit.Setting)) &&
		slices.Contains(policy.Objectives(), policy.Objective(d.Fit.Objective))
	if !known || d.Fit.Method == "" {
		return fmt.Errorf("setting %q, method %q, objective %q: one of them is unknown or missing", d.Fit.Setting,
			d.Fit.Method, d.Fit.Objective)
	}
	if _, err := policy.ParseTarget(d.Fit.Target); err != nil {
		return err
	}
	for _, v := range []float64{d.Fit.Budget, d.Fit.Errors, d.Fit.MinErrors} {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("%v errors: want a finite number ≥ 0", v)
		}
	}
	if d.Fit.Records < 1 || d.Fit.Deferred < 0 || d.Fit.Deferred > d.Fit.Records {
		return fmt.Errorf("%d of %d records deferred", d.Fit.Deferred, d.Fit.Records)
	}
	if c := d.Certificate; c == nil {
		if d.Guarantee == nil && d.Fit.Method != string(policy.Abstaining) {
			return errors.New("no certificate")
		}
	} else if c.Gap < 0 || c.LowerBound < 0 || c.Value < c.LowerBound || c.Gap != c.Value-c.LowerBound ||
		c.Optimal != (c.Gap == 0) {
		return fmt.Errorf("certificate contradicts itself: value %d, lower bound %d, gap %d, optimal %t", c.Value,
			c.LowerBound, c.Gap, c.Optimal)
	}
	// Only a method of package policy finds a feasible policy whenever there is one.
	if own := slices.Contains(policy.Methods(), policy.Method(d.Fit.Method)); own &&
		d.Fit.Feasible != (d.Fit.MinErrors <= d.Fit.Budget) {
		return fmt.Errorf("feasible = %t, but the least error is %v and the budget %v", d.Fit.Feasible, d.Fit.MinErrors,
			d.Fit.Budget)
	}
	return nil
}
