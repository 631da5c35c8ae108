package encoder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"infnet/backends"
	"infnet/backends/runtime/wordpiece"
	"infnet/backends/runtime/workers"
)

// Embedder embeds texts with a network in memory. It is safe for concurrent
// use; calls share the weights and at most Threads workers.
type Embedder struct {
	net     *network
	tokens  *wordpiece.Tokenizer
	pooling Pooling
	longest int
	workers *workers.Pool[worker]
}

var _ backends.Embedder = (*Embedder)(nil)

// OpenFS opens the folder at the root of fsys. cfg.Path is not used. The
// error names the file, tensor or key that is wrong.
func OpenFS(fsys fs.FS, cfg backends.EncoderConfig) (*Embedder, error) {
	if cfg.Threads < 0 || cfg.MaxTokens < 0 || cfg.MaxTokens > 0 && cfg.MaxTokens < 3 {
		return nil, fmt.Errorf("threads = %d, max tokens = %d: want 0 (the default) or more, and 3 tokens at least",
			cfg.Threads, cfg.MaxTokens)
	}
	f, err := OpenFolder(fsys)
	if err != nil {
		return nil, err
	}
	net, err := build(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	e := &Embedder{net: net, tokens: f.Tokenizer, pooling: f.Pooling, longest: f.MaxTokens}
	if cfg.MaxTokens > f.Config.Longest() {
		return nil, fmt.Errorf("max tokens = %d: the table of positions ends at %d", cfg.MaxTokens, f.Config.Longest())
	}
	if cfg.MaxTokens > 0 {
		e.longest = cfg.MaxTokens
	}
	e.workers = workers.New(cfg.Threads, func() *worker { return &worker{net: e.net} })
	return e, nil
}

// Dimension is the length of a vector.
func (e *Embedder) Dimension() int { return e.net.config.Hidden }

// MaxTokens is the number of tokens, special ones included, after which a text
// is cut.
func (e *Embedder) MaxTokens() int { return e.longest }

// CountTokens returns the tokens of a text before it is cut, special ones
// included.
func (e *Embedder) CountTokens(text string) (int, error) {
	return len(e.tokens.Encode(text, 0).IDs), nil
}

// Embed returns one vector of length 1 per text, in order. A text is cut after MaxTokens.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	ids := make([][]int32, len(texts))
	parts := max(1, min(len(texts), 4*e.workers.Threads()))
	err := e.workers.Each(ctx, parts, func(_ *worker, p int) error {
		for i := p * len(texts) / parts; i < (p+1)*len(texts)/parts; i++ {
			ids[i] = e.tokens.Encode(texts[i], e.longest).IDs
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	groups := e.groups(ids)
	err = e.workers.Each(ctx, len(groups), func(w *worker, g int) error {
		rows, err := w.forward(ctx, ids[groups[g].from:groups[g].to])
		if err != nil {
			return err
		}
		for i := groups[g].from; i < groups[g].to; i++ {
			n := len(ids[i]) * e.net.hiddenPad
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
	limit := min(groupRows, max(1, (total+e.workers.Threads()-1)/e.workers.Threads()))
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
	d, pad := e.net.config.Hidden, e.net.hiddenPad
	out := make([]float32, d)
	copy(out, rows)
	for at := pad; at < len(rows) && e.pooling != First; at += pad {
		for i, v := range rows[at : at+d] {
			if e.pooling == Max {
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
