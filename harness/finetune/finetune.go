// Package finetune trains a pretrained text encoder (BERT or DistilBERT, in the hub's layout) to
// estimate the probability of a label from a query, or from a query and an answer: the learner
// "encoder" of package router. It owns the network's graph, its training, its cost estimate and its
// checkpoints. GoMLX differentiates the graph; package tensor executes it.
//
// It refuses to download, to generate text, and encoders that it does not support exactly.
//
// Its opinion: a fine-tuned network depends only on its initial weights, the records and the seed.
// The order of the records, the number of threads and the rest of a batch change no bit.
package finetune

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"

	"infnet/backends/encoder"
	"infnet/backends/runtime/wordpiece"
	"infnet/harness/router"
)

// Of every fit. The learning rate, the batch, the epochs and the patience are
// those of the published protocol of this comparison.
const (
	rate     = 2e-5
	rows     = 32 // texts of a step
	patience = 3  // epochs without a smaller loss on the records held out
	longest  = 512
)

// Epochs is how often a fit goes through its records at most.
const Epochs = 20

// code is the version of the computation: raise it where the same task leads
// to other scores.
const code = 3

// Options say which encoder is fine-tuned and where what it learned is kept.
type Options struct {
	Name   string // what the study calls the model; part of the learner's name
	Folder fs.FS  // config.json, *.safetensors, tokenizer.json or vocab.txt
	Cache  string // a folder for checkpoints, made when needed; "" = none are kept
}

// Learner fine-tunes. It is safe for concurrent use.
type Learner struct {
	o         Options
	arch      arch
	weights   weights
	tokenizer *wordpiece.Tokenizer
	origin    string  // digest of config, weights and tokenizer
	size      int     // of the longest input, in tokens
	rate      float64 // of the first step
	epochs    int     // at most
}

var (
	_ router.Learner = (*Learner)(nil)
	_ router.Serial  = (*Learner)(nil)
)

// Open reads an encoder's folder. Errors name what is wrong with it.
func Open(o Options) (*Learner, error) {
	l := &Learner{o: o, rate: rate, epochs: Epochs}
	folder, err := encoder.OpenFolder(o.Folder)
	if err != nil {
		return nil, fmt.Errorf("encoder %q: %w", o.Name, err)
	}
	defer folder.Close()
	l.tokenizer = folder.Tokenizer
	if l.arch, err = readArch(folder.Config, o.Folder); err != nil {
		return nil, fmt.Errorf("encoder %q: %w", o.Name, err)
	}
	if l.weights, err = readWeights(folder, l.arch); err != nil {
		return nil, fmt.Errorf("encoder %q: %w", o.Name, err)
	}
	l.size = min(longest, l.arch.Positions)
	l.origin = l.digest()
	return l, nil
}

// digest identifies what the folder holds, as far as it matters.
func (l *Learner) digest() string {
	h := sha256.New()
	fmt.Fprintf(h, "%+v\n%s\n", l.arch, l.weights.digest())
	for id := range l.tokenizer.Len() {
		fmt.Fprintf(h, "%q\n", l.tokenizer.Token(int32(id)))
	}
	// What the list of tokens does not say: how text is normalised and framed.
	probe := l.tokenizer.EncodePair("Éa ﬁ 中b", "A.b", 0)
	fmt.Fprintln(h, probe.IDs, probe.Types)
	return hex.EncodeToString(h.Sum(nil))
}

// Name is what tables call it.
func (l *Learner) Name() string { return "fine-tuned " + l.o.Name }

// Key names the weights, the options and the version.
func (l *Learner) Key() string {
	return fmt.Sprintf("encoder %d on %s: %s, rate %g, batch %d, epochs %d, patience %d, decay %g, held out %g, at "+
		"most %d tokens",
		code, device, l.origin, l.rate, rows, l.epochs, patience, decay, router.HeldOut, l.size)
}

// OneAtATime says that a fit uses all the threads it is given.
func (l *Learner) OneAtATime() bool { return true }

// encode turns a sample into tokens: the query, and for a scorer the answer
// after it, the longer one cut first where both do not fit.
func (l *Learner) encode(s router.Sample, answered bool) wordpiece.Encoding {
	if answered {
		return l.tokenizer.EncodePair(s.Query, s.Answer, l.size)
	}
	return l.tokenizer.Encode(s.Query, l.size)
}

// encodeAll encodes samples, in their order.
func (l *Learner) encodeAll(ctx context.Context, samples []router.Sample, answered bool) ([]wordpiece.Encoding, error) {
	out := make([]wordpiece.Encoding, len(samples))
	for i, s := range samples {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		out[i] = l.encode(s, answered)
	}
	return out, nil
}
