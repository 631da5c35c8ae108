package backends

import (
	"encoding/json"
	"io/fs"
)

// Kind is a way to reach models.
type Kind string

const (
	Local     Kind = "local"     // in this process, pure Go
	Simulated Kind = "simulated" // drawn from a stated joint distribution
	Lexical   Kind = "lexical"   // the built-in embedder of hashed n-grams; embeds only
	Encoder   Kind = "encoder"   // a sentence encoder in this process; embeds only
	// a server that speaks the OpenAI protocol: vLLM, SGLang, llama.cpp, Ollama, TGI, OpenAI
	OpenAI Kind = "openai"
	// a Hugging Face inference endpoint: zero-shot classification, extractive question answering
	HuggingFace Kind = "huggingface"
	// a model of a provider, asked by the provider's own API: Anthropic
	Hosted Kind = "hosted"
	// a server of decision models: System One
	Decisions Kind = "decisions"
	BART      Kind = "bart"   // a sequence-to-sequence scorer in this process; scores pairs of texts only
	Replay    Kind = "replay" // answers recorded in a file; no model is called
	// a program of the user's; grades answers only
	Command Kind = "command"
)

// Traits are what the rest of the program has to know about a kind of backend.
type Traits struct {
	Answers bool // its models answer requests, and can be part of a cascade
	Embeds  bool // its models embed texts
	Scores  bool // its models score pairs of texts
	Folder  bool // its weights are in a folder; the settings are then a FolderConfig
	Remote  bool // it is reached over a network
	Local   bool // it computes in this process, so asking it costs time alone
	Tokens  bool // it counts tokens, from which prices and FLOPs follow
}

var traits = map[Kind]Traits{
	Local:       {Answers: true, Folder: true, Local: true, Tokens: true},
	Simulated:   {Answers: true, Local: true, Tokens: true},
	Lexical:     {Embeds: true, Local: true},
	Encoder:     {Embeds: true, Folder: true, Local: true},
	BART:        {Scores: true, Folder: true, Local: true},
	OpenAI:      {Answers: true, Embeds: true, Scores: true, Remote: true, Tokens: true},
	HuggingFace: {Answers: true, Remote: true},
	Hosted:      {Answers: true, Remote: true, Tokens: true},
	Decisions:   {Answers: true, Remote: true, Tokens: true},
	Replay:      {Answers: true, Tokens: true},
	Command:     {Local: true},
}

// Traits are what is to be known about a kind; none of an unknown one.
func (k Kind) Traits() Traits { return traits[k] }

// InProcess reports whether models of the kind are computed or replayed in this process, rather
// than called over a network.
func (k Kind) InProcess() bool {
	t, known := traits[k]
	return known && !t.Remote
}

// Config says how to open one model.
type Config struct {
	Model    ModelID
	Settings any // of the kind Model.Kind, as a pointer; nil for a kind that needs none

	// Files is where the folder of the weights is; nil = on this machine.
	Files fs.FS
}

// MarshalJSON writes the settings that change answers but are not part of the model's identity: the
// distribution of a simulated model, and what a study tells the engine that it starts. It goes into
// a study's hash, so its form is fixed.
func (c Config) MarshalJSON() ([]byte, error) {
	simulated, _ := c.Settings.(*SimulatedConfig)
	remote, _ := c.Remote()
	return json.Marshal(struct {
		Model       ModelID
		Local       *struct{}
		Simulated   *SimulatedConfig
		OpenAI      *struct{}
		HuggingFace *struct{}
		Engine      []Setting `json:",omitempty"`
	}{Model: c.Model, Simulated: simulated, Engine: remote.Engine()})
}

// FolderConfig opens a model's folder laid out as the Hugging Face hub lays it out: a language model (config.json,
// *.safetensors, a tokenizer), a sentence encoder (and sentence-transformers' files), a sequence-to-sequence scorer.
type FolderConfig struct {
	Path    string
	Threads int // CPU threads; 0 = all
	Batch   int // of a language model: requests per call; 0 = 64

	// of an encoder: the longest text in tokens, special ones included; what goes beyond is not read; 0 = as the folder
	// says
	MaxTokens int
}

// SimulatedConfig states a joint distribution of confidence and error.
// Confidence is Beta(Alpha, Beta); the answer is wrong with probability
// Error(β) = clip(Intercept + Slope·β, 0, 1). Draws depend on the seed and the
// prompt alone; models with the same Seed and Rho > 0 share their luck.
type SimulatedConfig struct {
	// of the confidence's Beta(alpha, beta) distribution
	Alpha float64 `toml:"alpha" need:"alpha = 4" range:"more than 0"`
	// likewise
	Beta float64 `toml:"beta" need:"beta = 2" range:"more than 0"`
	// the error rate is intercept + slope·β, clipped to [0,1]
	Intercept float64 `toml:"intercept" need:"intercept = 0.6" range:"a number"`
	// likewise
	Slope float64 `toml:"slope" default:"0" range:"a number"`
	// probability that the error's draw is the one that all simulated models share
	Rho float64 `toml:"rho" fix:"a share: 0.01 is one in a hundred" default:"0" range:"0 to 1"`

	Params float64 // parameters in billions, for cost models that ask; 0 = unknown
	Seed   uint64
}

// Shape is a transformer's shape: what its FLOPs depend on.
type Shape struct {
	Hidden        int     `json:"hidden"`        // d
	Layers        int     `json:"layers"`        // n
	Heads         int     `json:"heads"`         // H
	HeadDim       int     `json:"head_dim"`      // h
	KVHeads       int     `json:"kv_heads"`      // G
	FeedForward   int     `json:"feed_forward"`  // f
	Vocabulary    int     `json:"vocabulary"`    // V
	Window        int     `json:"window"`        // sliding window in keys; 0 = all layers global
	GlobalEvery   int     `json:"global_every"`  // layer l (from 1) is global when GlobalEvery divides it; 0 or 1 = all
	Gated         bool    `json:"gated"`         // gated MLP: three matrices, else two
	Bidirectional bool    `json:"bidirectional"` // encoder: every token sees all
	Params        float64 `json:"params"`        // parameters, in billions
	Context       int     `json:"context"`       // longest input in tokens
}
