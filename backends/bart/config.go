package bart

import (
	"errors"
	"fmt"
	"io/fs"
	"math"

	"infnet/backends/runtime/folder"
	"infnet/backends/runtime/kernel"
	"infnet/backends/runtime/safetensors"
	"infnet/backends/runtime/transformer"
)

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

func readConfig(fsys fs.FS) (config, error) {
	var c config
	if err := folder.Read(fsys, folder.Config, &c); err != nil {
		return c, err
	}
	if err := c.check(); err != nil {
		return c, fmt.Errorf("%s: %w", folder.Config, err)
	}
	return c, nil
}

func (c *config) check() error {
	if c.ModelType != "bart" {
		return fmt.Errorf("model_type is %q: this scorer knows bart alone", c.ModelType)
	}
	var problems []error
	for _, k := range []struct {
		key   string
		value *int
	}{
		{"d_model", c.Hidden}, {"vocab_size", c.Vocabulary}, {"max_position_embeddings", c.Positions},
		{"encoder_layers", c.EncoderLayers}, {"decoder_layers", c.DecoderLayers},
		{"encoder_attention_heads", c.EncoderHeads}, {"decoder_attention_heads", c.DecoderHeads},
		{"encoder_ffn_dim", c.EncoderInner}, {"decoder_ffn_dim", c.DecoderInner},
	} {
		problems = append(problems, folder.Positive(k.key, k.value))
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	for _, heads := range []int{*c.EncoderHeads, *c.DecoderHeads} {
		if *c.Hidden%heads != 0 {
			return fmt.Errorf("d_model = %d is no multiple of %d heads", *c.Hidden, heads)
		}
	}
	switch {
	case max(*c.EncoderLayers, *c.DecoderLayers) > folder.MostLayers:
		return fmt.Errorf("encoder_layers = %d, decoder_layers = %d: want at most %d", *c.EncoderLayers, *c.DecoderLayers,
			folder.MostLayers)
	case c.Start == nil || *c.Start < 0 || *c.Start >= *c.Vocabulary:
		return fmt.Errorf("decoder_start_token_id is missing or outside the vocabulary of %d", *c.Vocabulary)
	case c.Activation != nil && *c.Activation != "gelu":
		return fmt.Errorf("activation_function = %q: this scorer knows gelu alone", *c.Activation)
	case c.Tied != nil && !*c.Tied:
		return errors.New("tie_word_embeddings = false: this scorer knows the tied layout of BART alone")
	}
	return nil
}

// paddingRows are the rows that the tables of positions have before the first position's.
const paddingRows = 2

// plan is the encoder or the decoder, the names of whose tensors begin with its own.
func (c *config) plan(name string, layers, heads, inner int) *transformer.Plan {
	p := &transformer.Plan{Family: name, Biased: true, ScalesScores: true, DividesWeights: true,
		Epsilon: 1e-5, EmbedScale: 1, QueryScale: 1 / math.Sqrt(float64(*c.Hidden/heads)), Activation: kernel.GeluBias,
		Positions: *c.Positions + paddingRows, FirstPosition: paddingRows, Layers: make([]transformer.Placing, layers)}
	if c.Epsilon != nil {
		p.Epsilon = *c.Epsilon
	}
	if c.Scaled {
		p.EmbedScale = math.Sqrt(float64(*c.Hidden))
	}
	s := &p.Shape
	s.Hidden, s.Layers, s.Heads, s.KVHeads, s.HeadDim = *c.Hidden, layers, heads, heads, *c.Hidden/heads
	s.FeedForward, s.Vocabulary, s.Context = inner, *c.Vocabulary, *c.Positions
	attention := func(at string) transformer.AttentionNames {
		return transformer.AttentionNames{Query: at + ".q_proj", Key: at + ".k_proj", Value: at + ".v_proj",
			Out: at + ".out_proj", Norms: transformer.NormNames{After: at + "_layer_norm"}}
	}
	p.Names = transformer.Names{Embed: "shared", Positions: name + ".embed_positions",
		EmbedNorm: name + ".layernorm_embedding", Layer: name + ".layers.%d.", Self: attention("self_attn"),
		Feed: transformer.FeedNames{Up: "fc1", Down: "fc2", Norms: transformer.NormNames{After: "final_layer_norm"}}}
	if name == "decoder" {
		p.Names.Cross = attention("encoder_attn")
	} else {
		s.Bidirectional = true
	}
	return p
}

type network struct {
	encoder, decoder *transformer.Network
	bias             []float32 // of the logits, padded
}

// build reads the network. Tensors have the prefix "model." or not, and the vectors of tokens one of three names.
func (c *config) build(folder *safetensors.Folder) (*network, error) {
	prefix := ""
	if folder.Has("model.encoder.layernorm_embedding.weight") {
		prefix = "model."
	}
	w := transformer.NewWeights(folder, func(name string) string {
		switch {
		case name == "final_logits_bias":
			return name
		case name != "shared.weight" || folder.Has(prefix+name):
			return prefix + name
		case !folder.Has(prefix+"encoder.embed_tokens.weight") && folder.Has("lm_head.weight"):
			return "lm_head.weight" // tied, and saved under this name alone
		}
		return prefix + "encoder.embed_tokens.weight"
	})
	n := &network{bias: make([]float32, kernel.Round(*c.Vocabulary))}
	var err error
	if n.encoder, err = c.plan("encoder", *c.EncoderLayers, *c.EncoderHeads, *c.EncoderInner).Build(w); err != nil {
		return nil, err
	}
	if n.decoder, err = c.plan("decoder", *c.DecoderLayers, *c.DecoderHeads, *c.DecoderInner).Build(w); err != nil {
		return nil, err
	}
	if folder.Has("final_logits_bias") {
		n.bias = w.Padded("final_logits_bias", 1, *c.Vocabulary)
	}
	return n, w.Err
}
