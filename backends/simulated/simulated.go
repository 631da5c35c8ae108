// Package simulated answers requests from a given joint distribution of confidence and error. It
// owns the draws. It refuses to compute a language model or to read data.
//
// It is an open-book model: the prompt names the right answer. In a
// classification the right class is the label whose text (spaces trimmed)
// occurs last in the prompt. In a generation the right answer is the rest of
// the line after the last "answer: " in the prompt.
//
// The confidence scores of its answers recover exactly the distribution in backends.SimulatedConfig.
//
// # Confidence
//
// A generation has confidence β ~ Beta(Alpha, Beta), and every token has
// log-probability ln β, so that the geometric mean of the token probabilities
// is β. In a classification among K labels the largest of K probabilities
// cannot be under 1/K: the same Beta draw b is stretched to [1/K, 1],
//
//	β = 1/K + (1 − 1/K)·b,
//
// so P(β ≤ x) = I((x − 1/K)/(1 − 1/K); Alpha, Beta). The predicted label has
// probability β and each other label (1 − β)/(K − 1); a softmax over the
// labels gives β back.
//
// # Error
//
// The answer is wrong iff u < Error(β) = clip(Intercept + Slope·β, 0, 1) with
// u uniform: with probability Rho the u that all simulated models of this Seed
// share for this prompt, else the model's own. Two models whose error rates do
// not depend on β and are equal thus err with correlation Rho₁·Rho₂. A wrong
// class is any of the others, uniformly.
//
// # Samples
//
// A sampled answer (backends.Sampling) is right with probability 1 − Error(β), and else each wrong one with an equal
// share of Error(β), at temperature 1; another temperature changes these probabilities as it changes those of
// tokens. Samples of one prompt are independent, given its β. They have no log-probabilities.
//
// Every draw is a hash of the seed, the prompt and the model's identity:
// the same alone, in any batch and in any process.
package simulated

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"infnet/backends"
	"infnet/harness/calc"
	"infnet/harness/seed"
)

// Model is a simulated model.
type Model struct {
	id  backends.ModelID
	cfg backends.SimulatedConfig
}

var (
	_ backends.TokenCounter = (*Model)(nil)
	_ backends.Shaped       = (*Model)(nil)
)

// Open checks the distribution and returns the model.
func Open(cfg backends.Config) (*Model, error) {
	fail := func(format string, args ...any) (*Model, error) {
		return nil, fmt.Errorf("simulated model %q: %s", cfg.Model.ID, fmt.Sprintf(format, args...))
	}
	c, err := backends.SettingsOf[*backends.SimulatedConfig](cfg)
	if err != nil {
		return nil, err
	}
	if !positive(c.Alpha) || !positive(c.Beta) {
		return fail("alpha = %v and beta = %v: want both above 0 and finite", c.Alpha, c.Beta)
	}
	if !(c.Rho >= 0 && c.Rho <= 1) {
		return fail("rho = %v: want a probability in [0,1]", c.Rho)
	}
	if !finite(c.Intercept) || !finite(c.Slope) {
		return fail("intercept = %v and slope = %v: want both finite", c.Intercept, c.Slope)
	}
	if c.Params < 0 || !finite(c.Params) {
		return fail("params = %v: want billions of parameters, 0 for unknown", c.Params)
	}
	return &Model{id: cfg.Model, cfg: *c}, nil
}

func finite(x float64) bool   { return !math.IsNaN(x) && !math.IsInf(x, 0) }
func positive(x float64) bool { return x > 0 && finite(x) }

func (m *Model) BatchSize() int { return 256 }

// CountTokens counts the words of the prompt, and one for its beginning.
func (m *Model) CountTokens(prompt string) (int, error) { return 1 + len(strings.Fields(prompt)), nil }

// Shape states the parameters alone, as there is no network.
func (m *Model) Shape() backends.Shape { return backends.Shape{Params: m.cfg.Params} }

// Error returns the probability of an error at confidence β.
func (m *Model) Error(beta float64) float64 {
	return min(1, max(0, m.cfg.Intercept+float64(m.cfg.Slope*beta)))
}

// Answer draws one answer per request.
func (m *Model) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	answers := make([]backends.Answer, len(reqs))
	for i, r := range reqs {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		a := backends.Answer{Key: r.Key()}
		f := backends.Carries(r, backends.SystemPart, backends.ExamplesPart, backends.SamplingPart)
		switch {
		case f != nil:
		case r.Model != m.id:
			f = &backends.Failure{Cause: backends.BadRequest,
				Message: fmt.Sprintf("the request is for model %q, this is %q", r.Model.ID, m.id.ID)}
		case len(r.Labels) > 0:
			f = m.classify(r, &a)
		default:
			f = m.generate(r, &a)
		}
		if f != nil {
			a = backends.Answer{Key: a.Key, Failure: f}
		} else {
			n, _ := m.CountTokens(r.Shown())
			a.Usage.Prompt = backends.Counted(n)
			a.Latency = m.latency(a.Usage)
		}
		answers[i] = a
	}
	return answers, nil
}

// latency is a microsecond per token and billion parameters (or per token, where they are unknown).
func (m *Model) latency(u backends.Usage) time.Duration {
	scale := m.cfg.Params
	if scale == 0 {
		scale = 1
	}
	tokens, _ := u.Prompt.Plus(u.Completion).Known()
	return time.Duration(float64(time.Microsecond) * scale * float64(tokens))
}

// own returns a draw of this model alone.
func (m *Model) own(what, prompt string) float64 {
	return seed.Uniform(m.cfg.Seed, what, prompt, m.id.ID, m.id.Revision)
}

// draw returns the stretched confidence, at least low, and whether the answer is wrong: one of so many wrong ones.
func (m *Model) draw(r *backends.Request, low float64, others int) (beta float64, wrong bool) {
	b := calc.BetaQuantile(m.cfg.Alpha, m.cfg.Beta, m.own("confidence", r.Prompt))
	beta = low + float64((1-low)*b)
	what := drawn(r)
	luck := m.own("luck", what)
	if m.own("shared", what) < m.cfg.Rho {
		luck = seed.Uniform(m.cfg.Seed, "luck", what)
	}
	e := m.Error(beta)
	if r.Sampling.Greedy() {
		return beta, luck < e
	}
	answers := []float64{calc.Log(1 - e)}
	for range others {
		answers = append(answers, calc.Log(e/float64(others)))
	}
	return beta, r.Sampling.Draw(answers, luck) > 0
}

// drawn names what luck decides: the prompt, or one sample of its answers.
func drawn(r *backends.Request) string {
	if r.Sampling.Greedy() {
		return r.Prompt
	}
	return fmt.Sprintf("%s\x00sample %d", r.Prompt, r.Seed)
}

// Driver opens simulated models.
func Driver() backends.Driver {
	return backends.Driver{
		Kind:     backends.Simulated,
		Model:    func(c backends.Config) (backends.Model, error) { return Open(c) },
		Revision: revision,
	}
}

// revision is a hash of the distribution.
func revision(c backends.Config) (string, error) {
	s, err := backends.SettingsOf[*backends.SimulatedConfig](c)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8]), nil
}
