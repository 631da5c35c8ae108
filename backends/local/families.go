package local

import (
	"errors"
	"fmt"
	"math"

	"infnet/backends/runtime/folder"
	"infnet/backends/runtime/kernel"
	"infnet/backends/runtime/transformer"
)

const (
	globalLayer  = "full_attention"
	slidingLayer = "sliding_attention"
)

// gemma3 plans a Gemma 3 text model: norms before and after every block and on
// every head, their weights stored around zero; windows on all but every sixth
// layer or so, which turn by a base of their own; embeddings scaled.
//
// Gemma Team, Gemma 3 Technical Report, 2025.
func gemma3(c *config) (*plan, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := activation("hidden_activation", c.GemmaActivation, "gelu_pytorch_tanh"); err != nil {
		return nil, err
	}
	if err := above(0, "query_pre_attn_scalar", c.QueryScalar); err != nil {
		return nil, err
	}
	if err := folder.Positive("sliding_window", c.Window); err != nil {
		return nil, err
	}
	global, local, err := c.gemmaRopes()
	if err != nil {
		return nil, err
	}
	kinds, err := c.gemmaLayers()
	if err != nil {
		return nil, err
	}
	p := newPlan("Gemma 3 text", c)
	p.tied = c.Tied == nil || *c.Tied
	p.NormOffset = 1
	p.normOutputs()
	p.normHeads()
	p.EmbedScale, p.QueryScale = math.Sqrt(float64(*c.Hidden)), 1/math.Sqrt(*c.QueryScalar)
	p.Gate, p.turns = kernel.GeluMul, gemmaTurns
	for _, kind := range kinds {
		at := transformer.Placing{Turns: global}
		if kind == slidingLayer {
			at = transformer.Placing{Window: *c.Window, Turns: local}
		}
		p.Layers = append(p.Layers, at)
	}
	return p.counted(), nil
}

// gemmaDefaults fills in what the published configs of models with images (4B, 12B, 27B) leave out: what is as in
// the 4B model.
func (c *config) gemmaDefaults() {
	or(&c.Heads, 8)
	or(&c.KVHeads, 4)
	or(&c.HeadDim, 256)
	or(&c.Vocabulary, 262208)
	or(&c.Context, 131072)
	or(&c.Window, 4096)
	or(&c.GemmaActivation, "gelu_pytorch_tanh")
	or(&c.Epsilon, 1e-6)
	or(&c.QueryScalar, 256)
	or(&c.BOS, 2)
	if c.EOS == nil {
		c.EOS = ids{1}
	}
	or(&c.Pattern, 6)
	or(&c.RopeBase, 1e6)
	or(&c.RopeLocal, 1e4)
}

// gemmaLayers says which layers are global: those of the list if there is one, else every Pattern-th layer. The list
// wins, as in the reference: exporters write the family's pattern next to it whatever the layers are.
func (c *config) gemmaLayers() ([]string, error) {
	if c.LayerTypes == nil {
		if err := folder.Positive("sliding_window_pattern", c.Pattern); err != nil {
			return nil, err
		}
		for l := range *c.Layers {
			kind := slidingLayer
			if (l+1)%*c.Pattern == 0 {
				kind = globalLayer
			}
			c.LayerTypes = append(c.LayerTypes, kind)
		}
	}
	if len(c.LayerTypes) != *c.Layers {
		return nil, fmt.Errorf("layer_types has %d entries for %d layers", len(c.LayerTypes), *c.Layers)
	}
	for l, t := range c.LayerTypes {
		if t != globalLayer && t != slidingLayer {
			return nil, fmt.Errorf("layer_types[%d] = %q: want %s or %s", l, t, globalLayer, slidingLayer)
		}
	}
	return c.LayerTypes, nil
}

// gemmaRopes makes the two tables. Global positions may be stretched (Chen et al., Extending Context Window of Large
// Language Models via Position Interpolation, 2023), local ones not.
func (c *config) gemmaRopes() (global, local *transformer.Angles, err error) {
	if r := c.RopeParams; r != nil {
		if r.Full == nil || r.Sliding == nil {
			return nil, nil, errors.New("rope_parameters: want an entry each for full_attention and sliding_attention")
		}
		c.RopeScaling, c.RopeBase, c.RopeLocal = r.Full, r.Full.Theta, r.Sliding.Theta
	}
	if err := above(1, "rope_theta", c.RopeBase); err != nil {
		return nil, nil, err
	}
	if err := above(1, "rope_local_base_freq", c.RopeLocal); err != nil {
		return nil, nil, err
	}
	factor := 1.0
	switch r := c.RopeScaling; r.kind() {
	case "default":
	case "linear":
		if err := above(0, "rope_scaling: factor", r.Factor); err != nil {
			return nil, nil, err
		}
		factor = *r.Factor
	default:
		return nil, nil, fmt.Errorf("rope_scaling: type %q is not supported: want default or linear", r.kind())
	}
	return &transformer.Angles{Inverse: turning(*c.HeadDim, *c.RopeBase, factor)},
		&transformer.Angles{Inverse: turning(*c.HeadDim, *c.RopeLocal, 1)}, nil
}

