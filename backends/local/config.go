package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"infnet/backends/runtime/folder"
)

// The files of a model folder besides the weights.
const (
	configFile     = "config.json"
	generationFile = "generation_config.json"
	tokenizerFile  = "tokenizer_config.json"
	sentencePieces = "tokenizer.model"
	tokenizerJSON  = "tokenizer.json"
	templateFile   = "chat_template.jinja"
)

// config is config.json as the hub writes it for the families this package
// runs. Pointers tell a missing key from a zero. Keys not listed do not change
// the numbers.
type config struct {
	ModelType string  `json:"model_type"`
	Text      *config `json:"text_config"` // of a model with images: its text model

	Hidden      *int     `json:"hidden_size"`
	Layers      *int     `json:"num_hidden_layers"`
	Heads       *int     `json:"num_attention_heads"`
	KVHeads     *int     `json:"num_key_value_heads"`
	HeadDim     *int     `json:"head_dim"`
	FeedForward *int     `json:"intermediate_size"`
	Vocabulary  *int     `json:"vocab_size"`
	Context     *int     `json:"max_position_embeddings"`
	Window      *int     `json:"sliding_window"`
	Activation  *string  `json:"hidden_act"`
	Tied        *bool    `json:"tie_word_embeddings"`
	RopeBase    *float64 `json:"rope_theta"`
	RopeScaling *rope    `json:"rope_scaling"`
	RopeParams  *rope    `json:"rope_parameters"` // as newer exporters write it
	LayerTypes  []string `json:"layer_types"`
	Epsilon     *float64 `json:"rms_norm_eps"`
	BOS         *int     `json:"bos_token_id"`
	EOS         ids      `json:"eos_token_id"`

	// Gemma 3
	GemmaActivation *string  `json:"hidden_activation"`
	QueryScalar     *float64 `json:"query_pre_attn_scalar"`
	RopeLocal       *float64 `json:"rope_local_base_freq"`
	Pattern         *int     `json:"sliding_window_pattern"`

	// What relatives of these families have; refused when set.
	AttentionBias bool     `json:"attention_bias"`
	FeedBias      bool     `json:"mlp_bias"`
	Bidirectional bool     `json:"use_bidirectional_attention"`
	AttentionCap  *float64 `json:"attn_logit_softcapping"`
	FinalCap      *float64 `json:"final_logit_softcapping"`
	Experts       *int     `json:"num_experts"`
	UseWindow     bool     `json:"use_sliding_window"`
	Quantization  any      `json:"quantization_config"`
}

type ids []int

func (v *ids) UnmarshalJSON(b []byte) error {
	var one *int
	if json.Unmarshal(b, &one) == nil {
		if one != nil {
			*v = ids{*one}
		}
		return nil
	}
	var list []int
	if err := json.Unmarshal(b, &list); err != nil {
		return fmt.Errorf("want a token id or a list of them, not %s", b)
	}
	*v = list
	return nil
}

type setup struct {
	plan   *plan
	bos    int   // the beginning-of-sequence token, whether or not prompts begin with it; -1 = none
	addBOS *bool // prompts begin with it; nil = not said
	eos    []int // tokens that end an answer
	thinks bool  // the chat template can leave reasoning out, and does here
}

func readSetup(fsys fs.FS) (*setup, error) {
	s := &setup{bos: -1}
	var c config
	if err := folder.Read(fsys, configFile, &c); err != nil {
		return nil, err
	}
	var err error
	if s.plan, err = c.plan(); err != nil {
		return nil, fmt.Errorf("%s: %w", configFile, err)
	}
	var generation struct {
		BOS *int `json:"bos_token_id"`
		EOS ids  `json:"eos_token_id"`
	}
	if err := folder.ReadOptional(fsys, generationFile, &generation); err != nil {
		return nil, err
	}
	var tokenizer struct {
		AddBOS       *bool           `json:"add_bos_token"`
		ChatTemplate json.RawMessage `json:"chat_template"`
	}
	if err := folder.ReadOptional(fsys, tokenizerFile, &tokenizer); err != nil {
		return nil, err
	}
	if s.thinks, err = thinks(fsys, tokenizer.ChatTemplate); err != nil {
		return nil, err
	}
	s.addBOS, s.eos = tokenizer.AddBOS, generation.EOS
	if len(s.eos) == 0 {
		s.eos = s.plan.eos
	}
	bos := s.plan.bos
	if bos == nil {
		bos = generation.BOS
	}
	if bos != nil {
		s.bos = *bos
	} else if s.addBOS != nil && *s.addBOS {
		return nil, fmt.Errorf("%s: add_bos_token is set, but neither %s nor %s has a bos_token_id", tokenizerFile,
			configFile, generationFile)
	}
	for _, id := range append(slices.Clone(s.eos), max(s.bos, 0)) {
		if id < 0 || id >= s.plan.Shape.Vocabulary {
			return nil, fmt.Errorf("%s: special token id %d is outside the vocabulary of %d", configFile, id,
				s.plan.Shape.Vocabulary)
		}
	}
	return s, nil
}

