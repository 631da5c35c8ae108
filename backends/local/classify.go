package local

import (
	"math"

	"infnet/backends"
	"infnet/backends/runtime/kernel"
)

// classify scores the labels of jobs from the hidden states after their
// prompts, one behind the other:
//
//	logprob_i = z_i - max z - ln Σ_j exp(z_j - max z)   over the labels
//	mass      = Σ_i exp(z_i) / Σ_v exp(z_v)             labels, vocabulary
//
// The best label is the answer, the first of equals.
func (w *worker) classify(jobs []*job, states []float32) {
	w.eachLogits(jobs, states, func(j *job, logits []float32) {
		z := make([]float32, len(j.labels))
		for i, t := range j.labels {
			z[i] = logits[t]
		}
		_, all := kernel.Softmax(logits, w.net.Shape.Vocabulary)
		on := 0.0
		for _, t := range j.labels {
			on += float64(logits[t])
		}
		j.choose(z, on/float64(all))
	})
}

// choose fills in the answer from the labels' logits and their mass.
func (j *job) choose(logits []float32, mass float64) {
	best := 0
	for i, z := range logits {
		if z > logits[best] {
			best = i
		}
	}
	sum := 0.0
	for _, z := range logits {
		sum += float64(kernel.Exp(z - logits[best]))
	}
	if math.IsNaN(sum) || math.IsNaN(mass) || math.IsInf(float64(logits[best]), 0) {
		j.answer.Failure = notANumber()
		return
	}
	j.answer.Labels = make([]backends.LabelScore, len(logits))
	for i, z := range logits {
		j.answer.Labels[i] = backends.LabelScore{Logprob: float64(z-logits[best]) - kernel.Ln(sum), Seen: true}
	}
	if !j.request.Sampling.Greedy() {
		best = j.draw(logits)
	}
	j.answer.Text = j.request.Labels[best]
	j.answer.LabelMass = backends.Exactly(mass)
	j.answer.Usage.Completion = backends.Counted(1)
}

func notANumber() *backends.Failure {
	return &backends.Failure{Cause: backends.Internal,
		Message: "the network computed something that is not a finite number: are the weights intact?"}
}
