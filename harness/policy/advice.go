package policy

import (
	"fmt"
	"slices"

	"infnet/metrics/infer"
)

// Advice is which of several policies loses least on some records.
type Advice struct {
	Best    int
	More    []infer.Interval // what each loses more than the best, per query
	Settled bool             // each other of another kind is shown to lose more, at the resamples' level
}

// Advise compares policies by the losses of each record. kind says which of them are
// forms of one policy: the best of all is advised, and is shown to be right where those
// of each other kind are. Those that lose the same as it on every record do not compete.
func Advise(rs *infer.Resamples, losses [][]float64, kind []int) (Advice, error) {
	if len(losses) == 0 || len(kind) != len(losses) {
		return Advice{}, fmt.Errorf("%d policies of %d kinds: want one kind per policy", len(losses), len(kind))
	}
	var out Advice
	means := make([]float64, len(losses))
	for k, column := range losses {
		for _, v := range column {
			means[k] += v
		}
		if means[k] < means[out.Best] {
			out.Best = k
		}
	}
	out.Settled = true
	for k, column := range losses {
		more, err := losesMore(rs, column, losses[out.Best])
		if err != nil {
			return out, fmt.Errorf("loss of policy %d: %w", k, err)
		}
		out.More = append(out.More, more)
		if kind[k] != kind[out.Best] && !slices.Equal(column, losses[out.Best]) && !(more.Low > 0) {
			out.Settled = false
		}
	}
	return out, nil
}

// leastDiffering is on how many records two policies differ before either is shown to lose more. On fewer, an error of
// one in ten answers may not have been seen: on 30, in 4 % of samples.
const leastDiffering = 30

// losesMore is what one policy loses more than another, by the losses of each record. Its interval holds 0 where they
// differ on few records.
func losesMore(rs *infer.Resamples, losses, other []float64) (infer.Interval, error) {
	iv, err := rs.Difference(losses, other)
	differing := 0
	for i, v := range losses {
		if v != other[i] {
			differing++
		}
	}
	if differing < leastDiffering {
		iv.Low, iv.High = min(iv.Low, 0), max(iv.High, 0)
	}
	return iv, err
}
