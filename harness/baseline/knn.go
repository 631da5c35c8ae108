package baseline

import "infnet/harness/router"

// KNN asks the model that was best on the nearest queries.
const KNN Kind = "knn"

var knn = Baseline{
	Kind: KNN, Title: "kNN router",
	Learns: estimated("what each model's answer is worth", func() router.Learner { return router.NewNeighbours() }),
	Look:   Look{Colour: "blue", Dashes: "short", Mark: "ring"},
}