// qwen3 plans a Qwen 3 model: queries and keys normed head by head, a gate of
// SiLU, embeddings tied in the small sizes.
//
// Qwen Team, Qwen3 Technical Report, 2025.
func qwen3(c *config) (*plan, error) {
	or(&c.HeadDim, 128)
	r, err := c.alike()
	if err != nil {
		return nil, err
	}
	if kind := r.kind(); kind != "default" {
		return nil, fmt.Errorf("rope_scaling: type %q is not supported: want default", kind)
	}
	p := newPlan("Qwen 3", c)
	p.turns = chatML
	p.normHeads()
	return p.all(&transformer.Angles{Inverse: turning(*c.HeadDim, *c.RopeBase, 1)}), nil
}

// ministral3 plans a Ministral 3 text model: a gate of SiLU, positions stretched by YaRN and queries that grow.
//
// Mistral AI, Ministral 3, 2025, by the code published with it.
func ministral3(c *config) (*plan, error) {
	r, err := c.alike()
	if err != nil {
		return nil, err
	}
	if c.Window != nil {
		return nil, errors.New("sliding_window is not supported in a model of type ministral3")
	}
	if kind := r.kind(); kind != "yarn" || r.Growth == nil {
		return nil, fmt.Errorf("rope_parameters: type %q: want yarn, with llama_4_scaling_beta", kind)
	}
	inverse, err := r.yarn(*c.HeadDim, *c.RopeBase)
	if err != nil {
		return nil, fmt.Errorf("rope_parameters: %w", err)
	}
	p := newPlan("Ministral 3", c)
	p.turns = mistralTurns
	p.Growth = &transformer.Growth{Beta: *r.Growth, Original: *r.Original}
	return p.all(&transformer.Angles{Inverse: inverse}), nil
}

// alike checks what the two families share that gate by SiLU and whose layers are all alike; it returns how positions
// are stretched.
func (c *config) alike() (*rope, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := activation("hidden_act", c.Activation, "silu"); err != nil {
		return nil, err
	}
	r := c.RopeScaling
	if r == nil {
		r = c.RopeParams
	}
	if r != nil && r.Theta != nil {
		c.RopeBase = r.Theta
	}
	return r, above(1, "rope_theta", c.RopeBase)
}

// rope is rope_scaling or rope_parameters: by how much positions turn the
// pairs of a head, and how that was stretched for longer texts.
type rope struct {
	Type     string   `json:"rope_type"`
	Theta    *float64 `json:"rope_theta"`
	Factor   *float64 `json:"factor"`
	Original *int     `json:"original_max_position_embeddings"`

	Fast     *float64 `json:"beta_fast"`
	Slow     *float64 `json:"beta_slow"`
	Scale    *float64 `json:"mscale"`
	ScaleAll *float64 `json:"mscale_all_dim"`
	Growth   *float64 `json:"llama_4_scaling_beta"` // queries grow with their position

	// Gemma 3: one set per kind of layer
	Full    *rope `json:"full_attention"`
	Sliding *rope `json:"sliding_attention"`
}

func (r *rope) kind() string {
	if r == nil {
		return "default"
	}
	return r.Type
}

// turning is by how many radians each pair of a head turns per position.
func turning(dim int, base, factor float64) []float64 {
	out := make([]float64, dim/2)
	for i := range out {
		out[i] = kernel.Power(base, float64(2*i)/float64(dim)) / factor
	}
	return out
}

// yarn stretches slow turns by the factor, leaves fast ones and blends along
// the pairs between.
//
// Peng, Quesnelle, Fan and Shippole, YaRN: Efficient Context Window Extension
// of Large Language Models, 2023, section 3.2. Its factor on the scores is 1 where mscale and mscale_all_dim are equal.
func (r *rope) yarn(dim int, base float64) ([]float64, error) {
	err := errors.Join(folder.Positive("original_max_position_embeddings", r.Original), above(0, "factor", r.Factor),
		above(0, "beta_fast", r.Fast), above(0, "beta_slow", r.Slow), above(0, "mscale", r.Scale),
		above(0, "mscale_all_dim", r.ScaleAll))
	if err != nil {
		return nil, err
	}
	if *r.Scale != *r.ScaleAll {
		return nil, fmt.Errorf("mscale = %v, mscale_all_dim = %v: want equal ones", *r.Scale, *r.ScaleAll)
	}
	// the pair that makes n full turns within the context of training
	pair := func(n float64) float64 {
		return float64(float64(dim)*kernel.Ln(float64(*r.Original)/(n*2*math.Pi))) / (2 * kernel.Ln(base))
	}
	low, high := max(math.Floor(pair(*r.Fast)), 0), min(math.Ceil(pair(*r.Slow)), float64(dim-1))
	if low == high {
		high += 0.001
	}
	turns := turning(dim, base, 1)
	for i, v := range turns {
		blend := min(max((float64(i)-low)/(high-low), 0), 1)
		turns[i] = float64(blend*v) / *r.Factor
		turns[i] += float64((1 - blend) * v)
	}
	return turns, nil
}
