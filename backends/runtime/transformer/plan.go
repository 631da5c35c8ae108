// Package transformer builds and runs the blocks of transformers in this process: decoders with a
// cache, encoders, and decoders that look at an encoder. It owns the plan of a network, the reading of
// its weights by that plan, and the forward pass.
//
// A model is data: which norm and where, which positions, what a token sees, which activation, and
// what its tensors are called. It refuses to know configuration files, tokenizers and families.
//
// Its opinion: a row of the result has the same bits alone, in any batch, with or without a shared
// prefix, on any number of threads and any SIMD width. Rows of different texts meet only in
// attention, which stays within a text. Texts are never padded.
//
// Vaswani et al., Attention Is All You Need, 2017.
package transformer

import "infnet/backends"

// Plan is a network before its weights.
type Plan struct {
	Family  string         // for errors
	Shape   backends.Shape // Gated, Bidirectional and the sizes decide; Window and GlobalEvery describe Layers
	Layers  []Placing
	Epsilon float64 // of the norms
	Names   Names

	// Norms take the mean away, and they and all projections have a bias. Else norms divide by the root mean
	// square alone and nothing has a bias.
	Biased     bool
	NormOffset float64 // added to stored norm weights, where norms have no bias

	EmbedScale float64 // of the vectors of tokens
	QueryScale float64 // of the scores
	Growth     *Growth // of the queries; nil = none

	// How the two factors of attention were applied when the published models were trained: to the queries or
	// to the scores; to the sums of values or to the weights before.
	ScalesScores, DividesWeights bool

	Gate       func(dst, gate, up []float32) // of a gated network
	Activation func(dst, x, bias []float32)  // of one without gate

	// Of a table of positions: its rows, and the first position's. Other networks turn queries and keys.
	Positions, FirstPosition int
	Types                    int // rows of the table of token types, of which the first is used; 0 = there is none
	Buckets                  int // of relative positions; 0 = there are none
}

// Placing is what differs between layers.
type Placing struct {
	Window int     // keys a query sees, itself included; 0 = all
	Turns  *Angles // rotary positions; nil = none
}

// Names are what a checkpoint calls its tensors, without the ".weight" and ".bias" at their ends; "" where a
// network has no such tensor.
type Names struct {
	Embed, EmbedNorm, Positions, Types, Relative, FinalNorm, Head string

	Layer string // of a block by its number, a format; those below follow it
	Self  AttentionNames
	Cross AttentionNames // the look at an encoder
	Feed  FeedNames
}

// NormNames are where a part of a block norms: what it reads, what it says, and the sum of what came in and
// what it says.
type NormNames struct{ Before, Said, After string }

// AttentionNames are those of one attention; QueryNorm and KeyNorm norm each head.
type AttentionNames struct {
	Norms                  NormNames
	Query, Key, Value, Out string
	QueryNorm, KeyNorm     string
}

// FeedNames are those of the feed-forward part. Without gate, Gate is "".
type FeedNames struct {
	Norms          NormNames
	Gate, Up, Down string
}
