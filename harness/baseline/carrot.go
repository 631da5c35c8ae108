package baseline

import "infnet/harness/router"

// Carrot asks the model of the largest estimated quality − λ·cost.
const Carrot Kind = "carrot"

var carrot = Baseline{
	Kind: Carrot, Title: "CARROT",
	Learns: estimated("what each model's answer is worth, and what it costs",
		func() router.Learner { return router.NewCarrot() }),
	Look: Look{Colour: "orange", Dashes: "mixed", Mark: "cross"},
}
