package encoder

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"infnet/backends/runtime/folder"
)

// Architecture is a family of encoders.
type Architecture string

// The architectures, as config.json names them in model_type.
const (
	BERT       Architecture = "bert"       // Devlin et al., 2019
	DistilBERT Architecture = "distilbert" // Sanh et al., DistilBERT, a distilled version of BERT, 2019
	// Song et al., MPNet: Masked and Permuted Pre-training for Language Understanding, 2020
	MPNet Architecture = "mpnet"
)

// Activation is the function between the two matrices of a feed-forward block.
type Activation string

// The activations.
const (
	Gelu Activation = "gelu" // x·Φ(x), exact
	Relu Activation = "relu"
)

// Config is the shape of an encoder, read from config.json, whose keys differ
// by architecture.
type Config struct {
	Architecture Architecture
	Hidden       int // width of a token's vector
	Layers       int
	Heads        int // Hidden is a multiple of it
	FeedForward  int // width inside a block
	Vocabulary   int
	Positions    int // rows of the table of positions
	Types        int // rows of the table of token types; 0 = there is none
	Padding      int // MPNet: positions begin after this id; else 0
	Buckets      int // MPNet: buckets of relative positions; 0 = there are none
	Epsilon      float64
	Activation   Activation
}

// Offset is the position of a text's first token.
func (c *Config) Offset() int {
	if c.Architecture == MPNet {
		return c.Padding + 1
	}
	return 0
}

// Longest is the number of tokens the table of positions has room for.
func (c *Config) Longest() int { return c.Positions - c.Offset() }

// The files of a folder.
const (
	configFile  = "config.json"
	modulesFile = "modules.json"
	promptsFile = "config_sentence_transformers.json"
)

