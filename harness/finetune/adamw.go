package finetune

import (
	"math"

	"infnet/backends/runtime/kernel"
)

// adamW is the optimiser of I. Loshchilov and F. Hutter, Decoupled weight decay
// regularization, 2019, algorithm 2, in float32:
//
//	w ← w·(1 − η·λ);  m ← m + (1−β₁)·(g − m);  v ← β₂·v + (1−β₂)·g²
//	w ← w − η/(1−β₁ᵗ) · m / (√v/√(1−β₂ᵗ) + ε)
//
// with β₁ = 0.9, β₂ = 0.999, ε = 1e-8, and λ = 0.01 for all but biases and
// layer norms, which do not decay.
type adamW struct {
	slots []slot
	m, v  weights
	steps int
}

// Of the optimiser.
const (
	beta1   = 0.9
	beta2   = 0.999
	epsilon = 1e-8
	decay   = 0.01
)

func newAdamW(slots []slot) *adamW {
	o := &adamW{slots: slots}
	for _, s := range slots {
		o.m, o.v = append(o.m, make([]float32, s.size())), append(o.v, make([]float32, s.size()))
	}
	return o
}

// step changes w against the gradients at a rate.
func (o *adamW) step(w, gradients weights, rate float64) {
	o.steps++
	c := kernel.Adam{
		Rise1: 1 - beta1, Keep2: beta2, Rise2: 1 - beta2, Epsilon: epsilon,
		Root: float32(math.Sqrt(1 - math.Pow(beta2, float64(o.steps)))),
		Size: float32(rate / (1 - math.Pow(beta1, float64(o.steps)))),
	}
	for i, s := range o.slots {
		c.Keep = 1
		if !s.bias() {
			c.Keep = float32(1 - rate*decay)
		}
		c.Step(w[i], gradients[i], o.m[i], o.v[i])
	}
}
