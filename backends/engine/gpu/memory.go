package gpu

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"infnet/backends"
)

// Load is what a server is to hold.
type Load struct {
	Shape  *backends.Shape // nil = unknown
	Params float64         // in billions, where the shape is unknown; 0 = unknown
	Files  int64           // bytes of the weights' files; 0 = unknown
	Name   string          // of the weights, which may tell how they are stored; "" = unknown

	DType        string // as engines call it: "bfloat16", "float32"; "" or "auto" = as the files are
	Quantization string // "fp8", "awq", …; "" = none, or as the files are

	MaxLength   int     // tokens of a prompt and its answer; 0 = the shape's context, or unknown
	Concurrency int     // requests at a time; 0 = 1
	GPUs        int     // GPUs that share the model (tensor parallelism); 0 = 1
	Share       float64 // of a GPU's memory, what the engine may take; 0 = defaultShare
}

// defaultShare is the part of a GPU's memory that vLLM takes: gpu_memory_utilization, 0.92 in vLLM 0.32
// (vllm/config/cache.py), 0.9 before.
const defaultShare = 0.92

// Range is an estimate: from the least to the most, in bytes.
type Range struct{ Low, High int64 }

// Plus adds two estimates.
func (r Range) Plus(o Range) Range { return Range{r.Low + o.Low, r.High + o.High} }

// String writes the range in GiB.
func (r Range) String() string {
	if low, high := GiB(r.Low), GiB(r.High); low != high {
		return strings.TrimSuffix(low, " GiB") + " to " + high
	}
	return GiB(r.High)
}

// Need is the memory that a server takes on each of its GPUs.
type Need struct {
	Weights  Range
	Cache    Range // keys and values of one request of full length
	Overhead Range // CUDA's context, the engine's buffers and graphs

	Stored bool // the weights' files say how large they are
}

// Total is the sum of all parts.
func (n Need) Total() Range { return n.Weights.Plus(n.Cache).Plus(n.Overhead) }

// String says what a server needs, and for what.
func (n Need) String() string {
	return fmt.Sprintf("%v on each GPU: weights %v, keys and values of a request of full length %v, the engine itself %v",
		n.Total(), n.Weights, n.Cache, n.Overhead)
}

// The constants of the estimate.
const (
	// Of the language model's parameters, what the weights may have beyond those that the shape states: norms,
	// a head that is not tied to the embeddings (counted by itself), and a vision tower. Gemma 3's tower has
	// 417 million parameters (Gemma 3 Technical Report, 2025, Table 1), Ministral 3's 400 million (its card).
	vision = 0.42e9

	// The engine's own memory on a GPU. At least: an estimate for vLLM of an 8B model on an L4 is 0.83 GiB
	// (kvplan 0.1.1 on PyPI). At most: CUDA's context, NCCL, CUDA graphs and fragmentation; vLLM sets aside
	// 8 % of a GPU for them, 2 GiB of a 24-GiB card.
	leastOverhead = 800 << 20
	mostOverhead  = 2 << 30

	// Files of more bytes a parameter than this hold 32 bits, and engines load them in 16.
	full = 3.2

	// What vLLM 0.32 computes at a time by default, at most (vllm/engine/arg_utils.py, get_batch_defaults, GPUs
	// of 70 GiB or more): tokens of prompts, and sequences, for each of which it holds logits in float32, and
	// a copy.
	batchTokens    = 8192
	batchSequences = 1024
)

var errUnsized = errors.New("nothing states the model's size: shape = { … } in [[models]], or params = BILLIONS")

// Estimate estimates the memory of a server on each of its GPUs.
//
//	weights   parameters × bytes of a number, or the size of the files, / GPUs
//	cache     2 × layers × key-value heads × head size × bytes of a number × tokens of a request
//	overhead  see the constants
//
// Parameters are those of the shape's matrices: V·d + n·(2·d·H·h + 2·d·G·h + m·d·f), with a second V·d at
// most for a head of its own. Layers with a sliding window hold a window's tokens at least, and all tokens at
// most (an engine without a cache of its own for such layers). The error says what is not known.
func Estimate(l Load) (Need, error) {
	gpus := int64(max(1, l.GPUs))
	least, most, err := width(l)
	if err != nil {
		return Need{}, err
	}
	var n Need
	switch low, high := parameters(l); {
	case l.Files > 0 && l.Quantization == "" && !single(l): // the engine holds the weights as the files do
		files := l.Files
		if low > 0 && float64(files) > full*low {
			files /= 2
		}
		n.Weights, n.Stored = Range{files / gpus, files / gpus * 21 / 20}, true // norms and embeddings are on every GPU
	case high == 0:
		return Need{}, errUnsized
	default:
		n.Weights = Range{int64(low*least) / gpus, int64(high*most) / gpus}
	}
	n.Overhead = Range{leastOverhead, mostOverhead}
	if l.Shape == nil {
		return n, nil // without a cache: see sized
	}
	n.Cache = cache(l, gpus)
	d, f, v := int64(l.Shape.Hidden), int64(l.Shape.FeedForward), int64(l.Shape.Vocabulary)
	n.Overhead.High += batchTokens*2*(4*d+2*f/gpus) + batchSequences*v*4*2
	return n, nil
}

