package backends

import (
	"encoding/json"
	"io/fs"
)

// Kind is a way to reach models.
type Kind string

// The kinds.
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
	BART   Kind = "bart"   // a sequence-to-sequence scorer in this process; scores pairs of texts only
	Replay Kind = "replay" // answers recorded in a file; no model is called
)

// InProcess reports whether models of the kind are computed or replayed in this process, rather
// than called over a network.
func (k Kind) InProcess() bool {
	switch k {
	case Local, Simulated, Lexical, Encoder, BART, Replay:
		return true
	}
	return false
}

// Config says how to open one model.
type Config struct {
	Model    ModelID
	Settings Settings // of the kind Model.Kind, as a pointer; nil for a kind that needs none

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

// LocalConfig opens a model folder laid out as the Hugging Face hub lays it
// out.
type LocalConfig struct {
	Path    string // the folder: config.json, *.safetensors, tokenizer.model
	Threads int    // CPU threads; 0 = all
	Batch   int    // requests per call; 0 = 64
}

// EncoderConfig opens the folder of a sentence encoder laid out as the Hugging
// Face hub lays it out.
type EncoderConfig struct {
	// the folder: config.json, model.safetensors, tokenizer.json or vocab.txt, and sentence-transformers' files
	Path      string
	Threads   int // CPU threads; 0 = all
	MaxTokens int // of a text, special tokens included; what goes beyond is not read; 0 = as the folder says
}

// ScorerConfig opens a sequence-to-sequence scorer's folder.
type ScorerConfig struct {
	Path    string // the folder: config.json, *.safetensors, tokenizer.json
	Threads int    // CPU threads; 0 = all
}

// SimulatedConfig states a joint distribution of confidence and error.
// Confidence is Beta(Alpha, Beta); the answer is wrong with probability
// Error(β) = clip(Intercept + Slope·β, 0, 1). Draws depend on the seed and the
// prompt alone; models with the same Seed and Rho > 0 share their luck.
type SimulatedConfig struct {
	Alpha     float64 // shape of the confidence's Beta distribution, > 0
	Beta      float64 // shape, > 0
	Intercept float64 // error rate at β = 0
	Slope     float64 // change of the error rate from β = 0 to β = 1
	Rho       float64 // probability in [0,1] that the error's draw is the one shared by all simulated models of this seed
	Params    float64 // parameters in billions, for cost models that ask; 0 = unknown
	Seed      uint64
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
