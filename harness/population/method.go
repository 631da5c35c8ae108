package population

import (
	"slices"
	"strings"

	"infnet/harness/choice"
)

// Method is how a population is estimated: a density of β and an error curve.
type Method string

// The methods, density first. The two short names are the density with the
// curve that goes with it: kernels with kernels, bins with bins.
const (
	KDE               Method = "kde"                // Gaussian kernels; Nadaraya–Watson with the same bandwidth
	KDEBinning        Method = "kde-binning"        // curve: means of bins of equal mass
	KDELogistic       Method = "kde-logistic"       // curve: logistic regression
	KDEIsotonic       Method = "kde-isotonic"       // curve: isotonic, non-increasing
	Histogram         Method = "histogram"          // bins of equal width; means of bins of equal mass
	HistogramKernel   Method = "histogram-kernel"   // curve: Nadaraya–Watson
	HistogramLogistic Method = "histogram-logistic" // …
	HistogramIsotonic Method = "histogram-isotonic"
	BetaBinning       Method = "beta-binning" // Beta distribution by maximum likelihood
	BetaKernel        Method = "beta-kernel"
	BetaLogistic      Method = "beta-logistic"
	BetaIsotonic      Method = "beta-isotonic"
	// β uniform on [0,1], errors 1 − δβ: the paper's analytic examples, which have closed forms
	UniformLine        Method = "uniform-line"
	defaultMethod             = KDE
	defaultMasterError        = ErrorCurve
)

// Methods lists the valid methods.
func Methods() []Method {
	return []Method{
		KDE, KDEBinning, KDELogistic, KDEIsotonic,
		Histogram, HistogramKernel, HistogramLogistic, HistogramIsotonic,
		BetaBinning, BetaKernel, BetaLogistic, BetaIsotonic,
		UniformLine,
	}
}

// UnmarshalText accepts a method's name.
func (m *Method) UnmarshalText(b []byte) error {
	return choice.Decode(m, b, "population method", Methods())
}

// density and shape are the two halves of a method.
type (
	density string
	shape   string
)

const (
	kernels density = "kde"
	bars    density = "histogram"
	betas   density = "beta"
	level   density = "uniform"

	smooth   shape = "kernel"
	steps    shape = "binning"
	logistic shape = "logistic"
	falling  shape = "isotonic"
	line     shape = "line"
)

// halves splits a valid method into its density and its curve.
func (m Method) halves() (density, shape) {
	d, s, both := strings.Cut(string(m), "-")
	switch {
	case both:
		return density(d), shape(s)
	case m == Histogram:
		return bars, steps
	}
	return kernels, smooth
}

// MasterError is the model of the master's error given the student's class and
// confidence.
type MasterError string

// The two. They differ wherever hard queries are hard for both models.
const (
	ErrorCurve MasterError = "curve" // Δ_k(β) = E[e_s − e_m | k, β]
	// Δ_k(β) = E[e_s | k, β] − E[e_m | k], the paper's, but given the student's class
	ErrorConstant MasterError = "constant"
)

// MasterErrors lists the valid values.
func MasterErrors() []MasterError { return []MasterError{ErrorCurve, ErrorConstant} }

// UnmarshalText accepts a value's name.
func (m *MasterError) UnmarshalText(b []byte) error {
	return choice.Decode(m, b, "master error", MasterErrors())
}

func (m Method) valid() bool      { return slices.Contains(Methods(), m) }
func (m MasterError) valid() bool { return slices.Contains(MasterErrors(), m) }
