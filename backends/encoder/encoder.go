// Package encoder turns sentences into vectors in this process: a folder of a BERT, DistilBERT or
// MPNet sentence encoder as the Hugging Face hub lays it out in, vectors of length 1 out, with the
// Go toolchain alone. It owns those folders (shape, tokenizer, pooling, names of tensors);
// tokens, files, the network and arithmetic belong to the packages below runtime.
//
// It refuses what it would compute wrongly: other architectures, other
// pooling, prompts in front of texts, weights that do not fit the
// configuration.
//
// Its opinion: a text's vector has the same bits alone, in any batch, on any number of threads and
// any SIMD width. Texts are never padded, so nothing is masked and no time is wasted.
//
// Reimers and Gurevych, Sentence-BERT: Sentence Embeddings using Siamese
// BERT-Networks, 2019.
package encoder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"

	"infnet/backends"
	"infnet/backends/runtime/folder"
	"infnet/backends/runtime/safetensors"
	"infnet/backends/runtime/transformer"
	"infnet/backends/runtime/wordpiece"
	"infnet/backends/runtime/workers"
)

// Embedder embeds texts with a network in memory. It is safe for concurrent
// use; calls share the weights and at most Threads workers.
type Embedder struct {
	net     *transformer.Network
	tokens  *wordpiece.Tokenizer
	pooling pooling
	longest int // tokens of a text, special ones included
	workers *workers.Pool[transformer.Worker]
}

// OpenFS opens the folder at the root of fsys. cfg.Path is not used. The
// error names the file, tensor or key that is wrong.
func OpenFS(fsys fs.FS, cfg backends.FolderConfig) (*Embedder, error) {
	if cfg.Threads < 0 || cfg.MaxTokens < 0 || cfg.MaxTokens > 0 && cfg.MaxTokens < 3 {
		return nil, fmt.Errorf("threads = %d, max tokens = %d: want 0 (the default) or more, and 3 tokens at least",
			cfg.Threads, cfg.MaxTokens)
	}
	p, err := readPlan(fsys)
	if err != nil {
		return nil, err
	}
	said, err := readSentence(fsys)
	if err != nil {
		return nil, err
	}
	e := &Embedder{pooling: said.pooling, longest: p.Shape.Context}
	if said.longest > 0 {
		e.longest = min(e.longest, said.longest)
	}
	if cfg.MaxTokens > p.Shape.Context {
		return nil, fmt.Errorf("max tokens = %d: the table of positions ends at %d", cfg.MaxTokens, p.Shape.Context)
	}
	if cfg.MaxTokens > 0 {
		e.longest = cfg.MaxTokens
	}
	if e.tokens, err = wordpiece.Open(fsys); err != nil {
		return nil, err
	}
	if n := e.tokens.Len(); n > p.Shape.Vocabulary {
		return nil, fmt.Errorf("the tokenizer has %d tokens, but vocab_size in %s is %d: are they of one model?", n,
			folder.Config, p.Shape.Vocabulary)
	}
	weights, err := safetensors.Open(fsys)
	if err != nil {
		return nil, err
	}
	e.net, err = build(p, weights)
	if err := errors.Join(err, weights.Close()); err != nil {
		return nil, err
	}
	e.workers = workers.New(cfg.Threads, e.net.NewWorker)
	return e, nil
}

// Embed returns one vector of length 1 per text, in order. A text is cut after MaxTokens.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	ids := make([][]int32, len(texts))
	parts := max(1, min(len(texts), 4*e.workers.Threads()))
	err := e.workers.Each(ctx, parts, func(_ *transformer.Worker, p int) error {
		for i := p * len(texts) / parts; i < (p+1)*len(texts)/parts; i++ {
			ids[i] = e.tokens.Encode(texts[i], e.longest)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	groups := e.groups(ids)
	err = e.workers.Each(ctx, len(groups), func(w *transformer.Worker, g int) error {
		rows, err := w.Whole(ctx, ids[groups[g].from:groups[g].to], nil)
		if err != nil {
			return err
		}
		for i := groups[g].from; i < groups[g].to; i++ {
			n := len(ids[i]) * e.net.Pad
			out[i] = e.pool(rows[:n])
			rows = rows[n:]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, v := range out {
		if v == nil {
			return nil, fmt.Errorf("the vector of the text %.60q is not finite or has no direction: are the weights sound?",
				texts[i])
		}
	}
	return out, nil
}

// group is texts from..to-1.
type group struct{ from, to int }

// groups splits texts into what a worker takes at a time, in order, so that
// every thread gets some.
func (e *Embedder) groups(ids [][]int32) []group {
	total := 0
	for _, x := range ids {
		total += len(x)
	}
	limit := min(transformer.ChunkRows, max(1, (total+e.workers.Threads()-1)/e.workers.Threads()))
	var out []group
	from, rows := 0, 0
	for i, x := range ids {
		if i > from && rows+len(x) > limit {
			out = append(out, group{from, i})
			from, rows = i, 0
		}
		rows += len(x)
	}
	if from < len(ids) {
		out = append(out, group{from, len(ids)})
	}
	return out
}

// pool combines the vectors of a text's tokens and normalises the result to length 1; nil if that
// is impossible.
func (e *Embedder) pool(rows []float32) []float32 {
	d, pad := e.net.Shape.Hidden, e.net.Pad
	out := make([]float32, d)
	copy(out, rows)
	for at := pad; at < len(rows) && e.pooling != first; at += pad {
		for i, v := range rows[at : at+d] {
			if e.pooling == most {
				out[i] = max(out[i], v)
			} else {
				out[i] += v
			}
		}
	}
	length := 0.0
	for _, v := range out {
		length += float64(float64(v) * float64(v))
	}
	length = math.Sqrt(length)
	if !(length > 0) || math.IsInf(length, 0) {
		return nil
	}
	for i, v := range out {
		out[i] = float32(float64(v) / length)
	}
	return out
}

// Driver opens sentence encoders in this process.
func Driver() backends.Driver {
	return backends.Driver{
		Kind: backends.Encoder,
		Embedder: func(c backends.Config) (backends.Embedder, error) {
			s, err := backends.SettingsOf[*backends.FolderConfig](c)
			if err != nil {
				return nil, err
			}
			return OpenFS(c.Files, *s)
		},
		Revision: func(c backends.Config) (string, error) { return Revision(c.Files) },
	}
}

// Revision returns the content hash of an encoder's folder: of everything in it
// that may change a vector (the *.safetensors files and their index, the JSON
// files of the network, the tokenizer and sentence-transformers, vocab.txt).
// See folder.Revision.
func Revision(fsys fs.FS) (string, error) {
	optional := []string{"tokenizer.json", "tokenizer_config.json", "vocab.txt",
		modulesFile, promptsFile}
	for _, pattern := range []string{"sentence_*_config.json", path.Join("*_Pooling", folder.Config)} {
		more, err := fs.Glob(fsys, pattern)
		if err != nil {
			return "", err
		}
		optional = append(optional, more...)
	}
	return folder.Revision(fsys, []string{folder.Config}, optional)
}
