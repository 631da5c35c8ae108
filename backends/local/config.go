package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"infnet/backends/runtime/folder"
	"infnet/backends/runtime/transformer"
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
	RopeParams  *ropes   `json:"rope_parameters"`
	LayerTypes  []string `json:"layer_types"`
	Epsilon     *float64 `json:"rms_norm_eps"`
	BOS         *int     `json:"bos_token_id"`
	EOS         ids      `json:"eos_token_id"`

	// Gemma 3
	GemmaActivation *string  `json:"hidden_activation"`
	QueryScalar     *float64 `json:"query_pre_attn_scalar"`
	RopeLocal       *float64 `json:"rope_local_base_freq"`
	Pattern         *int     `json:"sliding_window_pattern"`
	PatternOld      *int     `json:"_sliding_window_pattern"`

	// Qwen 3
	UseWindow *bool `json:"use_sliding_window"`
	Windowed  *int  `json:"max_window_layers"` // layers before this one see everything

	// What relatives of these families have; refused when set.
	AttentionBias bool     `json:"attention_bias"`
	FeedBias      bool     `json:"mlp_bias"`
	Bidirectional bool     `json:"use_bidirectional_attention"`
	AttentionCap  *float64 `json:"attn_logit_softcapping"`
	FinalCap      *float64 `json:"final_logit_softcapping"`
	Experts       *int     `json:"num_experts"`
	LocalExperts  *int     `json:"num_local_experts"`
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

// modelTypes says which family plans a model, by its model_type.
var modelTypes = []struct {
	name string
	plan func(*config) (*plan, error)
}{
	{"gemma3_text", func(c *config) (*plan, error) { return gemma3(c, gemmaLayouts) }},
	{"gemma3", gemma3Images},
	{"qwen3", qwen3},
	{"llama", llama},
	{"mistral", func(c *config) (*plan, error) { return mistral(c, textLayouts) }},
	{"ministral3", func(c *config) (*plan, error) { return mistral(c, textLayouts) }},
	{"mistral3", mistralImages},
}

func (c *config) plan() (*plan, error) {
	var names []string
	for _, t := range modelTypes {
		if t.name == c.ModelType {
			return t.plan(c)
		}
		names = append(names, t.name)
	}
	last := len(names) - 1
	return nil, fmt.Errorf("model_type %q is not supported: want %s or %s", c.ModelType,
		strings.Join(names[:last], ", "), names[last])
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
	switch {
	case c.AttentionBias:
		return errors.New("attention_bias is not supported: want projections without")
	case c.FeedBias:
		return errors.New("mlp_bias is not supported: want projections without")
	case c.Bidirectional:
		return errors.New("use_bidirectional_attention is not supported: this runtime generates from left to right")
	case c.AttentionCap != nil:
		return errors.New("attn_logit_softcapping is not supported: want scores as they are")
	case c.FinalCap != nil:
		return errors.New("final_logit_softcapping is not supported: want logits as they are")
	case c.Experts != nil || c.LocalExperts != nil:
		return errors.New("num_experts is not supported: want one feed-forward network, not a mixture of experts")
	case c.Quantization != nil:
		return errors.New("quantization_config is not supported: want weights in bfloat16, float16 or float32")
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

const (
	globalLayer  = "full_attention"
	slidingLayer = "sliding_attention"
)

// layerKinds checks the kinds of the layers that config.json lists; where it lists none, they are as usual says.
func (c *config) layerKinds(usual func(l int) (slides bool)) error {
	if c.LayerTypes == nil {
		for l := range *c.Layers {
			c.LayerTypes = append(c.LayerTypes, map[bool]string{true: slidingLayer, false: globalLayer}[usual(l)])
		}
		return nil
	}
	if len(c.LayerTypes) != *c.Layers {
		return fmt.Errorf("layer_types has %d entries for %d layers", len(c.LayerTypes), *c.Layers)
	}
	for l, t := range c.LayerTypes {
		if t != globalLayer && t != slidingLayer {
			return fmt.Errorf("layer_types[%d] = %q: want %s or %s", l, t, globalLayer, slidingLayer)
		}
	}
	return nil
}

// place plans the layers by their kinds.
func (p *plan) place(c *config, global, sliding *transformer.Angles) (*plan, error) {
	for _, t := range c.LayerTypes {
		at := transformer.Placing{Turns: global}
		if t == slidingLayer {
			if err := folder.Positive("sliding_window", c.Window); err != nil {
				return nil, err
			}
			at = transformer.Placing{Window: *c.Window, Turns: sliding}
		}
		p.Layers = append(p.Layers, at)
	}
	p.Shape.Window, p.Shape.GlobalEvery = p.windowing()
	p.Shape.Params = float64(p.parameters()) / 1e9
	return p, nil
}

// nested returns the text model's config of a model with images, with what
// only the whole says.
func (c *config) nested() (*config, error) {
	if c.Text == nil {
		return nil, fmt.Errorf("text_config is missing from a model of type %s", c.ModelType)
	}
	t := *c.Text
	if t.Text != nil {
		return nil, errors.New("text_config has a text_config of its own")
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
