package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// The files of a model folder besides the weights.
const (
	configFile     = "config.json"
	generationFile = "generation_config.json"
	tokenizerFile  = "tokenizer_config.json"
	sentencePieces = "tokenizer.model"
)

// config is config.json of a Gemma 3 text model, as the hub writes it. Pointers
// tell a missing key from a zero. Keys not listed do not change the numbers.
type config struct {
	ModelType   string   `json:"model_type"`
	Hidden      *int     `json:"hidden_size"`
	Layers      *int     `json:"num_hidden_layers"`
	Heads       *int     `json:"num_attention_heads"`
	KVHeads     *int     `json:"num_key_value_heads"`
	HeadDim     *int     `json:"head_dim"`
	FeedForward *int     `json:"intermediate_size"`
	Vocabulary  *int     `json:"vocab_size"`
	Context     *int     `json:"max_position_embeddings"`
	Window      *int     `json:"sliding_window"`
	Activation  *string  `json:"hidden_activation"`
	Tied        *bool    `json:"tie_word_embeddings"`
	QueryScalar *float64 `json:"query_pre_attn_scalar"`
	RopeGlobal  *float64 `json:"rope_theta"`
	RopeLocal   *float64 `json:"rope_local_base_freq"`
	RopeScaling *rope    `json:"rope_scaling"`
	RopeByLayer *ropes   `json:"rope_parameters"`
	Pattern     *int     `json:"sliding_window_pattern"`
	PatternOld  *int     `json:"_sliding_window_pattern"`
	LayerTypes  []string `json:"layer_types"`
	Epsilon     *float64 `json:"rms_norm_eps"`
	BOS         *int     `json:"bos_token_id"`
	EOS         ids      `json:"eos_token_id"`

	// Asked for elsewhere in the family, never by Gemma 3; refused when set.
	AttentionBias bool     `json:"attention_bias"`
	Bidirectional bool     `json:"use_bidirectional_attention"`
	AttentionCap  *float64 `json:"attn_logit_softcapping"`
	FinalCap      *float64 `json:"final_logit_softcapping"`
	Quantization  any      `json:"quantization_config"`
}

// rope is one entry of rope_scaling or rope_parameters.
type rope struct {
	Type    string   `json:"rope_type"`
	OldType string   `json:"type"`
	Theta   *float64 `json:"rope_theta"`
	Factor  float64  `json:"factor"`
}

// ropes is rope_parameters as newer exporters write them: one entry per kind
// of layer.
type ropes struct {
	Full    *rope `json:"full_attention"`
	Sliding *rope `json:"sliding_attention"`
}

// ids is a token id or a list of them.
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

// setup is what the small files say beside the network's shape.
type setup struct {
	bos    int   // prepended to every prompt; -1 = none
	eos    []int // tokens that end an answer
	config config
}

// readSetup reads and checks the JSON files of a folder.
func readSetup(fsys fs.FS) (*setup, error) {
	s := &setup{bos: -1}
	if err := readJSON(fsys, configFile, &s.config, true); err != nil {
		return nil, err
	}
	if err := s.config.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", configFile, err)
	}
	var generation struct {
		BOS *int `json:"bos_token_id"`
		EOS ids  `json:"eos_token_id"`
	}
	if err := readJSON(fsys, generationFile, &generation, false); err != nil {
		return nil, err
	}
	var tokenizer struct {
		AddBOS *bool `json:"add_bos_token"`
	}
	if err := readJSON(fsys, tokenizerFile, &tokenizer, false); err != nil {
		return nil, err
	}
	s.eos = generation.EOS
	if len(s.eos) == 0 {
		s.eos = s.config.EOS
	}
	bos := s.config.BOS
	if bos == nil {
		bos = generation.BOS
	}
	switch {
	case tokenizer.AddBOS != nil && !*tokenizer.AddBOS:
	case bos != nil:
		s.bos = *bos
	case tokenizer.AddBOS != nil:
		return nil, fmt.Errorf("%s: add_bos_token is set, but neither %s nor %s has a bos_token_id", tokenizerFile, configFile, generationFile)
	}
	for _, id := range append(slices.Clone(s.eos), max(s.bos, 0)) {
		if id < 0 || id >= *s.config.Vocabulary {
			return nil, fmt.Errorf("%s: special token id %d is outside the vocabulary of %d", configFile, id, *s.config.Vocabulary)
		}
	}
	return s, nil
}

