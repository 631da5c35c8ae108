package cost

import (
	"fmt"
	"strconv"
	"strings"

	"infnet/backends"
)

// FLOPs returns the matrix-multiply work of one query, in floating-point
// operations, two per multiply–add. prompt and completion are token counts.
//
// A decoder of hidden size d, n layers, H heads of size h, G key-value heads,
// feed-forward size f and vocabulary V runs T = prompt + completion − 1
// tokens through its layers (the last generated token is never fed back):
//
//	per token and layer   2·d·H·h + 2·2·d·G·h + 2·H·h·d   projections
//	                      2·m·d·f                         MLP, m = 3 if gated, else 2
//	                      4·H·h·keys                      attention
//	per generated token   2·d·V                           output head
//
// where keys = min(position+1, window) on sliding-window layers and
// position+1 on global ones, positions from 0. An encoder (Bidirectional)
// runs its prompt only, every token sees all, and its head is applied
// completion times (V = 0: it has none).
//
// Every prompt token counts, whatever a prefix cache saved. Norms, softmax,
// rotary embeddings and table look-ups are not matrix multiplications and are
// left out. An unknown shape or a negative count is an error.
func FLOPs(s backends.Shape, prompt, completion int) (float64, error) {
	if err := checkShape(s); err != nil {
		return 0, err
	}
	if prompt < 0 || completion < 0 || prompt+completion == 0 {
		return 0, fmt.Errorf("FLOPs of %d prompt and %d generated tokens: counts must be non-negative and not both zero",
			prompt, completion)
	}
	tokens := int64(prompt)
	if !s.Bidirectional && completion > 0 {
		tokens += int64(completion) - 1
	}
	d, n := int64(s.Hidden), int64(s.Layers)
	query, key := int64(s.Heads)*int64(s.HeadDim), int64(s.KVHeads)*int64(s.HeadDim)
	matrices := int64(2)
	if s.Gated {
		matrices = 3
	}
	layer := 2*d*query + 4*d*key + 2*query*d + 2*matrices*d*int64(s.FeedForward)
	attention := 4 * query * keysSeen(s, tokens)
	head := 2 * d * int64(s.Vocabulary) * int64(completion)
	return float64(tokens*n*layer + attention + head), nil
}

// keysSeen returns the number of (query, key) pairs that attention scores for
// a sequence of this length, summed over the layers.
func keysSeen(s backends.Shape, tokens int64) int64 {
	n := int64(s.Layers)
	if s.Bidirectional {
		return n * tokens * tokens
	}
	global := n
	if s.Window > 0 && s.GlobalEvery > 1 {
		global = n / int64(s.GlobalEvery)
	}
	return global*causalKeys(tokens, tokens) + (n-global)*causalKeys(tokens, int64(s.Window))
}

// causalKeys returns Σ min(p+1, window) over the positions p = 0 … tokens−1.
func causalKeys(tokens, window int64) int64 {
	if tokens <= window {
		return tokens * (tokens + 1) / 2
	}
	return window*(window+1)/2 + (tokens-window)*window
}

func checkShape(s backends.Shape) error {
	for _, f := range []struct {
		name  string
		value int
	}{
		{"hidden", s.Hidden}, {"layers", s.Layers}, {"heads", s.Heads}, {"head_dim", s.HeadDim},
		{"kv_heads", s.KVHeads}, {"feed_forward", s.FeedForward},
	} {
		if f.value <= 0 {
			return fmt.Errorf("cost model %s needs the model's shape, but %s is %d: give the shape in the spec or choose "+
				"another cost model", TFLOPs, f.name, f.value)
		}
	}
	if s.Vocabulary < 0 || s.Window < 0 || s.GlobalEvery < 0 {
		return fmt.Errorf("model shape has a negative vocabulary (%d), window (%d) or global_every (%d)", s.Vocabulary,
			s.Window, s.GlobalEvery)
	}
	if s.Vocabulary == 0 && !s.Bidirectional {
		return fmt.Errorf("cost model %s needs the model's shape, but vocabulary is 0: only encoders have no output head",
			TFLOPs)
	}
	return nil
}

// Padding is the number of queries that a server computes together, all padded
// to the longest prompt and answer among them; 0 = none, each query costs its
// own tokens. In specs it is written "none" or "batch:N".
type Padding int

const mostPadded = 4096

// UnmarshalText reads "none" or "batch:N", N from 1 to 4096.
func (p *Padding) UnmarshalText(b []byte) error {
	text := string(b)
	if text == "none" {
		*p = 0
		return nil
	}
	digits, ok := strings.CutPrefix(text, "batch:")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 || n > mostPadded {
		return fmt.Errorf("unknown padding %q: want one of none, batch:N with N from 1 to %d", text, mostPadded)
	}
	*p = Padding(n)
	return nil
}

// String returns the padding as a spec writes it.
func (p Padding) String() string {
	if p == 0 {
		return "none"
	}
	return "batch:" + strconv.Itoa(int(p))
}

// Padded returns the TFLOPs of queries that are computed in batches of
// consecutive ones, as the paper's published costs are accounted (the authors'
// released code; the paper's text does not say so). A batch of B queries is
// computed as B queries of its longest prompt and its longest answer; what that
// takes is shared in proportion to the tokens of each,
//
//	cost_i = B·FLOPs(max L_in, max L_out) · (L_in,i + L_out,i) / Σ_j (L_in,j + L_out,j)
//
// so that a query costs more in a batch with a long one. The last batch may be
// smaller.
// With batches of 1 it is PerAnswer of TFLOPs.
func (p Padding) Padded(s backends.Shape, queries []Counts) ([]float64, error) {
	if p < 1 {
		return nil, fmt.Errorf("padding %v is no batch size", p)
	}
	out := make([]float64, 0, len(queries))
	for from := 0; from < len(queries); from += int(p) {
		batch := queries[from:min(from+int(p), len(queries))]
		var longest Counts
		tokens := 0
		for i, q := range batch {
			if q.Prompt < 0 || q.Completion < 0 || q.Prompt+q.Completion == 0 {
				return nil, fmt.Errorf("padding needs the token counts of every answer, but number %d of them has %d prompt and "+
					"%d generated tokens", from+i+1, q.Prompt, q.Completion)
			}
			longest.Prompt, longest.Completion = max(longest.Prompt, q.Prompt), max(longest.Completion, q.Completion)
			tokens += q.Prompt + q.Completion
		}
		f, err := FLOPs(s, longest.Prompt, longest.Completion)
		if err != nil {
			return nil, err
		}
		whole := f / 1e12 * float64(len(batch))
		for _, q := range batch {
			out = append(out, whole*float64(q.Prompt+q.Completion)/float64(tokens))
		}
	}
	return out, nil
}
