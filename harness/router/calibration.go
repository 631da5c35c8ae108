package router

// Calibration maps log-odds to calibrated probabilities, for learners that are
// injected. The zero value returns ½ for everything: start from Uncalibrated.
type Calibration struct {
	Intercept float64
	Slope     float64 // > 0
}

// Uncalibrated leaves log-odds as they are.
func Uncalibrated() Calibration { return Calibration{uncalibrated.a, uncalibrated.b} }

// At returns 1/(1+e^−(Intercept + Slope·z)).
func (c Calibration) At(z float64) float64 { return platt{c.Intercept, c.Slope}.at(z) }

// Calibrate fits a calibration to the log-odds and labels of held-out records,
// as the learners of this package do. If none can be fitted, note says why.
func Calibrate(z, labels []float64) (c Calibration, note string, err error) {
	p, note, err := calibrate(z, labels)
	return Calibration{p.a, p.b}, note, err
}
