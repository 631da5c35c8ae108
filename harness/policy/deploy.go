package policy

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"infnet/harness/curve"
)

// deploymentFormat and deploymentVersion open every file of thresholds. The
// version changes when a reader of the old one would decide differently.
const (
	deploymentFormat  = "infnet thresholds"
	deploymentVersion = 1
)

// Deployment is a fitted policy with all it takes to apply it elsewhere: which
// models, how a confidence is read and calibrated, the thresholds, and what is
// known of them. EncodeDeployment and DecodeDeployment keep it in a TOML file.
type Deployment struct {
	Format  string `toml:"format"`  // "infnet thresholds"
	Version int    `toml:"version"` // 1
	About
	Thresholds  []ClassThreshold     `toml:"thresholds"` // one per class in index order, or one without a class for all
	Fit         DeployedFit          `toml:"fit"`
	Certificate *DeployedCertificate `toml:"certificate,omitempty"` // nil with a guarantee
	Warnings    []string             `toml:"warnings"`              // for people
	Guarantee   *DeployedGuarantee   `toml:"guarantee,omitempty"`
	Mixture     *DeployedMixture     `toml:"mixture,omitempty"` // nil: the thresholds decide alone
}

// About is the part of a Deployment that a Policy does not know.
type About struct {
	Study       string              `toml:"study"`   // "" = none
	Dataset     string              `toml:"dataset"` // "" = none
	Policy      string              `toml:"policy"`  // its name in the study's tables
	Student     DeployedModel       `toml:"student"`
	Master      DeployedModel       `toml:"master"`
	Confidence  DeployedConfidence  `toml:"confidence"`
	Calibration DeployedCalibration `toml:"calibration"`
	Provenance  Provenance          `toml:"provenance"`
}

// DeployedModel names a model whatever machine serves it.
type DeployedModel struct {
	Name     string `toml:"name"`     // in the study
	ID       string `toml:"id"`       // on the hub, or the name where there is none
	Revision string `toml:"revision"` // commit, or content hash of a local folder
}

// DeployedConfidence says how β is read from the student's answer.
type DeployedConfidence struct {
	Score      string             `toml:"score"`
	IncludeEOS bool               `toml:"include_eos"`
	Parameters map[string]float64 `toml:"parameters,omitempty"` // fitted, by name
}

// DeployedCalibration says how β is calibrated before it meets a threshold.
type DeployedCalibration struct {
	Method     string             `toml:"method"` // "none" = not at all
	Parameters map[string]float64 `toml:"parameters,omitempty"`
	Curves     []curve.Monotone   `toml:"curves,omitempty"` // one, or one per class in index order
}

// ClassThreshold is the θ of a class.
type ClassThreshold struct {
	Class string  `toml:"class,omitempty"` // "" = every class
	Theta float64 `toml:"theta"`           // accept iff β ≥ θ; inf = always defer
}