// rawConfig is config.json of any of the three. Pointers tell a missing key
// from a zero.
type rawConfig struct {
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

func readConfig(fsys fs.FS) (Config, error) {
	var r rawConfig
	if err := folder.Read(fsys, configFile, &r); err != nil {
		return Config{}, err
	}
	c, err := r.settle()
	if err != nil {
		return c, fmt.Errorf("%s: %w", configFile, err)
	}
	return c, nil
}

// settle checks the configuration, naming keys as the architecture does.
func (r *rawConfig) settle() (Config, error) {
	c := Config{Architecture: Architecture(r.ModelType), Epsilon: 1e-12, Activation: Gelu}
	type key struct {
		name string
		from *int
		to   *int
	}
	keys := []key{
		{"hidden_size", r.Hidden, &c.Hidden}, {"num_hidden_layers", r.Layers, &c.Layers}, {"num_attention_heads", r.Heads,
			&c.Heads},
		{"intermediate_size", r.FeedForward, &c.FeedForward}, {"vocab_size", r.Vocabulary,
			&c.Vocabulary}, {"max_position_embeddings", r.Positions, &c.Positions},
	}
	activation, name := r.Activation, "hidden_act"
	switch c.Architecture {
	case BERT:
		keys = append(keys, key{"type_vocab_size", r.Types, &c.Types})
	case DistilBERT:
		keys[0], keys[1] = key{"dim", r.Dim, &c.Hidden}, key{"n_layers", r.NLayers, &c.Layers}
		keys[2], keys[3] = key{"n_heads", r.NHeads, &c.Heads}, key{"hidden_dim", r.HiddenDim, &c.FeedForward}
		activation, name = r.Activation2, "activation"
	case MPNet:
		c.Padding, c.Buckets = 1, 32
		if r.Padding != nil {
			c.Padding = *r.Padding
		}
		if r.Buckets != nil {
			c.Buckets = *r.Buckets
		}
		if c.Padding < 0 || c.Buckets < 4 || c.Buckets > 1<<16 || c.Buckets%4 != 0 {
			return c, fmt.Errorf("pad_token_id = %d, relative_attention_num_buckets = %d: want 0 or more, and a multiple of 4",
				c.Padding, c.Buckets)
		}
	default:
		return c, fmt.Errorf("model_type %q is no encoder known here: want %s, %s or %s", r.ModelType, BERT,
			DistilBERT, MPNet)
	}
	for _, k := range keys {
		if k.from == nil {
			return c, fmt.Errorf("%s is missing", k.name)
		}
		if *k.from <= 0 || *k.from > 1<<24 {
			return c, fmt.Errorf("%s = %d: want a positive number below 2^24", k.name, *k.from)
		}
		*k.to = *k.from
	}
	if r.Epsilon != nil {
		c.Epsilon = *r.Epsilon
	}
	if activation != nil {
		c.Activation = Activation(*activation)
	}
	return c, c.check(r, name)
}

func (c *Config) check(r *rawConfig, activation string) error {
	switch {
	case c.Layers > 4096:
		return fmt.Errorf("%d layers: want at most 4096", c.Layers)
	case c.Hidden%c.Heads != 0:
		return fmt.Errorf("a width of %d is not a multiple of %d heads", c.Hidden, c.Heads)
	case c.Longest() < 3:
		return fmt.Errorf("max_position_embeddings = %d has no room for a text", c.Positions)
	case !(c.Epsilon > 0):
		return fmt.Errorf("layer_norm_eps = %v: want a positive number", c.Epsilon)
	case c.Activation != Gelu && c.Activation != Relu:
		return fmt.Errorf("%s = %q is not supported: want %s or %s", activation, c.Activation, Gelu, Relu)
	case r.PositionKind != nil && *r.PositionKind != "absolute":
		return fmt.Errorf("position_embedding_type = %q is not supported: want absolute", *r.PositionKind)
	case r.Decoder:
		return errors.New("is_decoder is set: a decoder is no encoder")
	case r.Quantization != nil:
		return errors.New("quantization_config is not supported: want weights in bfloat16, float16 or float32")
	}
	return nil
}

// Pooling is how the vectors of a text's tokens become one.
type Pooling string

// The ways to pool.
const (
	Mean  Pooling = "mean" // the mean over all tokens, special ones included
	First Pooling = "cls"  // the first token's
	Max   Pooling = "max"  // the largest number of each component
)

// sentence is what the files of sentence-transformers say in addition to the network's.
type sentence struct {
	pooling Pooling
	longest int // tokens of a text, special ones included; 0 = not said
}

// readSentence reads modules.json and what it leads to; a folder without it is
// pooled by the mean.
func readSentence(fsys fs.FS) (sentence, error) {
	s := sentence{pooling: Mean}
	var modules []struct{ Path, Type string }
	if err := folder.ReadOptional(fsys, modulesFile, &modules); err != nil {
		return s, err
	}
	for i, m := range modules {
		kind := m.Type[strings.LastIndexByte(m.Type, '.')+1:]
		var err error
		switch {
		case kind == "Transformer" && i == 0 && (m.Path == "" || m.Path == "."):
		case kind == "Transformer" && i == 0:
			err = fmt.Errorf("the network is in the folder %q: name that folder", m.Path)
		case kind == "Pooling" && i == 1:
			s.pooling, err = readPooling(fsys, m.Path)
		case kind == "Normalize" && i == 2: // done in any case
		default:
			err = fmt.Errorf("module %d is %q: want Transformer, Pooling and Normalize, in this order", i, m.Type)
		}
		if err != nil {
			return s, fmt.Errorf("%s: %w", modulesFile, err)
		}
	}
	if len(modules) == 1 {
		return s, fmt.Errorf("%s: Pooling is missing", modulesFile)
	}
	var prompts struct {
		Default *string `json:"default_prompt_name"`
	}
	if err := folder.ReadOptional(fsys, promptsFile, &prompts); err != nil {
		return s, err
	}
	if prompts.Default != nil {
		return s, fmt.Errorf("%s: default_prompt_name = %q: prompts in front of texts are not supported", promptsFile,
			*prompts.Default)
	}
	// The file's name has had the architecture in it.
	for _, name := range []string{"sentence_bert_config.json", "sentence_distilbert_config.json",
		"sentence_mpnet_config.json"} {
		var limits struct {
			Longest *int `json:"max_seq_length"`
			Lower   bool `json:"do_lower_case"`
		}
		if err := folder.ReadOptional(fsys, name, &limits); err != nil {
			return s, err
		}
		if limits.Lower {
			return s, fmt.Errorf("%s: do_lower_case is not supported: lower case is the tokenizer's", name)
		}
		if limits.Longest != nil {
			if s.longest = *limits.Longest; s.longest < 3 {
				return s, fmt.Errorf("%s: max_seq_length = %d: want 3 or more", name, s.longest)
			}
			return s, nil
		}
	}
	return s, nil
}

// readPooling reads which of the modes of a Pooling module is on.
func readPooling(fsys fs.FS, dir string) (Pooling, error) {
	name := path.Join(dir, configFile)
	var modes map[string]any
	if err := folder.Read(fsys, name, &modes); err != nil {
		return "", err
	}
	var on []string
	for k, v := range modes {
		if mode, ok := strings.CutPrefix(k, "pooling_mode_"); ok && v == true {
			on = append(on, mode)
		}
	}
	if mode, ok := modes["pooling_mode"].(string); ok && len(on) == 0 {
		on = []string{mode}
	}
	slices.Sort(on)
	known := map[string]Pooling{"mean_tokens": Mean, "mean": Mean, "mean_sqrt_len_tokens": Mean, "cls_token": First,
		"cls": First, "max_tokens": Max, "max": Max}
	if len(on) != 1 || known[on[0]] == "" {
		return "", fmt.Errorf("%s: pooling by %s is not supported: want mean, cls or max, and one of them", name,
			strings.Join(on, " and "))
	}
	return known[on[0]], nil
}
