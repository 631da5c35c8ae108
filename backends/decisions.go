package backends

// Vendor is what a decision model's reply says of its answer, as it was written.
type Vendor struct {
	Probability float64  `json:"probability"`          // of the option chosen
	Confidence  *float64 `json:"confidence,omitzero"`  // in [0,1], a statistic of the server's own; nil = none
	Temperature *float64 `json:"temperature,omitzero"` // by which the server calibrates, ≥ 0; nil = it does not say
}

// DecisionsConfig opens a decision model: one that answers typed questions about a text with a probability per option.
type DecisionsConfig struct {
	Access // URLs end before /systemone
}

// Revision returns the revision of a ModelID: the weights' own, as the study states it, and a hash of how
// classifications are asked: by System One, as a choice.
func (c *DecisionsConfig) Revision(weights string) string {
	return hashedRevision(weights, "infnet decisions 1", "systemone", "")
}

func (c *DecisionsConfig) remote() Remote { return Remote{Access: c.Access} }
