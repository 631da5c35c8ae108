package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"infnet/backends/runtime/folder"
	"infnet/backends/runtime/kernel"
	"infnet/backends/runtime/transformer"
)

// rope is rope_scaling or rope_parameters: by how much positions turn the
// pairs of a head, and how that was stretched for longer texts.
type rope struct {
	Type     string   `json:"rope_type"`
	OldType  string   `json:"type"`
	Theta    *float64 `json:"rope_theta"`
	Factor   *float64 `json:"factor"`
	Partial  *float64 `json:"partial_rotary_factor"`
	Original *int     `json:"original_max_position_embeddings"`

	// llama3
	Low  *float64 `json:"low_freq_factor"`
	High *float64 `json:"high_freq_factor"`

	// yarn
	Attention *float64 `json:"attention_factor"`
	Fast      *float64 `json:"beta_fast"`
	Slow      *float64 `json:"beta_slow"`
	Scale     *float64 `json:"mscale"`
	ScaleAll  *float64 `json:"mscale_all_dim"`
	Truncate  *bool    `json:"truncate"`

	// Ministral 3: queries grow with their position
	Growth *float64 `json:"llama_4_scaling_beta"`
}

// ropes is rope_parameters as newer exporters write them: one set for all
// layers, or one per kind of layer.
type ropes struct {
	rope
	Full    *rope
	Sliding *rope
}

func (r *ropes) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, &r.rope); err != nil {
		return err
	}
	var kinds struct {
		Full    *rope `json:"full_attention"`
		Sliding *rope `json:"sliding_attention"`
	}
	err := json.Unmarshal(b, &kinds)
	r.Full, r.Sliding = kinds.Full, kinds.Sliding
	return err
}

func (r *rope) kind() string {
	switch {
	case r == nil:
		return "default"
	case r.Type != "":
		return r.Type
	case r.OldType != "":
		return r.OldType
	case r.Factor == nil:
		return "default"
	}
	return ""
}

// onlyRope returns the one set of parameters of a family whose layers are all
// alike, and its base.
func (c *config) onlyRope(base float64) (*rope, float64, error) {
	r, where := c.RopeScaling, "rope_scaling"
	if p := c.RopeParams; p != nil {
		if p.Full != nil || p.Sliding != nil {
			return nil, 0, fmt.Errorf("rope_parameters: want one set for all layers of a model of type %s", c.ModelType)
		}
		if r == nil {
			r, where = &p.rope, "rope_parameters"
		}
		if c.RopeBase == nil {
			c.RopeBase = p.Theta
		}
	}
	if r != nil && r.Theta != nil {
		c.RopeBase = r.Theta
	}
	if c.RopeBase == nil && base > 0 {
		c.RopeBase = &base
	}
	if err := above(1, "rope_theta", c.RopeBase); err != nil {
		return nil, 0, err
	}
	if r != nil && r.Partial != nil && *r.Partial != 1 {
		return nil, 0, fmt.Errorf("%s: partial_rotary_factor = %v is not supported: want whole heads turned", where,
			*r.Partial)
	}
	return r, *c.RopeBase, nil
}

func (r *rope) angles(where string, dim int, base float64) (*transformer.Angles, error) {
	plain := make([]float64, dim/2) // radians per position
	for i := range plain {
		plain[i] = kernel.Power(base, float64(2*i)/float64(dim))
	}
	kind := r.kind()
	if kind == "default" {
		return &transformer.Angles{Inverse: plain, Scale: 1}, nil
	}
	if kind == "linear" || kind == "llama3" || kind == "yarn" {
		if r.Factor == nil {
			return nil, fmt.Errorf("%s: factor is missing", where)
		} else if !(*r.Factor >= 1) {
			return nil, fmt.Errorf("%s: factor = %v: want at least 1", where, *r.Factor)
		}
	}
	switch kind {
	case "linear":
		for i := range plain {
			plain[i] /= *r.Factor
		}
		return &transformer.Angles{Inverse: plain, Scale: 1}, nil
	case "llama3":
		return r.llama3(where, plain)
	case "yarn":
		return r.yarn(where, plain, dim, base)
	}
	return nil, fmt.Errorf("%s: type %q is not supported: want default, linear, llama3 or yarn", where, kind)
}

