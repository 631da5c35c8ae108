package confidence

import "infnet/harness/choice"

// Calibration is a way to map confidences to probabilities of being right.
type Calibration string

// The calibrations.
const (
	NoCalibration    Calibration = "none"
	Isotonic         Calibration = "isotonic"           // one non-decreasing curve
	IsotonicPerClass Calibration = "isotonic-per-class" // one for every predicted class
	Platt            Calibration = "platt"              // logistic in β
	BetaCalibration  Calibration = "beta"               // logistic in ln β and ln(1−β)
	Temperature      Calibration = "temperature"        // classification: one temperature for the label probabilities
)

// Calibrations lists the valid calibrations.
func Calibrations() []Calibration {
	return []Calibration{NoCalibration, Isotonic, IsotonicPerClass, Platt, BetaCalibration, Temperature}
}

// UnmarshalText accepts a calibration's name.
func (c *Calibration) UnmarshalText(b []byte) error {
	return choice.Decode(c, b, "calibration", Calibrations())
}
