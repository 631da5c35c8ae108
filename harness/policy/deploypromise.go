package policy

import (
	"fmt"
	"math"
	"slices"
)

// DeployedGuarantee says what was promised about records drawn like those of
// the fit part.
type DeployedGuarantee struct {
	Method    string  `toml:"method"`
	Certified bool    `toml:"certified"`           // false: nothing is promised
	Reference string  `toml:"reference,omitempty"` // "student" or "master": level is an excess over its error
	Level     float64 `toml:"level"`               // error per record
	Delta     float64 `toml:"delta"`               // the promise is kept with probability 1 − δ; 0 = on average
	Proposed  int     `toml:"proposed"`            // records that proposed
	Tested    int     `toml:"tested"`              // records that tested
	Clusters  int     `toml:"clusters,omitempty"`  // their clusters; 0 = every record is one
	Largest   int     `toml:"largest,omitempty"`   // most records of one cluster that tested: the promise is about clusters cut to that size
	Cut       int     `toml:"cut,omitempty"`       // records left out because their cluster is larger
}

// Deploy is Policy.Deploy with the guarantee.
func (g Guaranteed) Deploy(classes []string, about About) (Deployment, error) {
	d, err := g.Policy.Deploy(classes, about)
	if err != nil {
		return Deployment{}, err
	}
	d.Guarantee = &DeployedGuarantee{
		Method: string(g.Method), Certified: g.Certified, Reference: g.Reference,
		Level: g.Level, Delta: g.Delta, Proposed: g.Proposed, Tested: g.Tested, Clusters: g.Clusters, Largest: g.Largest, Cut: g.Cut,
	}
	d.Certificate = nil // the thresholds were chosen for the promise: nothing is proved about their deferrals
	return d, d.Validate()
}

func (d Deployment) validateGuarantee() error {
	g := d.Guarantee
	switch {
	case g == nil:
		return nil
	case !slices.Contains(GuaranteeMethods(), GuaranteeMethod(g.Method)):
		return fmt.Errorf("guarantee method %q: want one of %v", g.Method, GuaranteeMethods())
	case !(g.Level >= 0 && g.Level <= 1 && g.Delta >= 0 && g.Delta < 1):
		return fmt.Errorf("guarantee of level %v with delta %v: want numbers in [0,1]", g.Level, g.Delta)
	case !slices.Contains([]string{"", Student.name, Master.name}, g.Reference):
		return fmt.Errorf("guarantee against %q: want student or master, or nothing", g.Reference)
	case g.Proposed < 0 || g.Tested < 1:
		return fmt.Errorf("guarantee from %d and %d records", g.Proposed, g.Tested)
	}
	return nil
}

// DeployedMixture is the randomised part of a Mixture. Deployment.Thresholds
// are its strict ones, and Deployment.Fit holds its expectations, the deferred
// records rounded.
type DeployedMixture struct {
	Alpha    float64          `toml:"alpha"`    // probability of the strict thresholds
	Deferred float64          `toml:"deferred"` // expected deferred records of the fit part
	Lax      []ClassThreshold `toml:"lax"`
}

// Deploy joins a mixture with what it does not know, as Policy.Deploy does. The
// certificate speaks of the expected objective, rounded up: no mixture of
// thresholds does better.
func (m Mixture) Deploy(classes []string, about About) (Deployment, error) {
	p := m.Best
	p.Thresholds = m.Strict
	p.Certificate.Value = int64(math.Ceil(m.Value))
	p.certify(-1)
	d, err := p.Deploy(classes, about)
	if err != nil {
		return Deployment{}, err
	}
	d.Fit.Method, d.Fit.Errors, d.Fit.Deferred = string(Lagrangian), m.Error, int(math.Round(m.Deferred))
	d.Mixture = &DeployedMixture{Alpha: m.Alpha, Deferred: m.Deferred}
	if d.Mixture.Lax, err = m.Lax.named(classes); err != nil {
		return Deployment{}, err
	}
	return d, d.Validate()
}

func (d Deployment) validateMixture() error {
	m := d.Mixture
	if m == nil {
		return nil
	}
	if !(m.Alpha >= 0 && m.Alpha <= 1) || !(m.Deferred >= 0) || math.IsInf(m.Deferred, 1) {
		return fmt.Errorf("mixture with alpha %v and %v deferred: want a probability and a number ≥ 0", m.Alpha, m.Deferred)
	}
	if err := validateClassThresholds(m.Lax); err != nil {
		return fmt.Errorf("mixture: lax: %w", err)
	}
	return nil
}
