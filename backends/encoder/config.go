package encoder

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"

	"infnet/backends/runtime/folder"
	"infnet/backends/runtime/kernel"
	"infnet/backends/runtime/safetensors"
	"infnet/backends/runtime/transformer"
)

// The architectures, as config.json names them in model_type.
const (
	bert       = "bert"       // Devlin et al., 2019
	distilbert = "distilbert" // Sanh et al., DistilBERT, a distilled version of BERT, 2019
	// Song et al., MPNet: Masked and Permuted Pre-training for Language Understanding, 2020
	mpnet = "mpnet"
)

// activations are the functions between the two matrices of a feed-forward block.
var activations = map[string]func(dst, x, bias []float32){"gelu": kernel.GeluBias, "relu": kernel.ReluBias}

// config is config.json of any of the three. Pointers tell a missing key from a zero.
type config struct {
	ModelType    string   `json:"model_type"`
	Hidden       *int     `json:"hidden_size"`
	Layers       *int     `json:"num_hidden_layers"`
	Heads        *int     `json:"num_attention_heads"`
	FeedForward  *int     `json:"intermediate_size"`
	Vocabulary   *int     `json:"vocab_size"`
	Positions    *int     `json:"max_position_embeddings"`
	Types        *int     `json:"type_vocab_size"`
	Padding      *int     `json:"pad_token_id"`
	Buckets      *int     `json:"relative_attention_num_buckets"`
	Epsilon      *float64 `json:"layer_norm_eps"`
	Activation   *string  `json:"hidden_act"`
	PositionKind *string  `json:"position_embedding_type"`

	// DistilBERT's names for the same.
	Dim         *int    `json:"dim"`
	NLayers     *int    `json:"n_layers"`
	NHeads      *int    `json:"n_heads"`
	HiddenDim   *int    `json:"hidden_dim"`
	Activation2 *string `json:"activation"`

	Decoder      bool `json:"is_decoder"`
	Quantization any  `json:"quantization_config"`
}

func readPlan(fsys fs.FS) (*transformer.Plan, error) {
	var c config
	if err := folder.Read(fsys, folder.Config, &c); err != nil {
		return nil, err
	}
	p, err := c.plan()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder.Config, err)
	}
	return p, nil
}

// plan makes a plan of a configuration, naming keys as the architecture does.
func (c *config) plan() (*transformer.Plan, error) {
	p := &transformer.Plan{Family: c.ModelType, Biased: true, Epsilon: 1e-12, EmbedScale: 1, ScalesScores: true,
		Activation: kernel.GeluBias, Names: names(c.ModelType)}
	s := &p.Shape
	s.Bidirectional = true
	type key struct {
		name string
		from *int
		to   *int
	}
	keys := []key{
		{"hidden_size", c.Hidden, &s.Hidden}, {"num_hidden_layers", c.Layers, &s.Layers},
		{"num_attention_heads", c.Heads, &s.Heads}, {"intermediate_size", c.FeedForward, &s.FeedForward},
		{"vocab_size", c.Vocabulary, &s.Vocabulary}, {"max_position_embeddings", c.Positions, &p.Positions},
	}
	activation, name := c.Activation, "hidden_act"
	switch c.ModelType {
	case bert:
		keys = append(keys, key{"type_vocab_size", c.Types, &p.Types})
	case distilbert:
		keys[0], keys[1] = key{"dim", c.Dim, &s.Hidden}, key{"n_layers", c.NLayers, &s.Layers}
		keys[2], keys[3] = key{"n_heads", c.NHeads, &s.Heads}, key{"hidden_dim", c.HiddenDim, &s.FeedForward}
		activation, name = c.Activation2, "activation"
	case mpnet:
		padding := 1
		p.Buckets = 32
		if c.Padding != nil {
			padding = *c.Padding
		}
		if c.Buckets != nil {
			p.Buckets = *c.Buckets
		}
		if padding < 0 || p.Buckets < 4 || p.Buckets > 1<<16 || p.Buckets%4 != 0 {
			return nil, fmt.Errorf("pad_token_id = %d, relative_attention_num_buckets = %d: want 0 or more, and a "+
				"multiple of 4", padding, p.Buckets)
		}
		p.FirstPosition = padding + 1
	default:
		return nil, fmt.Errorf("model_type %q is no encoder known here: want %s, %s or %s", c.ModelType, bert,
			distilbert, mpnet)
	}
	for _, k := range keys {
		if err := folder.Positive(k.name, k.from); err != nil {
			return nil, err
		}
		*k.to = *k.from
	}
	if c.Epsilon != nil {
		p.Epsilon = *c.Epsilon
	}
	if activation != nil {
		p.Activation = activations[*activation]
	}
	s.KVHeads, s.HeadDim, s.Context = s.Heads, s.Hidden/s.Heads, p.Positions-p.FirstPosition
	p.QueryScale = 1 / math.Sqrt(float64(s.HeadDim))
	p.Layers = make([]transformer.Placing, min(s.Layers, folder.MostLayers))
	switch {
	case p.Activation == nil:
		return nil, fmt.Errorf("%s = %q is not supported: want gelu or relu", name, *activation)
	case s.Layers > folder.MostLayers:
		return nil, fmt.Errorf("%d layers: want at most %d", s.Layers, folder.MostLayers)
	case s.Hidden%s.Heads != 0:
		return nil, fmt.Errorf("a width of %d is not a multiple of %d heads", s.Hidden, s.Heads)
	case s.Context < 3:
		return nil, fmt.Errorf("max_position_embeddings = %d has no room for a text", p.Positions)
	case !(p.Epsilon > 0):
		return nil, fmt.Errorf("layer_norm_eps = %v: want a positive number", p.Epsilon)
	case c.PositionKind != nil && *c.PositionKind != "absolute":
		return nil, fmt.Errorf("position_embedding_type = %q is not supported: want absolute", *c.PositionKind)
	case c.Decoder:
		return nil, errors.New("is_decoder is set: a decoder is no encoder")
	case c.Quantization != nil:
		return nil, errors.New("quantization_config is not supported: want weights in bfloat16, float16 or float32")
	}
	return p, nil
}

