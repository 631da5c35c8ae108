package local

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"infnet/backends/runtime/kernel"
	"infnet/backends/runtime/transformer"
)

// gemma3 plans a Gemma 3 text model: norms before and after every block and on
// every head, their weights stored around zero; windows on all but every sixth
// layer or so, which turn by a base of their own; embeddings scaled.
//
// Gemma Team, Gemma 3 Technical Report, 2025.
func gemma3(c *config, where layouts) (*plan, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := activation("hidden_activation", c.GemmaActivation, "gelu_pytorch_tanh"); err != nil {
		return nil, err
	}
	if err := above(0, "query_pre_attn_scalar", c.QueryScalar); err != nil {
		return nil, err
	}
	if err := c.gemmaLayers(); err != nil {
		return nil, err
	}
	global, local, err := c.gemmaRopes()
	if err != nil {
		return nil, err
	}
	p := newPlan("Gemma 3 text", c, where)
	p.tied = c.Tied == nil || *c.Tied
	p.NormOffset = 1
	p.normOutputs()
	p.normHeads()
	p.EmbedScale, p.QueryScale = math.Sqrt(float64(*c.Hidden)), 1/math.Sqrt(*c.QueryScalar)
	p.Gate, p.turns = kernel.GeluMul, gemmaTurns
	return p.place(c, global, local)
}

// gemma3Images plans the text model of one with images (4B, 12B, 27B), whose
// published configs leave out what is as in the 4B model.
func gemma3Images(whole *config) (*plan, error) {
	c, err := whole.nested()
	if err != nil {
		return nil, err
	}
	if c.ModelType != "gemma3_text" {
		return nil, fmt.Errorf("text_config: model_type %q in a model of type gemma3: want gemma3_text", c.ModelType)
	}
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
	if c.Pattern == nil && c.PatternOld == nil && c.LayerTypes == nil {
		or(&c.Pattern, 6)
	}
	if c.RopeParams == nil {
		or(&c.RopeBase, 1e6)
		or(&c.RopeLocal, 1e4)
	}
	p, err := gemma3(c, partLayouts)
	if err != nil {
		return nil, fmt.Errorf("text_config: %w", err)
	}
	return p, nil
}

// gemmaLayers decides which layers are global: those of the list if there is one, else every
// Pattern-th layer. The list wins, as in the reference: exporters write the family's pattern next
// to it whatever the layers are.
func (c *config) gemmaLayers() error {
	if c.Pattern == nil {
		c.Pattern = c.PatternOld
	}
	if c.Pattern != nil && *c.Pattern <= 0 {
		return fmt.Errorf("sliding_window_pattern = %d: want a positive number", *c.Pattern)
	}
	if c.Pattern == nil && c.LayerTypes == nil {
		return errors.New("sliding_window_pattern and layer_types are both missing: which layers are global?")
	}
	return c.layerKinds(func(l int) bool { return (l+1)%*c.Pattern != 0 })
}

// gemmaRopes makes the two tables, each where a layer needs it. Global
// positions may be stretched (Chen et al., Extending Context Window of Large
// Language Models via Position Interpolation, 2023), local ones not.
func (c *config) gemmaRopes() (global, local *transformer.Angles, err error) {
	hasGlobal, hasLocal := slices.Contains(c.LayerTypes, globalLayer), slices.Contains(c.LayerTypes, slidingLayer)
	where := "rope_scaling"
	if r := c.RopeParams; r != nil {
		if hasGlobal && r.Full == nil || hasLocal && r.Sliding == nil {
			return nil, nil, errors.New("rope_parameters: want an entry each for full_attention and sliding_attention, where " +
				"there are such layers")
		}
		if kind := r.Sliding.kind(); hasLocal && kind != "default" {
			return nil, nil, fmt.Errorf("rope_parameters.sliding_attention: type %q is not supported: want default", kind)
		}
		if c.RopeBase == nil && r.Full != nil {
			c.RopeBase = r.Full.Theta
		}
		if c.RopeLocal == nil && r.Sliding != nil {
			c.RopeLocal = r.Sliding.Theta
		}
		if c.RopeScaling == nil {
			c.RopeScaling, where = r.Full, "rope_parameters.full_attention"
		}
	}
	if hasGlobal {
		if err := above(1, "rope_theta", c.RopeBase); err != nil {
			return nil, nil, err
		}
		if kind := c.RopeScaling.kind(); kind != "default" && kind != "linear" {
			return nil, nil, fmt.Errorf("%s: type %q is not supported: want default or linear", where, kind)
		}
		if global, err = c.RopeScaling.angles(where, *c.HeadDim, *c.RopeBase); err != nil {
			return nil, nil, err
		}
	}
	if hasLocal {
		if err := above(1, "rope_local_base_freq", c.RopeLocal); err != nil {
			return nil, nil, err
		}
		local, err = (*rope)(nil).angles("", *c.HeadDim, *c.RopeLocal)
	}
	return global, local, err
}
