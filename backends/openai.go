package backends

import (
	"cmp"

	"infnet/harness/choice"
)

// LabelMode is how a classification is asked of a server.
type LabelMode string

// The label modes. LabelsTopLogprobs and LabelsTokenIDs read the log-probabilities
// of the first generated token in one call.
const (
	LabelsAuto        LabelMode = "auto"         // probe the server once and take the best it offers
	LabelsTopLogprobs LabelMode = "top-logprobs" // the k most probable tokens; labels outside them are bounded by the k-th
	// exactly the labels' tokens (vLLM's logprob_token_ids); needs a tokenize route
	LabelsTokenIDs LabelMode = "token-ids"
	// what the model says, without probabilities: for the last model of a cascade only
	LabelsText LabelMode = "text"
)

// LabelModes lists the valid label modes.
func LabelModes() []LabelMode {
	return []LabelMode{LabelsAuto, LabelsTopLogprobs, LabelsTokenIDs, LabelsText}
}

func (m *LabelMode) UnmarshalText(b []byte) error {
	return choice.Decode(m, b, "label mode", LabelModes())
}

// OpenAIOptions are the options of a study's [backends.NAME] that servers of the OpenAI protocol have alone.
// Zero values mean the defaults.
type OpenAIOptions struct {
	// how a classification is asked; auto: by the best the server offers; text: no probabilities, last of a cascade
	// only
	Labels LabelMode `toml:"labels" default:"auto"`
	// alternatives asked for
	TopLogprobs int `toml:"top_logprobs" default:"20" range:"1 to 10000"`
	// none are asked for: the models are the last of a cascade, or vote (samples)
	NoLogprobs bool `toml:"no_logprobs" default:"false" range:"true or false" when:"labels=auto|text"`
	// the field that limits an answer's length, in chats
	MaxTokensField LimitField `toml:"max_tokens_field" default:"max_tokens"`
}

// LimitField is the name of the field that limits an answer's length. All servers know max_tokens; OpenAI's newer
// models want max_completion_tokens.
type LimitField string

// LimitFields lists the valid names.
func LimitFields() []LimitField { return []LimitField{"max_tokens", "max_completion_tokens"} }

func (f *LimitField) UnmarshalText(b []byte) error {
	return choice.Decode(f, b, "field", LimitFields())
}

// Effort is how much a model thinks before it answers, in the protocol's words.
type Effort string

// UnmarshalText accepts the name of an effort. Which of them a model knows, its server says.
func (e *Effort) UnmarshalText(b []byte) error {
	return choice.Decode(e, b, "effort", []Effort{"none", "minimal", "low", "medium", "high", "xhigh"})
}

// OpenAIConfig opens a model behind one or more servers that speak the OpenAI protocol.
type OpenAIConfig struct {
	Launch *Launch // how the servers are started; nil = they run, at URLs
	Access
	OpenAIOptions

	// Extra are fields merged into the body of every request to the model,
	// over ours; a nil value removes a field. They change answers: whoever sets
	// them gives the model a revision of its own.
	Extra map[string]any

	Effort Effort // reasoning_effort of every chat; "" = the server's own

	EmbedBatch int // texts in a call, which changes no vector; 0 = DefaultEmbedBatch
}

// DefaultEmbedBatch is the number of texts in a call: what Text Embeddings
// Inference takes by default. The other servers take more.
const DefaultEmbedBatch = 32

func (c *OpenAIConfig) remote() Remote {
	return Remote{Access: c.Access, Top: c.TopLogprobs, EmbedBatch: cmp.Or(c.EmbedBatch, DefaultEmbedBatch),
		Labels: c.Labels, Probed: c.Labels == LabelsAuto && !c.NoLogprobs, Launch: c.Launch,
		Effort: c.Effort}
}