// llama3 stretches slow turns by the factor, leaves fast ones and blends
// between: with w positions to a full turn and L positions in training,
//
//	smooth = (L/w - low) / (high - low) in [0, 1],  turn·((1-smooth)/factor + smooth)
//
// Llama Team, The Llama 3 Herd of Models, 2024, and the code published with it.
func (r *rope) llama3(where string, turns []float64) (*transformer.Angles, error) {
	if err := folder.Positive(where+": original_max_position_embeddings", r.Original); err != nil {
		return nil, err
	}
	if err := above(0, where+": low_freq_factor", r.Low); err != nil {
		return nil, err
	}
	if err := above(*r.Low, where+": high_freq_factor", r.High); err != nil {
		return nil, err
	}
	for i, v := range turns {
		perContext := float64(float64(*r.Original)*v) / (2 * math.Pi)
		smooth := min(max((perContext-*r.Low)/(*r.High-*r.Low), 0), 1)
		turns[i] = float64((1-smooth)*v) / *r.Factor
		turns[i] += float64(smooth * v)
	}
	return &transformer.Angles{Inverse: turns, Scale: 1}, nil
}

// yarn stretches slow turns by the factor, leaves fast ones and blends along
// the pairs between; the table is scaled, which sharpens the scores.
//
// Peng, Quesnelle, Fan and Shippole, YaRN: Efficient Context Window Extension
// of Large Language Models, 2023, sections 3.2 and 3.4; mscale as DeepSeek-V2
// and its followers use it.
func (r *rope) yarn(where string, turns []float64, dim int, base float64) (*transformer.Angles, error) {
	if err := folder.Positive(where+": original_max_position_embeddings", r.Original); err != nil {
		return nil, err
	}
	fast, slow := r.Fast, r.Slow
	or(&fast, 32)
	or(&slow, 1)
	if err := errors.Join(above(0, where+": beta_fast", fast), above(0, where+": beta_slow", slow)); err != nil {
		return nil, err
	}
	// the pair that makes n full turns within the context of training
	pair := func(n float64) float64 {
		return float64(float64(dim)*kernel.Ln(float64(*r.Original)/(n*2*math.Pi))) / (2 * kernel.Ln(base))
	}
	low, high := pair(*fast), pair(*slow)
	if r.Truncate == nil || *r.Truncate {
		low, high = math.Floor(low), math.Ceil(high)
	}
	low, high = max(low, 0), min(high, float64(dim-1))
	if low == high {
		high += 0.001
	}
	for i, v := range turns {
		blend := min(max((float64(i)-low)/(high-low), 0), 1)
		turns[i] = float64(blend*v) / *r.Factor
		turns[i] += float64((1 - blend) * v)
	}
	scale, err := r.yarnScale(where)
	return &transformer.Angles{Inverse: turns, Scale: scale}, err
}

// yarnScale is the factor on the table: stated, or 0.1·ln(factor) + 1.
func (r *rope) yarnScale(where string) (float64, error) {
	if r.Attention != nil {
		return *r.Attention, above(0, where+": attention_factor", r.Attention)
	}
	scale := func(m float64) float64 { return float64(float64(0.1*m)*kernel.Ln(*r.Factor)) + 1 }
	if r.Scale == nil || r.ScaleAll == nil || *r.Scale == 0 || *r.ScaleAll == 0 {
		return scale(1), nil
	}
	if *r.Scale < 0 || *r.ScaleAll < 0 {
		return 0, fmt.Errorf("%s: mscale = %v, mscale_all_dim = %v: want positive numbers", where, *r.Scale, *r.ScaleAll)
	}
	return scale(*r.Scale) / scale(*r.ScaleAll), nil
}
