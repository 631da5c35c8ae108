package finetune

import "math"

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
	size := float32(rate / (1 - math.Pow(beta1, float64(o.steps))))
	root := float32(math.Sqrt(1 - math.Pow(beta2, float64(o.steps))))
	for i, s := range o.slots {
		keep := float32(1)
		if !s.bias() {
			keep = float32(1 - rate*decay)
		}
		x, g, m, v := w[i], gradients[i], o.m[i], o.v[i]
		for k := range x {
			m[k] += float32((1 - beta1) * (g[k] - m[k]))
			v[k] = float32(beta2*v[k]) + float32(float32((1-beta2)*g[k])*g[k])
			by := float32(math.Sqrt(float64(v[k])))/root + epsilon
			x[k] = float32(x[k]*keep) - float32(size*(m[k]/by))
		}
	}
}
