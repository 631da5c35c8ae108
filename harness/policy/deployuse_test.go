package policy

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// Threshold and AcceptWith are one rule said twice.
func TestThresholdIsWhatAcceptLooksAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		thresholds := func(name string) []ClassThreshold {
			if rapid.Bool().Draw(t, name+" single") {
				return []ClassThreshold{{Theta: rapid.Float64Range(0, 1.2).Draw(t, name)}}
			}
			var out []ClassThreshold
			for k := range 3 {
				out = append(out, ClassThreshold{fmt.Sprint("c", k), rapid.Float64Range(0, 1.2).Draw(t, name)})
			}
			return out
		}
		d := Deployment{Thresholds: thresholds("strict")}
		if rapid.Bool().Draw(t, "mixture") {
			d.Mixture = &DeployedMixture{Alpha: rapid.Float64Range(0, 1).Draw(t, "alpha"), Lax: thresholds("lax")}
		}
		class := rapid.SampledFrom([]string{"c0", "c2", "other"}).Draw(t, "class")
		beta, coin := rapid.Float64Range(0, 1).Draw(t, "beta"), rapid.Float64Range(0, 0.999).Draw(t, "coin")
		theta, known := d.Threshold(class, coin)
		if got, want := known && beta >= theta, d.AcceptWith(class, beta, coin); got != want {
			t.Errorf("threshold %v (known %v) accepts %v: %v, AcceptWith says %v", theta, known, beta, got, want)
		}
		if !d.Classed() {
			if _, known := d.Threshold("anything", coin); !known {
				t.Error("a policy without classes does not know one")
			}
		}
	})
}
