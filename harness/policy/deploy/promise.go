package deploy

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/policy"
	"infnet/harness/policy/guarantee"
)

func (d File) validateGuarantee() error {
	g := d.Guarantee
	switch {
	case g == nil:
		return nil
	case !slices.Contains(guarantee.Methods(), g.Method):
		return fmt.Errorf("guarantee method %q: want one of %v", g.Method, guarantee.Methods())
	case !(g.Level >= 0 && g.Level <= 1 && g.Delta >= 0 && g.Delta < 1):
		return fmt.Errorf("guarantee of level %v with delta %v: want numbers in [0,1]", g.Level, g.Delta)
	case !slices.Contains([]string{"", policy.Student.String(), policy.Master.String()}, g.Reference):
		return fmt.Errorf("guarantee against %q: want student, master or nothing", g.Reference)
	case g.Proposed < 0 || g.Tested < 1:
		return fmt.Errorf("guarantee from %d and %d records", g.Proposed, g.Tested)
	}
	return nil
}

// Mixture is the randomised part of a policy.Mixture. File.Thresholds are its
// strict ones, and File.Fit holds its expectations, the deferred records
// rounded.
type Mixture struct {
	Alpha    float64          `toml:"alpha"`    // probability of the strict thresholds
	Deferred float64          `toml:"deferred"` // expected deferred records of the fit part
	Lax      []ClassThreshold `toml:"lax"`
}

// NewMixture joins a mixture with what it does not know, as New does. The
// certificate speaks of the expected objective, rounded up: no mixture of
// thresholds does better.
func NewMixture(m policy.Mixture, classes []string, about About) (File, error) {
	p := m.Best
	p.Thresholds = m.Strict
	value := int64(math.Ceil(m.Value))
	p.Certificate = policy.Certificate{Method: p.Certificate.Method, Value: value, LowerBound: value, Optimal: true}
	d, err := New(p, nil, classes, about)
	if err != nil {
		return File{}, err
	}
	d.Fit.Method, d.Fit.Errors, d.Fit.Deferred = string(policy.Lagrangian), m.Error, int(math.Round(m.Deferred))
	d.Mixture = &Mixture{Alpha: m.Alpha, Deferred: m.Deferred}
	if d.Mixture.Lax, err = named(m.Lax, classes); err != nil {
		return File{}, err
	}
	return d, d.Validate()
}

// NewAbstention joins a policy that may abstain with what it does not know: p has its fit.
func NewAbstention(a policy.Abstention, p policy.Policy, classes []string, about About) (File, error) {
	p.Thresholds, p.Certificate = a.High, policy.Certificate{Method: policy.Abstaining, Optimal: true}
	d, err := New(p, nil, classes, about)
	if err != nil {
		return d, err
	}
	for k := range d.Thresholds {
		d.Thresholds[k].Abstain = a.Low[k]
	}
	d.Certificate = nil
	return d, d.Validate()
}

func (d File) validateMixture() error {
	m := d.Mixture
	if m == nil {
		return nil
	}
	if !(m.Alpha >= 0 && m.Alpha <= 1) || !(m.Deferred >= 0) || math.IsInf(m.Deferred, 1) {
		return fmt.Errorf("mixture with alpha %v and %v deferred: want a probability and a number ≥ 0", m.Alpha, m.Deferred)
	}
	if err := validateThresholds(m.Lax); err != nil {
		return fmt.Errorf("mixture: lax: %w", err)
	}
	return nil
}
