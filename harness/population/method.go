package population

// Method is how a population is estimated: a density of β and an error curve.
type Method string

// The methods: the density of β, and the curve of the errors (appendix "Alternative approximation methods" of the
// paper).
const (
	KDE          Method = "kde"           // Gaussian kernels; Nadaraya–Watson with the same bandwidth
	Histogram    Method = "histogram"     // bins of equal width; means of bins of equal mass
	BetaLogistic Method = "beta-logistic" // a Beta distribution by maximum likelihood; logistic regression
	// β uniform on [0,1], errors 1 − δβ: the paper's analytic examples, which have closed forms
	UniformLine Method = "uniform-line"
)

// Methods lists the valid methods.
func Methods() []Method { return []Method{KDE, Histogram, BetaLogistic, UniformLine} }
