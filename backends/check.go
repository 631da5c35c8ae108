package backends

import (
	"fmt"
	"math"
)

// slack is how far above 0 a log-probability of a generated token may lie:
// servers that compute in 16 bits report such roundings of certainty.
const slack = 1e-3

// Check returns the answer's failure, or the failure it should have had: the answer belongs to another request,
// lacks the scores that were requested, has invalid log-probabilities, or repeats a secret; nil = usable.
func Check(r Request, a Answer) *Failure {
	if a.Failure != nil {
		return a.Failure
	}
	if want := r.Key(); a.Key != want {
		return &Failure{Cause: Internal, Message: fmt.Sprintf("the answer is of request %.12s, not of %.12s", a.Key, want)}
	}
	if a.repeats() {
		return &Failure{Cause: BadRequest, Message: "the answer repeats an API key or another secret header, or eight " +
			"characters of one, so it cannot be kept: look for where the server gets it from, and change the key"}
	}
	bad := func(format string, args ...any) *Failure {
		return &Failure{Cause: BadResponse, Message: fmt.Sprintf(format, args...)}
	}
	if c := a.Confidence; c != nil && !(*c >= 0 && *c <= 1) {
		return bad("the answer states the confidence %v: want a number in [0,1]", *c)
	}
	if g := a.Grade; g != nil && !(*g >= 0 && *g <= 1) {
		return bad("the answer has the recorded grade %v: want a number in [0,1]", *g)
	}
	if c := a.Cost; c != nil && (!(c.Amount >= 0) || math.IsInf(c.Amount, 0)) {
		return bad("the answer has the recorded cost %v: want a number from 0", c.Amount)
	}
	if m := a.LabelMass; m != nil && !(m.Low >= 0 && m.Low <= m.High && m.High <= 1) {
		return bad("the answer puts from %v to %v of the probability on the labels: want bounds in [0,1]", m.Low, m.High)
	}
	if len(r.Labels) > 0 && (r.Sampling.Greedy() || a.Labels != nil) { // a sample may name no label
		return checkLabels(r, a, bad)
	}
	if len(a.Tokens) == 0 && a.Text != "" && !a.NoLogprobs && a.Confidence == nil {
		return bad("the answer has text but no log-probabilities")
	}
	if a.Text == "" && a.Finish.Cut() && !(a.Thinks && a.Finish == FinishLength) {
		return cutEmpty(r.MaxTokens, a.Finish)
	}
	for i, t := range a.Tokens {
		if math.IsNaN(t.Logprob) || t.Logprob > slack {
			return bad("token %d of %d has log-probability %v", i+1, len(a.Tokens), t.Logprob)
		}
		for _, o := range t.Top {
			if math.IsNaN(o.Logprob) || o.Logprob > slack {
				return bad("an alternative to token %d of %d has log-probability %v", i+1, len(a.Tokens), o.Logprob)
			}
		}
	}
	return nil
}

// cutEmpty is the failure of a generation that was cut before it had any text, so that the model's
// answer is unknown.
func cutEmpty(limit int, f Finish) *Failure {
	if f == FinishLength {
		return &Failure{Cause: CutEmpty,
			Message: fmt.Sprintf("the answer reached max_tokens = %d before it had any text: raise max_tokens", limit)}
	}
	return &Failure{Cause: NoContent,
		Message: fmt.Sprintf("the answer has no text, and it ended for the reason %q, not because the model ended it", f)}
}

// CheckStudent is Check for a model whose confidence decides something: an answer without
// log-probabilities is a lasting failure whose message says what to do. A sample votes, and needs none.
func CheckStudent(r Request, a Answer) *Failure {
	if f := Check(r, a); f != nil {
		return f
	}
	if a.NoLogprobs && r.Sampling.Greedy() {
		return &Failure{Cause: BadRequest,
			Message: "the model gives no log-probabilities, so it has no confidence and can only be the last model of a " +
				"cascade, or vote (samples): " +
				"serve it where log-probabilities are offered, try the other mode (raw, chat), or put another model before it"}
	}
	return nil
}

// checkLabels requires one score per label, none of them NaN or +Inf, and at least one that was
// seen and is finite. Otherwise there is no confidence.
func checkLabels(r Request, a Answer, bad func(string, ...any) *Failure) *Failure {
	if len(a.Labels) != len(r.Labels) {
		return bad("the answer scores %d labels, the request has %d", len(a.Labels), len(r.Labels))
	}
	possible := false
	for i, s := range a.Labels {
		if math.IsNaN(s.Logprob) || math.IsInf(s.Logprob, 1) {
			return bad("label %q has log-probability %v", r.Labels[i], s.Logprob)
		}
		possible = possible || s.Seen && !math.IsInf(s.Logprob, -1)
	}
	if !possible {
		return bad("none of the %d labels has a log-probability", len(r.Labels))
	}
	return nil
}
