package backends

import "infnet/harness/choice"

// DecisionsProtocol is how a server of decision models is asked.
type DecisionsProtocol string

const (
	SystemOne       DecisionsProtocol = "systemone" // POST …/systemone: a state, and questions by name
	OpenAIDecisions DecisionsProtocol = "openai"    // POST …/decisions: an input, and a list of questions
)

// DecisionsProtocols lists the valid protocols.
func DecisionsProtocols() []DecisionsProtocol {
	return []DecisionsProtocol{SystemOne, OpenAIDecisions}
}

func (p *DecisionsProtocol) UnmarshalText(b []byte) error {
	return choice.Decode(p, b, "decisions protocol", DecisionsProtocols())
}

// Route is the protocol's own, behind a base URL.
func (p DecisionsProtocol) Route() string {
	if p == OpenAIDecisions {
		return "/decisions"
	}
	return "/systemone"
}

// DecisionForm is the type of question as which a classification is asked.
type DecisionForm string

const (
	AsChoice DecisionForm = "choice" // which of the labels
	AsNoul   DecisionForm = "noul"   // of two labels, whether it is the first
	AsScore  DecisionForm = "score"  // how far up: the labels are the levels of a scale, the lowest first
)

// DecisionForms lists the valid forms.
func DecisionForms() []DecisionForm { return []DecisionForm{AsChoice, AsNoul, AsScore} }

func (f *DecisionForm) UnmarshalText(b []byte) error {
	return choice.Decode(f, b, "form of a decision", DecisionForms())
}

// DecisionsOptions are the options of a study's [backends.NAME] that servers of decision models have alone.
type DecisionsOptions struct {
	// systemone: /systemone (Jev, Ollama, Fireworks, Upstage); openai: /decisions
	Protocol DecisionsProtocol `toml:"protocol" need:"names"`
	// a classification is a question of type choice; of two labels noul (openai: predicate), whether it is the first;
	// or score, where labels are levels, the lowest first
	As DecisionForm `toml:"as" usual:"choice"`
}

// Vendor is what a decision model's reply says of its answer, as it was written.
type Vendor struct {
	Probability float64  `json:"probability"`          // of the option chosen
	Confidence  *float64 `json:"confidence,omitzero"`  // in [0,1], a statistic of the server's own; nil = none
	Temperature *float64 `json:"temperature,omitzero"` // by which the server calibrates, ≥ 0; nil = it does not say
}

// DecisionsConfig opens a decision model: one that answers typed questions about a text with a probability per option.
type DecisionsConfig struct {
	Access // URLs end before the protocol's route
	DecisionsOptions
}

// Revision returns the revision of a ModelID: the weights' own, as the study states it, and a hash of how
// classifications are asked.
func (c *DecisionsConfig) Revision(weights string) string {
	return hashedRevision(weights, "infnet decisions 1", string(c.Protocol), string(c.As))
}

func (c *DecisionsConfig) remote() Remote { return Remote{Access: c.Access} }
