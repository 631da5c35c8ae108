package baseline

import "infnet/harness/router"

// Clusters asks the model of the best balance of quality and cost in the query's cluster.
const Clusters Kind = "clusters"

var byCluster = Baseline{
	Kind: Clusters, Title: "Avengers-Pro",
	Learns: estimated("what each model's answer is worth, and what it costs",
		func() router.Learner { return router.NewClusters() }),
	Look: Look{Colour: "blue", Dashes: "mixed", Mark: "box"},
}
