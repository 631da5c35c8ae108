// Package bart scores pairs of texts with a sequence-to-sequence network of the
// BART layout in this process, as BARTScore does: how likely is the target, token
// by token, once the encoder has read the source. It reads the hub's folder:
// config.json, *.safetensors, tokenizer.json.
//
// It generates nothing and embeds nothing. Its opinion: a score depends on its pair alone, bit for
// bit, in any batch and on any number of threads.
//
// Lewis et al., BART: Denoising Sequence-to-Sequence Pre-training for Natural
// Language Generation, Translation, and Comprehension, 2020; Yuan, Neubig and
// Liu, BARTScore, 2021.
package bart

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"infnet/backends"
	"infnet/backends/runtime/bbpe"
	"infnet/backends/runtime/folder"
	"infnet/backends/runtime/kernel"
	"infnet/backends/runtime/safetensors"
	"infnet/backends/runtime/transformer"
	"infnet/backends/runtime/workers"
	"infnet/harness/calc"
)

const tokenizerFile = "tokenizer.json"

// Scorer scores with a network in memory. It is safe for concurrent use.
type Scorer struct {
	net     *network
	tokens  *bbpe.Tokenizer
	unknown int32 // in place of added tokens the network has no vector for; -1 = there are none
	start   int32
	longest int
	workers *workers.Pool[worker]
}

type worker struct {
	encoder, decoder *transformer.Worker
	logits           []float32
}

// OpenFS opens the folder at the root of fsys. threads is the number of pairs
// scored at once; 0 = all CPU threads. The error names the file, tensor or key
// that is wrong.
func OpenFS(fsys fs.FS, threads int) (*Scorer, error) {
	c, err := readConfig(fsys)
	if err != nil {
		return nil, err
	}
	text, err := fs.ReadFile(fsys, tokenizerFile)
	if err != nil {
		return nil, err
	}
	tokens, err := bbpe.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tokenizerFile, err)
	}
	unknown, err := unknownFor(tokens, *c.Vocabulary)
	if err != nil {
		return nil, err
	}
	weights, err := safetensors.Open(fsys)
	if err != nil {
		return nil, err
	}
	net, err := c.build(weights)
	if err := errors.Join(err, weights.Close()); err != nil {
		return nil, err
	}
	return &Scorer{
		net: net, tokens: tokens, unknown: unknown, start: int32(*c.Start), longest: *c.Positions,
		workers: workers.New(max(0, threads), func() *worker {
			return &worker{net.encoder.NewWorker(), net.decoder.NewWorker(), make([]float32, len(net.bias))}
		}),
	}, nil
}

// unknownFor handles tokens that have no embedding. The published scorer has one: bart-large-cnn
// has 50,264 embeddings, and its tokenizer also has <mask>. If all such tokens are added tokens,
// they are read as <unk>, whose id is returned; -1 means that there are none.
func unknownFor(tokens *bbpe.Tokenizer, vocabulary int) (int32, error) {
	if tokens.Len() <= vocabulary {
		return -1, nil
	}
	around := slices.Concat(tokens.Before, tokens.After)
	for id := int32(vocabulary); int(id) < tokens.Len(); id++ {
		if _, added := tokens.Added[id]; !added || slices.Contains(around, id) {
			return 0, fmt.Errorf("the tokenizer has %d tokens, but vocab_size in %s is %d: are they of one model?", tokens.Len(),
				folder.Config, vocabulary)
		}
	}
	unknown, ok := tokens.ID("<unk>")
	if !ok || unknown >= vocabulary {
		return 0, fmt.Errorf("the tokenizer has %d tokens, vocab_size in %s is %d, and there is no <unk> to stand for "+
			"the others", tokens.Len(), folder.Config, vocabulary)
	}
	return int32(unknown), nil
}

// Score returns the mean log-probability of each target's tokens, those of the
// tokenizer's template (<s> and </s>) among them, as the authors' program has
// it. Texts longer than the table of positions are cut at the end.
func (s *Scorer) Score(ctx context.Context, pairs []backends.Pair) ([]float64, error) {
	out := make([]float64, len(pairs))
	err := s.workers.Each(ctx, len(pairs), func(w *worker, i int) (err error) {
		out[i], err = s.one(ctx, w, pairs[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (s *Scorer) one(ctx context.Context, w *worker, p backends.Pair) (float64, error) {
	source, target := s.encode(p.Source), s.encode(p.Target)
	if len(source) == 0 || len(target) == 0 {
		return 0, fmt.Errorf("%.40q and %.40q cannot be scored: one of them has no tokens", p.Source, p.Target)
	}
	read, err := w.encoder.Whole(ctx, [][]int32{source}, nil)
	if err != nil {
		return 0, err
	}
	// The decoder sees the target one place to the right, after its start.
	shifted := append([]int32{s.start}, target[:len(target)-1]...)
	vectors, err := w.decoder.Whole(ctx, [][]int32{shifted}, read)
	if err != nil {
		return 0, err
	}
	sum, pad := 0.0, s.net.decoder.Pad
	for i, id := range target {
		sum += s.logprob(vectors[i*pad:(i+1)*pad], w.logits, id)
	}
	score := sum / float64(len(target))
	if math.IsNaN(score) || math.IsInf(score, 0) {
		return 0, fmt.Errorf("the score of %.40q after %.40q is %v: are the weights sound?", p.Target, p.Source, score)
	}
	return score, nil
}

// encode returns a text's ids with the template around them, cut to the table
// of positions.
func (s *Scorer) encode(text string) []int32 {
	ids := s.tokens.Encode(text)
	if room := s.longest - len(s.tokens.Before) - len(s.tokens.After); len(ids) > room {
		ids = ids[:max(0, room)]
	}
	if vocabulary := int32(s.net.decoder.Head.N); s.unknown >= 0 {
		for i, id := range ids {
			if id >= vocabulary {
				ids[i] = s.unknown
			}
		}
	}
	return slices.Concat(s.tokens.Before, ids, s.tokens.After)
}

// logprob is the log-probability of one token by the vector before it: log softmax over the whole
// vocabulary, summed in float64.
func (s *Scorer) logprob(vector []float32, logits []float32, id int32) float64 {
	head := s.net.decoder.Head
	head.Mul(logits, len(logits), vector, len(vector), 1, 0, head.N)
	kernel.Add(logits, s.net.bias)
	logits = logits[:head.N]
	most := slices.Max(logits)
	sum := 0.0
	for _, v := range logits {
		sum += calc.Exp(float64(v) - float64(most))
	}
	return float64(logits[id]) - float64(most) - calc.Log(sum)
}

// Driver opens scorers in this process.
func Driver() backends.Driver {
	return backends.Driver{
		Kind: backends.BART,
		Scorer: func(c backends.Config) (backends.Scorer, error) {
			s, err := backends.SettingsOf[*backends.FolderConfig](c)
			if err != nil {
				return nil, err
			}
			return OpenFS(c.Files, s.Threads)
		},
		Revision: func(c backends.Config) (string, error) { return Revision(c.Files) },
	}
}

// Revision returns the content hash of a scorer's folder: of all that may
// change a score (the *.safetensors files and their index, config.json,
// tokenizer.json). See folder.Revision.
func Revision(fsys fs.FS) (string, error) {
	return folder.Revision(fsys, []string{folder.Config, tokenizerFile}, nil)
}
