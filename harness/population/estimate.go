package population

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"infnet/harness/curve"
	"infnet/harness/policy"
)

// Options say how to estimate a population and what to solve for. The zero
// Options mean: non-oracle, target best, kernels.
type Options struct {
	Setting policy.Setting // "" = NonOracle; Oracle takes the master to be always right
	Target  policy.Target  // zero = Best; the oracle setting needs a number
	Method  Method         // "" = KDE
	// Fit: one threshold per class
	PerClass bool
	// draws for the goodness of fit of a class's Beta density, of the class alone; nil = not tested
	Stream func(class int) *rand.Rand
}

func (o Options) withDefaults() Options {
	if o.Setting == "" {
		o.Setting = policy.NonOracle
	}
	if o.Method == "" {
		o.Method = KDE
	}
	return o
}

func (o Options) check(r policy.Records) error {
	if err := r.Validate(); err != nil {
		return err
	}
	if o.Setting == policy.Oracle {
		r.Master = nil
	}
	if o.Setting == policy.Oracle && o.Target.Equal(policy.Min) {
		return nil
	}
	_, err := policy.Options{Setting: o.Setting, Target: o.Target}.Resolve(r)
	return err
}

// Estimate is a population estimated from records.
type Estimate struct {
	Population
	Fit      []BetaFit        // of the Beta densities, where tested
	Warnings []policy.Warning // densities that could not be estimated as asked for
}

// narrowest is the least bandwidth: all mass of equal confidences lies within a
// thousandth.
const narrowest = 1e-4

// quantileNodes is how many quantiles of β are cut at besides the grid.
const quantileNodes = 64

// New estimates p_k, f_k, Δ_k and ε̄_m,k from records, one class at a time; of
// a class without records p_k = 0. In the oracle setting Master is ignored. Where all
// confidences of a class are equal no Beta distribution fits best and no
// bandwidth follows; a kernel of width 0.0001 takes the place of both, with a
// warning. Targets of a logistic curve that are all right or all wrong make it
// that constant. O(N log N), and more where goodness of fit is tested.
func New(r policy.Records, o Options) (Estimate, error) {
	o = o.withDefaults()
	if err := o.check(r); err != nil {
		return Estimate{}, err
	}
	n := float64(r.Len())
	e := Estimate{Population: make(Population, max(r.Classes, 1))}
	if len(r.MasterCost) > 0 && !slices.ContainsFunc(r.MasterCost, func(c float64) bool { return c != 0 }) {
		return Estimate{}, errors.New("the master's cost is 0 on every record: deferring is free, and there is nothing " +
			"to solve")
	}
	for k, s := range split(r, o.Setting) {
		if len(s.beta) == 0 {
			continue
		}
		c, err := s.estimate(&e, k, o)
		if err != nil {
			return Estimate{}, fmt.Errorf("class %d: %w", k, err)
		}
		c.P = float64(len(s.beta)) / n
		e.Population[k] = c
	}
	return e, nil
}

// slice is the records of one class.
type slice struct{ beta, student, master, excess []float64 }

// split sorts records by class; in the oracle setting the master never errs.
func split(r policy.Records, setting policy.Setting) []slice {
	out := make([]slice, max(r.Classes, 1))
	for i, beta := range r.Beta {
		wrong := 0.0
		if setting != policy.Oracle {
			wrong = r.Master[i]
		}
		s := &out[r.ClassOf(i)]
		s.beta, s.student = append(s.beta, beta), append(s.student, r.Student[i])
		s.master, s.excess = append(s.master, wrong), append(s.excess, r.Student[i]-wrong)
	}
	return out
}

// mean adds in order; gonum's stat.Mean adds in lanes and rounds differently.
func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// estimate fits density and curve of a class.
func (s slice) estimate(e *Estimate, k int, o Options) (Class, error) {
	c := Class{Master: mean(s.master)}
	width, err := curve.Bandwidth(s.beta)
	if err != nil {
		return c, err
	}
	width = min(max(width, narrowest), 1)
	spread := width > narrowest
	switch o.Method {
	case Histogram:
		c.Beta, err = curve.NewHistogram(s.beta)
	case BetaLogistic:
		c.Beta, err = s.betaFit(e, k, o)
		if errors.Is(err, curve.ErrNoSpread) {
			spread = false
			c.Beta, err = curve.NewKDE(s.beta, width)
		}
	default:
		c.Beta, err = curve.NewKDE(s.beta, width)
	}
	if err != nil {
		return c, err
	}
	if !spread && o.Method != Histogram {
		e.Warnings = append(e.Warnings,
			policy.Warning{Kind: NoSpread, Class: k,
				Message: fmt.Sprintf("the confidences of class %d are all equal, or as good as: a kernel of width %g stands in "+
					"for their density", k, width)})
	}
	levels := make([]float64, quantileNodes+1)
	for i := range levels {
		levels[i] = float64(i) / quantileNodes
	}
	if c.Nodes, err = curve.Quantiles(s.beta, levels); err != nil {
		return c, err
	}
	return c, s.curve(&c, width, o.Method)
}

func (s slice) betaFit(e *Estimate, k int, o Options) (curve.Beta, error) {
	if o.Stream == nil {
		b, _, err := curve.FitBeta(s.beta)
		return b, err
	}
	b, g, err := curve.GoodnessOfBeta(o.Stream(k), s.beta)
	if err == nil {
		e.Fit = append(e.Fit, BetaFit{Class: k, Beta: b, Goodness: g})
	}
	return b, err
}

// curve fits Δ(β) = E[e_s − e_m | β]: the mean of the excess is estimated directly, but for logistic regression, which
// needs targets in [0,1] and is fitted to e_s and e_m in turn.
func (s slice) curve(c *Class, width float64, method Method) error {
	switch method {
	case Histogram:
		steps, err := curve.Binned(s.beta, s.excess)
		c.Excess, c.Nodes = steps.At, append(c.Nodes, steps.Breaks()...)
		return err
	case BetaLogistic:
		student, err := curve.FitLogitLine(s.beta, s.student)
		if err != nil {
			return err
		}
		master, err := curve.FitLogitLine(s.beta, s.master)
		c.Excess = func(x float64) float64 { return student(x) - master(x) }
		return err
	}
	kernel, err := curve.NadarayaWatson(s.beta, s.excess, width)
	c.Excess = kernel.At
	return err
}