// plan plans a model by its model_type.
func (c *config) plan() (*plan, error) {
	inner := map[string]string{"gemma3": "gemma3_text", "mistral3": "ministral3"}[c.ModelType]
	if inner != "" {
		t, err := c.nested()
		if err == nil && t.ModelType != inner {
			err = fmt.Errorf("model_type %q in a model of type %s: want %s", t.ModelType, c.ModelType, inner)
		}
		if err != nil {
			return nil, fmt.Errorf("text_config: %w", err)
		}
		if inner == "gemma3_text" {
			t.gemmaDefaults()
		}
		p, err := t.plan()
		if err != nil {
			return nil, fmt.Errorf("text_config: %w", err)
		}
		return p, nil
	}
	switch c.ModelType {
	case "gemma3_text":
		return gemma3(c)
	case "qwen3":
		return qwen3(c)
	case "ministral3":
		return ministral3(c)
	}
	return nil, fmt.Errorf("model_type %q is not supported: want gemma3_text, gemma3, qwen3, ministral3 or mistral3",
		c.ModelType)
}

// check refuses, by key, what no family here has and sizes that cannot be.
func (c *config) check() error {
	for _, k := range []struct {
		name string
		v    *int
	}{
		{"hidden_size", c.Hidden}, {"num_hidden_layers", c.Layers}, {"num_attention_heads", c.Heads}, {"num_key_value_heads",
			c.KVHeads},
		{"head_dim", c.HeadDim}, {"intermediate_size", c.FeedForward}, {"vocab_size",
			c.Vocabulary}, {"max_position_embeddings", c.Context},
	} {
		if err := folder.Positive(k.name, k.v); err != nil {
			return err
		}
	}
	if *c.Layers > folder.MostLayers {
		return fmt.Errorf("num_hidden_layers = %d: want at most %d", *c.Layers, folder.MostLayers)
	}
	if *c.Heads%*c.KVHeads != 0 {
		return fmt.Errorf("num_attention_heads = %d is not a multiple of num_key_value_heads = %d", *c.Heads, *c.KVHeads)
	}
	if *c.HeadDim%2 != 0 {
		return fmt.Errorf("head_dim = %d is odd: rotary positions turn pairs", *c.HeadDim)
	}
	if err := above(0, "rms_norm_eps", c.Epsilon); err != nil {
		return err
	}
	for _, k := range []struct {
		name string
		set  bool
	}{
		{"attention_bias", c.AttentionBias}, {"mlp_bias", c.FeedBias}, {"use_bidirectional_attention", c.Bidirectional},
		{"attn_logit_softcapping", c.AttentionCap != nil}, {"final_logit_softcapping", c.FinalCap != nil},
		{"num_experts", c.Experts != nil}, {"use_sliding_window", c.UseWindow},
		{"quantization_config", c.Quantization != nil},
	} {
		if k.set {
			return fmt.Errorf("%s is not supported: serve this model with an engine such as vLLM", k.name)
		}
	}
	return nil
}

func above(low float64, name string, v *float64) error {
	switch {
	case v == nil:
		return fmt.Errorf("%s is missing", name)
	case !(*v > low) && low == 0:
		return fmt.Errorf("%s = %v: want a positive number", name, *v)
	case !(*v > low):
		return fmt.Errorf("%s = %v: want more than %v", name, *v, low)
	}
	return nil
}

func activation(key string, v *string, want string) error {
	if v == nil {
		return fmt.Errorf("%s must be %s, not missing", key, want)
	} else if *v != want {
		return fmt.Errorf("%s must be %s, not %q", key, want, *v)
	}
	return nil
}

// nested returns the text model's config of a model with images, with what
// only the whole says.
func (c *config) nested() (*config, error) {
	if c.Text == nil {
		return nil, fmt.Errorf("is missing from a model of type %s", c.ModelType)
	}
	t := *c.Text
	if t.Text != nil {
		return nil, errors.New("has a text_config of its own")
	}
	if c.EOS != nil {
		t.EOS = c.EOS
	}
	if t.BOS == nil {
		t.BOS = c.BOS
	}
	if c.Tied != nil {
		t.Tied = c.Tied
	}
	or(&t.Tied, true) // both families' default; a head that is stored and differs is used all the same
	if t.Quantization == nil {
		t.Quantization = c.Quantization
	}
	return &t, nil
}

func or[T any](v **T, value T) {
	if *v == nil {
		*v = &value
	}
}