func (l Load) tokens() int64 {
	if l.MaxLength == 0 && l.Shape != nil {
		return int64(l.Shape.Context)
	}
	return int64(l.MaxLength)
}

func (l Load) sized() bool { return l.Shape != nil && l.tokens() > 0 }

// single reports whether the engine computes in 32 bits.
func single(l Load) bool {
	return slices.Contains([]string{"float32", "float", "fp32"}, strings.ToLower(l.DType))
}

// formats are the bytes of a parameter, by a part of a quantization's name, or of the name of weights stored so. In 8
// bits embeddings and head stay in 16, in 4 bits there are scales, too. Ministral 3 Instruct has 8 bits, by its card.
var formats = []struct {
	part      string
	low, high float64
}{
	{"fp8", 1, 1.3}, {"int8", 1, 1.3}, {"w8a8", 1, 1.3}, {"-instruct-2512", 1, 1.3}, {"compressed-tensors", 1, 1.3},
	{"modelopt", 1, 1.3},
	{"awq", 0.5, 0.9}, {"gptq", 0.5, 0.9}, {"int4", 0.5, 0.9}, {"w4a16", 0.5, 0.9}, {"4bit", 0.5, 0.9},
	{"bitsandbytes", 0.5, 0.9}, {"nvfp4", 0.5, 0.9}, {"mxfp4", 0.5, 0.9},
}

// width returns the bytes of a parameter. Weights of which nothing says otherwise have 16 bits, as published models
// have.
func width(l Load) (low, high float64, err error) {
	format := strings.ToLower(l.Quantization)
	if name := strings.ToLower(l.Name); format == "" && !single(l) && !strings.Contains(name, "bf16") {
		format = name
	}
	for _, f := range formats {
		if strings.Contains(format, f.part) {
			return f.low, f.high, nil
		}
	}
	if l.Quantization != "" {
		return 0, 0, fmt.Errorf("the size of weights quantized with %q is not known", l.Quantization)
	}
	switch strings.ToLower(l.DType) {
	case "", "auto", "bfloat16", "float16", "half", "bf16", "fp16":
		return 2, 2, nil
	case "float32", "float", "fp32":
		return 4, 4, nil
	}
	return 0, 0, fmt.Errorf("the size of a number of type %q is not known", l.DType)
}

// parameters returns the least and the most parameters of a model; zeros where nothing says.
func parameters(l Load) (low, high float64) {
	s := l.Shape
	if s == nil {
		return l.Params * 1e9, l.Params * 1.1e9 // a name's round number: gemma3-4b has 4.3
	}
	matrices := 2
	if s.Gated {
		matrices = 3
	}
	d := float64(s.Hidden)
	layer := float64(2*d*float64(s.Heads*s.HeadDim)) + float64(2*d*float64(s.KVHeads*s.HeadDim)) +
		float64(float64(matrices)*d*float64(s.FeedForward))
	embedding := float64(float64(s.Vocabulary) * d)
	low = embedding + float64(float64(s.Layers)*layer)
	return low, low + max(embedding, vision)
}

// cache is the memory of keys and values on a GPU. A number has 16 bits, unless the model computes in 32.
func cache(l Load, gpus int64) Range {
	s := l.Shape
	number := int64(2)
	if single(l) {
		number = 4
	}
	heads := max(1, (int64(s.KVHeads)+gpus-1)/gpus) // fewer heads than GPUs: each GPU holds one
	layer := 2 * heads * int64(s.HeadDim) * number
	tokens := l.tokens()
	global := int64(s.Layers)
	if s.Window > 0 && s.GlobalEvery > 1 {
		global = int64(s.Layers / s.GlobalEvery)
	} else if s.Window > 0 {
		global = 0
	}
	return Range{layer * (global*tokens + (int64(s.Layers)-global)*min(tokens, int64(s.Window))),
		layer * int64(s.Layers) * tokens}
}
