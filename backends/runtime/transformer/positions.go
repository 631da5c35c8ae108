package transformer

import (
	"sync"

	"infnet/backends/runtime/kernel"
	"infnet/harness/calc"
)

// Angles are rotary positions: pair i of a head turns by Inverse[i] radians per position. The table of their
// cosines and sines is grown as needed.
type Angles struct {
	Inverse []float64
	mu      sync.RWMutex
	table   []float32 // per position: half cosines, half sines
}

// upTo returns the table for at least n positions.
func (a *Angles) upTo(n int) []float32 {
	if a == nil {
		return nil
	}
	half := len(a.Inverse)
	a.mu.RLock()
	t := a.table
	a.mu.RUnlock()
	if len(t) >= n*2*half {
		return t
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	have := len(a.table) / (2 * half)
	if have >= n {
		return a.table
	}
	t = make([]float32, max(n, 2*have, 256)*2*half)
	copy(t, a.table)
	for p := have; p < len(t)/(2*half); p++ {
		row := t[p*2*half:]
		for i, v := range a.Inverse {
			s, c := kernel.SinCos(float64(p) * v)
			row[i], row[half+i] = float32(c), float32(s)
		}
	}
	a.table = t
	return t
}

func (a *Angles) turn(x, table []float32, pos int) {
	if a == nil {
		return
	}
	half := len(a.Inverse)
	t := table[pos*2*half:][:2*half]
	kernel.Rotate(x, x, t[:half], t[half:], half)
}

// Growth makes queries grow with their position, once per context of training:
//
//	1 + beta·ln(1 + floor(position/original))
//
// As in Llama 4 and Ministral 3.
type Growth struct {
	Beta     float64
	Original int
}

func (g *Growth) at(pos int) float32 {
	if g == nil || pos < g.Original {
		return 1
	}
	return float32(1 + float64(g.Beta*kernel.Ln(float64(1+pos/g.Original))))
}

// relative reads what is added to scores, by bucket and head, and spreads it over all distances of a key from
// a query.
func (b *builder) relative() []float32 {
	p, heads := b.plan, b.plan.Shape.Heads
	if p.Buckets == 0 {
		return nil
	}
	table := b.read(p.Names.Relative+".weight", p.Buckets, heads)
	if b.Err != nil {
		return nil
	}
	longest := p.Positions - p.FirstPosition
	out := make([]float32, 0, heads*(2*longest-1))
	for h := range heads {
		for distance := 1 - longest; distance < longest; distance++ {
			out = append(out, table[bucket(distance, p.Buckets)*heads+h])
		}
	}
	return out
}

// longestDistance is where the last bucket of relative positions begins.
const longestDistance = 128

// bucket returns the bucket of a distance, key minus query: half of them for keys behind, half for keys
// ahead; of each half the first half one distance each, the others distances growing by a constant
// factor up to longestDistance.
//
// Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer,
// 2020, section 2.1; MPNet has the same.
func bucket(distance, buckets int) int {
	half := buckets / 2
	out, n := 0, -distance
	if n < 0 {
		out, n = half, -n
	}
	exact := half / 2
	if n < exact {
		return out + n
	}
	// In float32, as the published models were trained.
	ratio := float32(calc.Log(float64(float32(n) / float32(exact))))
	grown := float32(ratio/float32(calc.Log(longestDistance/float64(exact)))) * float32(half-exact)
	return out + min(half-1, exact+int(grown))
}
