package local

import (
	"math"

	"infnet/backends"
	"infnet/backends/local/kernel"
)

// classify scores the labels of a job from the hidden state after its prompt,
// computing their logits alone:
//
//	logprob_i = z_i - max z - ln Σ_j exp(z_j - max z)
//
// The best label is the answer, the first of equals.
func (w *worker) classify(j *job, hidden []float32) {
	logits := make([]float32, len(j.labels))
	best := 0
	for i, t := range j.labels {
		logits[i] = w.net.head.Dot(hidden, int(t))
		if logits[i] > logits[best] {
			best = i
		}
	}
	sum := 0.0
	for _, z := range logits {
		sum += float64(kernel.Exp(z - logits[best]))
	}
	if math.IsNaN(sum) || math.IsInf(float64(logits[best]), 0) {
		j.answer.Failure = notANumber()
		return
	}
	j.answer.Labels = make([]backends.LabelScore, len(logits))
	for i, z := range logits {
		j.answer.Labels[i] = backends.LabelScore{Logprob: float64(z-logits[best]) - kernel.Ln(sum), Seen: true}
	}
	j.answer.Text = j.request.Labels[best]
	j.answer.Usage.Completion = 1
}

func notANumber() *backends.Failure {
	return &backends.Failure{Cause: backends.Internal, Message: "the network computed something that is not a finite number: are the weights intact?"}
}
