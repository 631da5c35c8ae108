package policy

// Threshold returns the threshold that decides a query of this class with this
// coin, a number in [0,1) that depends on the query alone, and whether the
// policy knows the class. A class it does not know is deferred.
//
//	accept iff known and β ≥ θ
//
// Without a mixture the coin does not matter.
func (d Deployment) Threshold(class string, coin float64) (theta float64, known bool) {
	thresholds := d.Thresholds
	if d.Mixture != nil && coin >= d.Mixture.Alpha {
		thresholds = d.Mixture.Lax
	}
	for _, t := range thresholds {
		if t.Class == "" || t.Class == class {
			return t.Theta, true
		}
	}
	return 0, false
}

// Classed reports whether the policy looks at the class.
func (d Deployment) Classed() bool {
	return d.Thresholds[0].Class != "" || d.Mixture != nil && d.Mixture.Lax[0].Class != ""
}
