package bart

import (
	"errors"
	"fmt"
	"io/fs"

	"infnet/backends/runtime/folder"
)

const configFile = "config.json"

// config is what config.json says. Pointers tell a missing key from a zero.
type config struct {
	ModelType     string   `json:"model_type"`
	Hidden        *int     `json:"d_model"`
	Vocabulary    *int     `json:"vocab_size"`
	Positions     *int     `json:"max_position_embeddings"`
	EncoderLayers *int     `json:"encoder_layers"`
	DecoderLayers *int     `json:"decoder_layers"`
	EncoderHeads  *int     `json:"encoder_attention_heads"`
	DecoderHeads  *int     `json:"decoder_attention_heads"`
	EncoderInner  *int     `json:"encoder_ffn_dim"`
	DecoderInner  *int     `json:"decoder_ffn_dim"`
	Start         *int     `json:"decoder_start_token_id"`
	Activation    *string  `json:"activation_function"`
	Scaled        bool     `json:"scale_embedding"`
	Tied          *bool    `json:"tie_word_embeddings"`
	Epsilon       *float64 `json:"layer_norm_eps"`
}

// readConfig reads and checks config.json.
func readConfig(fsys fs.FS) (config, error) {
	var c config
	if err := folder.Read(fsys, configFile, &c); err != nil {
		return c, err
	}
	return c, c.check()
}

func (c *config) check() error {
	if c.ModelType != "bart" {
		return fmt.Errorf("%s: model_type is %q: this scorer knows bart alone", configFile, c.ModelType)
	}
	var problems []error
	for _, k := range []struct {
		key   string
		value *int
		least int
	}{
		{"d_model", c.Hidden, 1}, {"vocab_size", c.Vocabulary, 3}, {"max_position_embeddings", c.Positions, 2},
		{"encoder_layers", c.EncoderLayers, 1}, {"decoder_layers", c.DecoderLayers, 1},
		{"encoder_attention_heads", c.EncoderHeads, 1}, {"decoder_attention_heads", c.DecoderHeads, 1},
		{"encoder_ffn_dim", c.EncoderInner, 1}, {"decoder_ffn_dim", c.DecoderInner, 1}, {"decoder_start_token_id",
			c.Start, 0},
	} {
		const most = 1 << 20
		switch {
		case k.value == nil:
			problems = append(problems, fmt.Errorf("%s: no %s", configFile, k.key))
		case *k.value < k.least || *k.value > most:
			problems = append(problems, fmt.Errorf("%s: %s = %d: want %d to %d", configFile, k.key, *k.value, k.least, most))
		}
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	for _, heads := range []int{*c.EncoderHeads, *c.DecoderHeads} {
		if *c.Hidden%heads != 0 {
			return fmt.Errorf("%s: d_model = %d is no multiple of %d heads", configFile, *c.Hidden, heads)
		}
	}
	if *c.Start >= *c.Vocabulary {
		return fmt.Errorf("%s: decoder_start_token_id = %d is outside the vocabulary of %d", configFile, *c.Start,
			*c.Vocabulary)
	}
	if c.Activation != nil && *c.Activation != "gelu" {
		return fmt.Errorf("%s: activation_function = %q: this scorer knows gelu alone", configFile, *c.Activation)
	}
	if c.Tied != nil && !*c.Tied {
		return fmt.Errorf("%s: tie_word_embeddings = false: this scorer knows the tied layout of BART alone", configFile)
	}
	return nil
}

// epsilon of the layer norms.
func (c *config) epsilon() float32 {
	if c.Epsilon != nil {
		return float32(*c.Epsilon)
	}
	return 1e-5
}