// names returns what an architecture calls its tensors.
func names(architecture string) transformer.Names {
	n := transformer.Names{
		Embed: "embeddings.word_embeddings", EmbedNorm: "embeddings.LayerNorm",
		Positions: "embeddings.position_embeddings", Types: "embeddings.token_type_embeddings",
		Relative: "encoder.relative_attention_bias", Layer: "encoder.layer.%d.",
		Self: transformer.AttentionNames{
			Query: "attention.self.query", Key: "attention.self.key", Value: "attention.self.value",
			Out: "attention.output.dense", Norms: transformer.NormNames{After: "attention.output.LayerNorm"},
		},
		Feed: transformer.FeedNames{Up: "intermediate.dense", Down: "output.dense",
			Norms: transformer.NormNames{After: "output.LayerNorm"}},
	}
	switch architecture {
	case distilbert:
		n.Layer = "transformer.layer.%d."
		n.Self = transformer.AttentionNames{
			Query: "attention.q_lin", Key: "attention.k_lin", Value: "attention.v_lin", Out: "attention.out_lin",
			Norms: transformer.NormNames{After: "sa_layer_norm"},
		}
		n.Feed = transformer.FeedNames{Up: "ffn.lin1", Down: "ffn.lin2",
			Norms: transformer.NormNames{After: "output_layer_norm"}}
	case mpnet:
		n.Self = transformer.AttentionNames{
			Query: "attention.attn.q", Key: "attention.attn.k", Value: "attention.attn.v", Out: "attention.attn.o",
			Norms: transformer.NormNames{After: "attention.LayerNorm"},
		}
	}
	return n
}

// build reads the network. Every tensor of it must be there with the shape that config.json implies, and no
// other inside it may; a pooler, heads, and the position ids that some exporters store do not count. The
// file has the architecture's prefix ("bert.") or not, and the first published weights call the two
// vectors of a layer norm gamma and beta.
func build(p *transformer.Plan, weights *safetensors.Folder) (*transformer.Network, error) {
	prefix := ""
	if word := p.Names.Embed + ".weight"; !weights.Has(word) && weights.Has(p.Family+"."+word) {
		prefix = p.Family + "."
	}
	old := strings.NewReplacer("LayerNorm.weight", "LayerNorm.gamma", "LayerNorm.bias", "LayerNorm.beta")
	w := transformer.NewWeights(weights, func(name string) string {
		if name = prefix + name; !weights.Has(name) && weights.Has(old.Replace(name)) {
			return old.Replace(name)
		}
		return name
	})
	n, err := p.Build(w)
	if err != nil {
		return nil, err
	}
	unused := w.Unused(func(name string) bool {
		part, _, _ := strings.Cut(strings.TrimPrefix(name, prefix), ".")
		return (part == "embeddings" || part == "encoder" || part == "transformer") &&
			!strings.HasSuffix(name, "position_ids")
	})
	if unused != "" {
		return nil, fmt.Errorf("tensor %q has no place in a %s encoder of %d layers", unused, p.Family, p.Shape.Layers)
	}
	return n, nil
}
