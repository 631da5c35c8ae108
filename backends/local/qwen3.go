package local

import (
	"infnet/backends/runtime/folder"
	"infnet/backends/runtime/transformer"
)

// qwen3 plans a Qwen 3 model: queries and keys normed head by head, a gate of
// SiLU, embeddings tied in the small sizes.
//
// Qwen Team, Qwen3 Technical Report, 2025.
func qwen3(c *config) (*plan, error) {
	if c.KVHeads == nil {
		c.KVHeads = c.Heads
	}
	or(&c.HeadDim, 128)
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := activation("hidden_act", c.Activation, "silu"); err != nil {
		return nil, err
	}
	p := newPlan("Qwen 3", c, textLayouts)
	p.turns = chatML
	p.normHeads()
	r, base, err := c.onlyRope(0)
	if err != nil {
		return nil, err
	}
	table, err := r.angles("rope_scaling", *c.HeadDim, base)
	if err != nil {
		return nil, err
	}
	if c.LayerTypes != nil {
		if err := c.checkLayerTypes(); err != nil {
			return nil, err
		}
	}
	or(&c.Windowed, 28)
	windowed := c.UseWindow != nil && *c.UseWindow
	for l := range *c.Layers {
		at := transformer.Placing{Turns: table}
		if windowed && (c.LayerTypes != nil && c.LayerTypes[l] == slidingLayer ||
			c.LayerTypes == nil && l >= *c.Windowed && c.Window != nil) {
			if err := folder.Positive("sliding_window", c.Window); err != nil {
				return nil, err
			}
			at.Window = *c.Window
		}
		p.Layers = append(p.Layers, at)
	}
	return p.done(), nil
}