func readJSON(fsys fs.FS, name string, into any, required bool) error {
	b, err := fs.ReadFile(fsys, name)
	if errors.Is(err, fs.ErrNotExist) && !required {
		return nil
	} else if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// check refuses what the engine would compute wrongly, naming the key.
func (c *config) check() error {
	switch c.ModelType {
	case "gemma3_text":
	case "gemma3":
		return errors.New("model_type gemma3 is the model with images: export its text model alone (model_type gemma3_text)")
	default:
		return fmt.Errorf("model_type %q is not supported: want gemma3_text", c.ModelType)
	}
	for _, k := range []struct {
		name string
		v    *int
	}{
		{"hidden_size", c.Hidden}, {"num_hidden_layers", c.Layers}, {"num_attention_heads", c.Heads}, {"num_key_value_heads", c.KVHeads},
		{"head_dim", c.HeadDim}, {"intermediate_size", c.FeedForward}, {"vocab_size", c.Vocabulary}, {"max_position_embeddings", c.Context}, {"sliding_window", c.Window},
	} {
		if k.v == nil {
			return fmt.Errorf("%s is missing", k.name)
		}
		if *k.v <= 0 || *k.v > 1<<24 {
			return fmt.Errorf("%s = %d: want a positive number below 2^24", k.name, *k.v)
		}
	}
	if *c.Layers > 4096 {
		return fmt.Errorf("num_hidden_layers = %d: want at most 4096", *c.Layers)
	}
	if *c.Heads%*c.KVHeads != 0 {
		return fmt.Errorf("num_attention_heads = %d is not a multiple of num_key_value_heads = %d", *c.Heads, *c.KVHeads)
	}
	if *c.HeadDim%2 != 0 {
		return fmt.Errorf("head_dim = %d is odd: rotary positions turn pairs", *c.HeadDim)
	}
	if c.Activation == nil || *c.Activation != "gelu_pytorch_tanh" {
		return fmt.Errorf("hidden_activation must be gelu_pytorch_tanh, not %s", quote(c.Activation))
	}
	switch {
	case c.AttentionBias:
		return errors.New("attention_bias is not supported: Gemma 3 has none")
	case c.Bidirectional:
		return errors.New("use_bidirectional_attention is not supported: the engine generates from left to right")
	case c.AttentionCap != nil:
		return errors.New("attn_logit_softcapping is not supported: Gemma 3 has none")
	case c.FinalCap != nil:
		return errors.New("final_logit_softcapping is not supported: Gemma 3 has none")
	case c.Quantization != nil:
		return errors.New("quantization_config is not supported: want weights in bfloat16, float16 or float32")
	}
	if err := c.layerTypes(); err != nil {
		return err
	}
	return c.ropes()
}

func quote(s *string) string {
	if s == nil {
		return "missing"
	}
	return fmt.Sprintf("%q", *s)
}

const (
	globalLayer  = "full_attention"
	slidingLayer = "sliding_attention"
)

// layerTypes settles which layers see everything: the list where there is
// one, else every Pattern-th layer.
func (c *config) layerTypes() error {
	if c.Pattern == nil {
		c.Pattern = c.PatternOld
	}
	if c.Pattern != nil && *c.Pattern <= 0 {
		return fmt.Errorf("sliding_window_pattern = %d: want a positive number", *c.Pattern)
	}
	if c.Pattern == nil && c.LayerTypes == nil {
		return errors.New("sliding_window_pattern and layer_types are both missing: which layers are global?")
	}
	if c.LayerTypes == nil {
		for l := range *c.Layers {
			c.LayerTypes = append(c.LayerTypes, map[bool]string{true: globalLayer, false: slidingLayer}[(l+1)%*c.Pattern == 0])
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
		if c.Pattern != nil && (t == globalLayer) != ((l+1)%*c.Pattern == 0) {
			return fmt.Errorf("layer_types[%d] = %q contradicts sliding_window_pattern = %d", l, t, *c.Pattern)
		}
	}
	return nil
}

// ropes settles the two bases and the factor by which global positions are
// stretched (Chen et al., Extending Context Window of Large Language Models
// via Position Interpolation, 2023).
func (c *config) ropes() error {
	if r := c.RopeByLayer; r != nil {
		if r.Full == nil || r.Sliding == nil {
			return errors.New("rope_parameters: want an entry each for full_attention and sliding_attention")
		}
		if _, err := r.Sliding.factor("rope_parameters.sliding_attention", false); err != nil {
			return err
		}
		if c.RopeGlobal == nil {
			c.RopeGlobal = r.Full.Theta
		}
		if c.RopeLocal == nil {
			c.RopeLocal = r.Sliding.Theta
		}
		if c.RopeScaling == nil {
			c.RopeScaling = r.Full
		}
	}
	for _, k := range []struct {
		name string
		v    *float64
	}{{"rms_norm_eps", c.Epsilon}, {"query_pre_attn_scalar", c.QueryScalar}, {"rope_theta", c.RopeGlobal}, {"rope_local_base_freq", c.RopeLocal}} {
		if k.v == nil {
			return fmt.Errorf("%s is missing", k.name)
		}
		if !(*k.v > 0) {
			return fmt.Errorf("%s = %v: want a positive number", k.name, *k.v)
		}
	}
	_, err := c.RopeScaling.factor("rope_scaling", true)
	return err
}

// factor returns by how much positions are stretched; 1 without scaling.
func (r *rope) factor(where string, linear bool) (float64, error) {
	if r == nil {
		return 1, nil
	}
	t := r.Type
	if t == "" {
		t = r.OldType
	}
	switch {
	case t == "default" || t == "" && r.Factor == 0:
		return 1, nil
	case t == "linear" && linear && r.Factor >= 1:
		return r.Factor, nil
	case t == "linear" && linear:
		return 0, fmt.Errorf("%s: factor = %v: want at least 1", where, r.Factor)
	}
	return 0, fmt.Errorf("%s: type %q is not supported: want default or linear (linear for global layers only)", where, t)
}
