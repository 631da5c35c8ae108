package baseline

import (
	"infnet/harness/cost"
	"infnet/harness/router"
)

// Copula finds the threshold on the student's calibrated confidence in a model of both models' confidences.
const Copula Kind = "copula"

var copula = Baseline{
	Kind: Copula, Title: "Rational Tuning",
	Learns: &Learning{
		Answers: true, Once: true, Second: true, Reads: "student's confidence",
		Learner:  func() router.Learner { return router.NewCalibrated() },
		Predicts: func(Rules) string { return right },
		Label:    func(a Answers, _ Rules) bool { return a.Right },
		Fit: func(s Scored, _ Rules) (router.Threshold, error) {
			return router.FitCopula(s.Score, s.Second, s.Student, s.Master, s.Most)
		},
		Charge: func(Rules) cost.Charge { return cost.Cascade },
	},
	Look: Look{Colour: "purple", Dashes: "mixed", Mark: "ring"},
}
