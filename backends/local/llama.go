package local

import (
	"errors"
	"fmt"

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
	p, table, err := c.llamaLike("Llama", textLayouts)
	if err != nil {
		return nil, err
	}
	if p.Growth != nil {
		return nil, errors.New("rope_parameters: llama_4_scaling_beta is not supported: Llama 1 to 3 have none")
	}
	p.turns = llamaTurns
	for range *c.Layers {
		p.Layers = append(p.Layers, transformer.Placing{Turns: table})
	}
	return p.done(), nil
}

// llamaLike plans what Llama and Mistral share, but for the layers.
func (c *config) llamaLike(family string, where layouts) (*plan, *transformer.Angles, error) {
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
	r, base, err := c.onlyRope(10000)
	if err != nil {
		return nil, nil, err
	}
	table, err := r.angles("rope_scaling", *c.HeadDim, base)
	if err != nil {
		return nil, nil, err
	}
	p := newPlan(family, c, where)
	if r != nil && r.Growth != nil {
		if err := folder.Positive("rope_parameters: original_max_position_embeddings", r.Original); err != nil {
			return nil, nil, err
		}
		p.Growth = &transformer.Growth{Beta: *r.Growth, Original: *r.Original}
	}
	return p, table, nil
}
