package finetune

import (
	"math/rand/v2"

	"infnet/backends/runtime/wordpiece"
)

// step8 is what lengths are rounded up to, so that few graphs are compiled.
const step8 = 8

// gather makes a batch of the texts at these positions, padded to the longest.
func gather(texts []wordpiece.Encoding, at []int) *batch {
	b := &batch{rows: len(at)}
	for _, i := range at {
		b.length = max(b.length, len(texts[i].IDs))
	}
	b.length = (b.length + step8 - 1) / step8 * step8
	b.tokens, b.kinds = make([]int32, b.rows*b.length), make([]int32, b.rows*b.length)
	for r, i := range at {
		copy(b.tokens[r*b.length:], texts[i].IDs)
		copy(b.kinds[r*b.length:], texts[i].Types)
		b.used = append(b.used, len(texts[i].IDs))
	}
	return b
}

// mask draws the dropouts of a batch: 0 with the layer's share, else
// 1/(1−share).
func (b *batch) mask(a arch, rng *rand.Rand) {
	sizes, shares := a.masks(b.rows, b.length)
	b.drop = nil
	for i, n := range sizes {
		m := make([]float32, n)
		keep := float32(1 / (1 - shares[i]))
		limit := uint32(shares[i] * (1 << 32))
		for k := 0; k < n; k += 2 {
			bits := rng.Uint64()
			if uint32(bits) >= limit {
				m[k] = keep
			}
			if k+1 < n && uint32(bits>>32) >= limit {
				m[k+1] = keep
			}
		}
		b.drop = append(b.drop, m)
	}
}
