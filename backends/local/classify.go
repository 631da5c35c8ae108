package local

import (
	"errors"
	"fmt"
	"math"
	"slices"

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

// CheckLabels reports labels that this model cannot distinguish after a raw prompt: a label without
// tokens, one that merges with the end of the prompt, or two that begin with the same token. The
// error names them.
func (m *Model) CheckLabels(prompt string, labels []string) error {
	r := m.raw(prompt)
	if _, f := m.labelTokens(r, r.encode(m.tokens), labels); f != nil {
		return errors.New(f.Message)
	}
	return nil
}

// labelTokens returns the first token of each label after the prompt: the
// first of tokens(prompt + label) beyond tokens(prompt).
func (m *Model) labelTokens(r rendered, prompt []int32, labels []string) ([]int32, *backends.Failure) {
	out := make([]int32, len(labels))
	prefix := prompt[len(r.head):]
	for i, label := range labels {
		with := m.tokens.Encode(r.tail + label)
		switch {
		case label == "":
			return nil, badRequest("label %d is empty", i)
		case len(with) < len(prefix) || !slices.Equal(with[:len(prefix)], prefix):
			return nil, badRequest("label %q merges with the end of the prompt into other tokens: end the prompt without a "+
				"blank and begin the label with one", label)
		case len(with) == len(prefix):
			return nil, badRequest("label %q adds no token to the prompt", label)
		}
		out[i] = with[len(prefix)]
		if j := slices.Index(out[:i], out[i]); j >= 0 {
			return nil, badRequest("labels %q and %q both begin with the token %q: choose words that begin differently",
				labels[j], label, m.tokens.Text(out[i]))
		}
	}
	return out, nil
}

// rendered is a partly encoded prompt: head is final, tail is text whose tokens may still merge
// with the answer's.
type rendered struct {
	head []int32
	tail string
	keep int // tokens of head that truncation spares: those in front of the user's text
	end  int // tokens at the end of head after the user's text, spared as well
}

func (r rendered) encode(t tokenizer) []int32 {
	return append(slices.Clone(r.head), t.Encode(r.tail)...)
}

func (m *Model) render(r *backends.Request) (rendered, *backends.Failure) {
	if f := backends.Carries(*r, backends.SystemPart, backends.ExamplesPart, backends.SamplingPart); f != nil {
		return rendered{}, f
	}
	switch r.Mode {
	case backends.Raw:
		return m.raw(r.Prompt), nil
	case backends.Chat:
		if m.turns == nil {
			return rendered{}, badRequest("the model has no chat template: its tokenizer lacks the tokens of its family's " +
				"turns, such as <start_of_turn>, <|im_start|> or [INST] (ask in raw mode)")
		}
		return m.chat(r)
	}
	return rendered{}, badRequest("unknown mode %q: want %q or %q", r.Mode, backends.Raw, backends.Chat)
}

func badRequest(format string, args ...any) *backends.Failure {
	return &backends.Failure{Cause: backends.BadRequest, Message: fmt.Sprintf(format, args...)}
}

// raw renders the prompt unchanged, after the tokens that every prompt begins with.
func (m *Model) raw(prompt string) rendered {
	return rendered{head: slices.Clone(m.tokens.before), tail: prompt, keep: len(m.tokens.before)}
}

// fit truncates tokens to limit: it drops from the start of the user's text, right after the tokens
// in front of it, because prompts end with the question. It returns how many were dropped.
func (r rendered) fit(tokens []int32, limit int) ([]int32, int, *backends.Failure) {
	drop := len(tokens) - limit
	if drop <= 0 {
		return tokens, 0, nil
	}
	spared := len(tokens) - r.keep
	if r.end > 0 { // chat: the template's end stays
		spared = len(r.head) - r.end - r.keep
	}
	if limit <= r.keep || drop > spared {
		return nil, 0, &backends.Failure{Cause: backends.TooLong,
			Message: fmt.Sprintf("the model's context has room for %d tokens of prompt next to the answer: too few for any",
				max(limit, 0))}
	}
	return slices.Delete(tokens, r.keep, r.keep+drop), drop, nil
}
