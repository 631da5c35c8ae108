package baseline

import "infnet/harness/cost"

// Fixed accepts the student's answer from a threshold that the study states, on the confidence as it was read: the bar
// that people guess. Of two models only.
const Fixed Kind = "fixed"

var fixed = Baseline{
	Kind: Fixed, Title: "Fixed threshold", Charge: cost.Cascade,
	Place: func(in Input) []int {
		out := make([]int, len(in.Raw))
		for k, beta := range in.Raw {
			if !(beta >= in.Threshold) {
				out[k] = 1
			}
		}
		return out
	},
	Look: Look{Colour: "orange", Mark: "box"},
}