// DeployedFit says what the thresholds were fitted to and what they did there.
type DeployedFit struct {
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

// DeployedCertificate is a Certificate, in units of the objective.
type DeployedCertificate struct {
	Value      int64 `toml:"value"`
	LowerBound int64 `toml:"lower_bound"`
	Gap        int64 `toml:"gap"`
	Optimal    bool  `toml:"optimal"`
}

// Provenance says where the thresholds come from, by hash. Unknown parts are "".
type Provenance struct {
	Infnet  string `toml:"infnet"`  // the program's version
	Spec    string `toml:"spec"`    // of the study's specs
	Answers string `toml:"answers"` // of the keys of the answers used
	Split   string `toml:"split"`   // of which record did what
}

// Deploy joins a policy with what it does not know. classes are the classes'
// names in index order; nil for a task without classes. A policy with one
// threshold applies to all of them.
func (p Policy) Deploy(classes []string, about About) (Deployment, error) {
	d := Deployment{
		Format: deploymentFormat, Version: deploymentVersion, About: about,
		Fit: DeployedFit{
			Setting: string(p.Setting), Method: string(p.Certificate.Method), Objective: string(p.Objective),
			Target: p.Budget.Target.String(), Feasible: p.Feasible, Records: p.N,
			Budget: p.Budget.Errors.Float(), Errors: p.FitError.Float(), MinErrors: p.MinError.Float(), Deferred: p.FitDeferred,
		},
		Certificate: &DeployedCertificate{p.Certificate.Value, p.Certificate.LowerBound, p.Certificate.Gap, p.Certificate.Optimal},
		Warnings:    []string{},
	}
	for _, w := range p.Warnings {
		d.Warnings = append(d.Warnings, w.Message)
	}
	var err error
	if d.Thresholds, err = p.Thresholds.named(classes); err != nil {
		return Deployment{}, err
	}
	return d, d.Validate()
}

// named joins thresholds with the names of their classes.
func (t Thresholds) named(classes []string) ([]ClassThreshold, error) {
	if len(t) == 1 {
		return []ClassThreshold{{Theta: t[0]}}, nil
	}
	if len(classes) != len(t) {
		return nil, fmt.Errorf("%d class names for %d thresholds", len(classes), len(t))
	}
	var out []ClassThreshold
	for k, theta := range t {
		out = append(out, ClassThreshold{classes[k], theta})
	}
	return out, nil
}

// Accept reports whether the student's answer stands, by the name of its class
// and its calibrated confidence. A class the policy has no threshold for is
// deferred, as one never seen is. A mixture's strict thresholds are used.
func (d Deployment) Accept(class string, beta float64) bool {
	return acceptNamed(d.Thresholds, class, beta)
}

// AcceptWith is Accept with the coin of the query, a number in [0,1) that
// depends on the query alone: from it a mixture chooses its thresholds.
func (d Deployment) AcceptWith(class string, beta, coin float64) bool {
	if d.Mixture != nil && coin >= d.Mixture.Alpha {
		return acceptNamed(d.Mixture.Lax, class, beta)
	}
	return d.Accept(class, beta)
}

func acceptNamed(thresholds []ClassThreshold, class string, beta float64) bool {
	for _, t := range thresholds {
		if t.Class == "" || t.Class == class {
			return beta >= t.Theta
		}
	}
	return false
}

// Validate reports what makes a deployment unusable or contradictory.
func (d Deployment) Validate() error {
	if d.Format != deploymentFormat {
		return fmt.Errorf("format %q: want %q", d.Format, deploymentFormat)
	}
	if d.Version != deploymentVersion {
		return fmt.Errorf("version %d of the thresholds file: this program reads version %d", d.Version, deploymentVersion)
	}
	if err := d.validateThresholds(); err != nil {
		return err
	}
	if d.Confidence.Score == "" || d.Calibration.Method == "" {
		return fmt.Errorf(`confidence score %q, calibration method %q: neither may be empty (no calibration is "none")`, d.Confidence.Score, d.Calibration.Method)
	}
	for _, m := range []map[string]float64{d.Confidence.Parameters, d.Calibration.Parameters} {
		for name, v := range m {
			if math.IsNaN(v) || math.IsInf(v, 0) {
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

func (d Deployment) validateThresholds() error { return validateClassThresholds(d.Thresholds) }

func validateClassThresholds(thresholds []ClassThreshold) error {
	if len(thresholds) == 0 {
		return fmt.Errorf("no thresholds")
	}
	seen := map[string]bool{}
	for i, t := range thresholds {
		if !(t.Theta >= 0) {
			return fmt.Errorf("threshold %d is %v: want a number ≥ 0, or inf", i, t.Theta)
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

func (d Deployment) validateFit() error {
	if !slices.Contains(Settings(), Setting(d.Fit.Setting)) || d.Fit.Method == "" || !slices.Contains(Objectives(), Objective(d.Fit.Objective)) {
		return fmt.Errorf("setting %q, method %q, objective %q: one of them is unknown or missing", d.Fit.Setting, d.Fit.Method, d.Fit.Objective)
	}
	if _, err := ParseTarget(d.Fit.Target); err != nil {
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
		if d.Guarantee == nil {
			return errors.New("no certificate")
		}
	} else if c.Gap < 0 || c.LowerBound < 0 || c.Value < c.LowerBound || c.Gap != c.Value-c.LowerBound || c.Optimal != (c.Gap == 0) {
		return fmt.Errorf("certificate contradicts itself: value %d, lower bound %d, gap %d, optimal %t", c.Value, c.LowerBound, c.Gap, c.Optimal)
	}
	// Only a method of this package finds a feasible policy whenever there is one.
	if own := slices.Contains(Methods(), Method(d.Fit.Method)); own && d.Fit.Feasible != (d.Fit.MinErrors <= d.Fit.Budget) {
		return fmt.Errorf("feasible = %t, but the least error is %v and the budget %v", d.Fit.Feasible, d.Fit.MinErrors, d.Fit.Budget)
	}
	return nil
}
