package local

import (
	"fmt"
	"slices"

	"infnet/backends/runtime/folder"
	"infnet/backends/runtime/transformer"
)

// llama plans a Llama model (1 to 3.3, and what others trained in its shape):
// norms before the blocks alone, a gate of SiLU, positions stretched in Llama
// 3.1's way where config.json says so.
//
// Touvron et al., LLaMA: Open and Efficient Foundation Language Models, 2023;
// Llama Team, The Llama 3 Herd of Models, 2024.
func llama(c *config) (*plan, error) {
	p, table, err := c.llamaLike("Llama", textLayouts, 10000)
	if err != nil {
		return nil, err
	}
	p.turns, c.LayerTypes = llamaTurns, nil // which says nothing of a family without windows
	if err := c.layerKinds(func(int) bool { return false }); err != nil {
		return nil, err
	}
	return p.place(c, table, nil)
}

// llamaLike plans what these families share, but for the layers. base is that of the turns where config.json
// says none; 0 = it must.
func (c *config) llamaLike(family string, where layouts, base float64) (*plan, *transformer.Angles, error) {
	if c.KVHeads == nil {
		c.KVHeads = c.Heads
	}
	if c.HeadDim == nil && c.Hidden != nil && c.Heads != nil && *c.Heads > 0 {
		if *c.Hidden%*c.Heads != 0 {
			return nil, nil, fmt.Errorf("head_dim is missing, and hidden_size = %d is not a multiple of "+
				"num_attention_heads = %d", *c.Hidden, *c.Heads)
		}
		or(&c.HeadDim, *c.Hidden / *c.Heads)
	}
	if err := c.check(); err != nil {
		return nil, nil, err
	}
	if err := activation("hidden_act", c.Activation, "silu"); err != nil {
		return nil, nil, err
	}
	r, base, err := c.onlyRope(base)
	if err != nil {
		return nil, nil, err
	}
	table, err := r.angles("rope_scaling", *c.HeadDim, base)
	if err != nil {
		return nil, nil, err
	}
	p := newPlan(family, c, where)
	if r != nil && r.Growth != nil {
		if family != "Mistral" {
			return nil, nil, fmt.Errorf("rope_parameters: llama_4_scaling_beta is not supported: a %s model has none", family)
		}
		if err := folder.Positive("rope_parameters: original_max_position_embeddings", r.Original); err != nil {
			return nil, nil, err
		}
		p.Growth = &transformer.Growth{Beta: *r.Growth, Original: *r.Original}
	}
	return p, table, nil
}

// qwen3 plans a Qwen 3 model: queries and keys normed head by head, a gate of
// SiLU, embeddings tied in the small sizes.
//
// Qwen Team, Qwen3 Technical Report, 2025.
func qwen3(c *config) (*plan, error) {
	or(&c.HeadDim, 128)
	p, table, err := c.llamaLike("Qwen 3", textLayouts, 0)
	if err != nil {
		return nil, err
	}
	p.turns = chatML
	p.normHeads()
	or(&c.Windowed, 28)
	windowed := c.UseWindow != nil && *c.UseWindow
	err = c.layerKinds(func(l int) bool { return windowed && l >= *c.Windowed && c.Window != nil })
	if err != nil {
		return nil, err
	}
	if !windowed {
		c.LayerTypes = slices.Repeat([]string{globalLayer}, *c.Layers)
	}
	return p.place(c, table, table)
}

// mistral plans a Mistral or Ministral 3 text model: Llama's, with a window on
// all layers where config.json has one, heads of a width of their own, and in
// Ministral 3 positions stretched by YaRN and queries that grow.
//
// Jiang et al., Mistral 7B, 2023; Mistral AI, Ministral 3, 2025, by the code
// published with it.
func mistral(c *config, where layouts) (*plan, error) {
	p, table, err := c.llamaLike("Mistral", where, 10000)
	if err != nil {
		return nil, err
	}
	if (c.ModelType == "ministral3") != (p.Growth != nil) {
		return nil, fmt.Errorf("rope_parameters: llama_4_scaling_beta belongs to ministral3 and to no other: "+
			"model_type is %s", c.ModelType)
	}
	p.turns = mistralTurns
	if err := c.layerKinds(func(int) bool { return c.Window != nil }); err != nil {
		return nil, err
	}
	for l, t := range c.LayerTypes {
		if (t == slidingLayer) != (c.Window != nil) {
			return nil, fmt.Errorf("layer_types[%d] = %q contradicts sliding_window, which holds for all layers of a model "+
				"of type %s", l, t, c.ModelType)
		}
	}
	return p.place(c, table, table)
}

// mistralImages plans the text model of one with images: Ministral 3, Mistral
// Small 3.1.
func mistralImages(whole *config) (*plan, error) {
	c, err := whole.nested()
	if err != nil {
		return nil, err
	}
	if c.ModelType != "ministral3" && c.ModelType != "mistral" {
		return nil, fmt.Errorf("text_config: model_type %q in a model of type mistral3: want ministral3 or mistral",
			c.ModelType)
	}
	p, err := mistral(c, partLayouts)
	if err != nil {
		return nil, fmt.Errorf("text_config: %w", err)
	}
	return p, nil
}
