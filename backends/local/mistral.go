package local

import (
	"fmt"

	"infnet/backends/runtime/folder"
	"infnet/backends/runtime/transformer"
)

// mistral plans a Mistral or Ministral 3 text model: Llama's, with a window on
// all layers where config.json has one, heads of a width of their own, and in
// Ministral 3 positions stretched by YaRN and queries that grow.
//
// Jiang et al., Mistral 7B, 2023; Mistral AI, Ministral 3, 2025, by the code
// published with it.
func mistral(c *config, where layouts) (*plan, error) {
	p, table, err := c.llamaLike("Mistral", where)
	if err != nil {
		return nil, err
	}
	if (c.ModelType == "ministral3") != (p.Growth != nil) {
		return nil, fmt.Errorf("rope_parameters: llama_4_scaling_beta belongs to ministral3 and to no other: "+
			"model_type is %s", c.ModelType)
	}
	p.turns = mistralTurns
	window := 0
	if c.Window != nil {
		if err := folder.Positive("sliding_window", c.Window); err != nil {
			return nil, err
		}
		window = *c.Window
	}
	if c.LayerTypes != nil {
		if err := c.checkLayerTypes(); err != nil {
			return nil, err
		}
		for l, t := range c.LayerTypes {
			if (t == slidingLayer) != (window > 0) {
				return nil, fmt.Errorf("layer_types[%d] = %q contradicts sliding_window, which holds for all layers of a model "+
					"of type %s", l, t, c.ModelType)
			}
		}
	}
	for range *c.Layers {
		p.Layers = append(p.Layers, transformer.Placing{Window: window, Turns: table})
	}
	return p.done(), nil
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
