package cost

import (
	"fmt"
	"strconv"
	"strings"

	"infnet/backends"
)

// Padding is the number of queries that a server computes together, all padded
// to the longest prompt and answer among them; 0 = none, each query costs its
// own tokens. In specs it is written "none" or "batch:N".
type Padding int

// mostPadded is the largest batch allowed.
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
