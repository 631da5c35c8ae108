package encoder

import (
	"fmt"
	"io/fs"
	"strings"

	"infnet/backends/runtime/number"
	"infnet/backends/runtime/safetensors"
	"infnet/backends/runtime/wordpiece"
)

// Folder is an encoder's folder as the hub lays it out: its shape, its tokenizer and its tensors by
// name. Close it after reading the tensors.
type Folder struct {
	Config    Config
	Tokenizer *wordpiece.Tokenizer
	Pooling   Pooling // as sentence-transformers' files say, else Mean
	// of a text, special tokens included: as sentence-transformers' files say, else what positions there are
	MaxTokens int

	weights *safetensors.Folder
	prefix  string // of all tensors of the network: "", "bert.", ...
	used    map[string]bool
}

// OpenFolder reads config.json, the tokenizer, the sentence-transformers files
// where there are any, and the headers of the weights.
func OpenFolder(fsys fs.FS) (*Folder, error) {
	c, err := readConfig(fsys)
	if err != nil {
		return nil, err
	}
	s, err := readSentence(fsys)
	if err != nil {
		return nil, err
	}
	f := &Folder{Config: c, Pooling: s.pooling, MaxTokens: c.Longest(), used: map[string]bool{}}
	if s.longest > 0 {
		f.MaxTokens = min(f.MaxTokens, s.longest)
	}
	if f.Tokenizer, err = wordpiece.Open(fsys); err != nil {
		return nil, err
	}
	if n := f.Tokenizer.Len(); n > c.Vocabulary {
		return nil, fmt.Errorf("the tokenizer has %d tokens, but vocab_size in %s is %d: are they of one model?", n,
			configFile, c.Vocabulary)
	}
	if f.weights, err = safetensors.Open(fsys); err != nil {
		return nil, err
	}
	const word = "embeddings.word_embeddings.weight"
	if p := string(c.Architecture) + "."; !f.weights.Has(word) && f.weights.Has(p+word) {
		f.prefix = p
	}
	return f, nil
}

// Close closes the files of the weights.
func (f *Folder) Close() error { return f.weights.Close() }

// Has reports whether a tensor is there, the architecture's prefix ("bert.")
// left out or not.
func (f *Folder) Has(name string) bool { return f.weights.Has(f.resolve(name)) }

// Read returns the numbers of a tensor, row-major. It must be there and have
// this shape. Names are those of the network alone ("encoder.layer.0.…"),
// whether the file has the architecture's prefix or not; those of a head on
// top ("classifier.weight") are as in the file.
func (f *Folder) Read(name string, shape ...int) ([]float32, error) {
	name = f.resolve(name)
	f.used[name] = true
	return f.weights.Read(name, shape...)
}

// Format returns how a tensor named as for Read is stored.
func (f *Folder) Format(name string) number.Format { return f.weights.Format(f.resolve(name)) }

// Check returns an error unless a tensor named as for Read is there and has
// this shape.
func (f *Folder) Check(name string, shape ...int) error {
	return f.weights.Check(f.resolve(name), shape...)
}

// Rows calls do with rows of a tensor named as for Read, as they are stored:
// the first one's number and some whole ones, in order, in memory that is used again.
func (f *Folder) Rows(name string, do func(first int, rows number.Slice), shape ...int) error {
	name = f.resolve(name)
	f.used[name] = true
	return f.weights.Rows(name, do, shape...)
}

// resolve finds the name that the file has for a tensor. The first published
// weights call the two vectors of a layer norm gamma and beta.
func (f *Folder) resolve(name string) string {
	for _, n := range []string{f.prefix + name, name} {
		if f.weights.Has(n) {
			return n
		}
		old := n
		if stem, ok := strings.CutSuffix(n, "LayerNorm.weight"); ok {
			old = stem + "LayerNorm.gamma"
		} else if stem, ok := strings.CutSuffix(n, "LayerNorm.bias"); ok {
			old = stem + "LayerNorm.beta"
		}
		if f.weights.Has(old) {
			return old
		}
	}
	return f.prefix + name
}

// LayerNames are what an architecture calls the parts of a block. Each has a
// tensor NAME.weight and one NAME.bias.
type LayerNames struct {
	Query, Key, Value, Out string // Hidden × Hidden
	AttentionNorm          string // Hidden
	Up                     string // FeedForward × Hidden
	Down                   string // Hidden × FeedForward
	OutNorm                string // Hidden
}

// Names returns what the tensors of block l are called, l from 0.
func (c *Config) Names(l int) LayerNames {
	p := fmt.Sprintf("encoder.layer.%d.", l)
	switch c.Architecture {
	case DistilBERT:
		p = fmt.Sprintf("transformer.layer.%d.", l)
		return LayerNames{
			Query: p + "attention.q_lin", Key: p + "attention.k_lin", Value: p + "attention.v_lin", Out: p + "attention.out_lin",
			AttentionNorm: p + "sa_layer_norm", Up: p + "ffn.lin1", Down: p + "ffn.lin2", OutNorm: p + "output_layer_norm",
		}
	case MPNet:
		a := p + "attention.attn."
		return LayerNames{
			Query: a + "q", Key: a + "k", Value: a + "v", Out: a + "o",
			AttentionNorm: p + "attention.LayerNorm", Up: p + "intermediate.dense", Down: p + "output.dense", OutNorm: p +
				"output.LayerNorm",
		}
	}
	return LayerNames{
		Query: p + "attention.self.query", Key: p + "attention.self.key", Value: p + "attention.self.value", Out: p +
			"attention.output.dense",
		AttentionNorm: p + "attention.output.LayerNorm", Up: p + "intermediate.dense", Down: p + "output.dense", OutNorm: p +
			"output.LayerNorm",
	}
}

// unread is a tensor inside the network that nothing asked for; "" = none. A
// pooler, heads, and the position ids some exporters store do not count.
func (f *Folder) unread() string {
	for _, name := range f.weights.Names() {
		inner := strings.TrimPrefix(name, f.prefix)
		if f.used[name] || strings.HasSuffix(name, "position_ids") {
			continue
		}
		if strings.HasPrefix(inner, "embeddings.") || strings.HasPrefix(inner, "encoder.") ||
			strings.HasPrefix(inner, "transformer.") {
			return name
		}
	}
	return ""
}
