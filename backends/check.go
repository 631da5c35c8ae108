package backends

import (
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"

	"infnet/backends/redact"
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

// Part names a field of version 2 of a Request.
type Part string

const (
	ServedPart   Part = "served"
	SystemPart   Part = "system prompt"
	ExamplesPart Part = "examples"
	TemplatePart Part = "chat template"
	SettingsPart Part = "engine settings"
	SamplingPart Part = "a temperature"
	QuestionPart Part = "a question for decision models"
)

// Carries returns a failure if a request sets a field that the backend does not pass on to its
// model, or turns in mode raw, else nil. parts are the fields that it supports. Every backend calls this first.
func Carries(r Request, parts ...Part) *Failure {
	var lost []string
	for _, p := range []struct {
		part Part
		set  bool
	}{
		{ServedPart, r.Served != ""}, {SystemPart, r.System != ""}, {ExamplesPart, len(r.Examples) > 0},
		{TemplatePart, r.Template != ""}, {SettingsPart, len(r.Settings) > 0},
		{SamplingPart, !r.Sampling.Greedy()}, {QuestionPart, r.Question != "" || len(r.Criteria) > 0},
	} {
		if p.set && !slices.Contains(parts, p.part) {
			lost = append(lost, string(p.part))
		}
	}
	if len(lost) == 0 && (r.Mode != Raw || r.System == "" && len(r.Examples) == 0) {
		return nil
	}
	if len(lost) == 0 {
		return &Failure{Cause: BadRequest, Message: "the request has turns before the prompt, and mode raw has none: " +
			"ask in mode chat, or write them into the prompt"}
	}
	return &Failure{Cause: BadRequest,
		Message: fmt.Sprintf("the request sets %s, which a model of kind %q does not take: leave it out, or ask a model "+
			"that does", strings.Join(lost, " and "), r.Model.Kind)}
}

// Secret is text that must not be written anywhere: an API key, a header's value. Every way to print, log or
// encode it gives "[secret]"; Reveal gives the text itself.
type Secret string

const hidden = "[secret]"

// Reveal returns the text, and makes it known to redact: from then on it is taken out of all that is stored or shown.
func (s Secret) Reveal() string {
	redact.Learn(string(s))
	return string(s)
}

func (Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(hidden)) }

func (Secret) String() string { return hidden }

func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// Pass is the door through which every answer comes in: what does not pass Check becomes a failure, and what
// its server says about itself loses the secrets that are known.
func Pass(r Request, a Answer) Answer {
	if f := Check(r, a); f != nil {
		a.Key = r.Key()
		clean := *f
		clean.Message = redact.Known().Text(f.Message)
		return a.Failed(&clean)
	}
	k := redact.Known()
	a.Model, a.System, a.Finish = k.Text(a.Model), k.Text(a.System), Finish(k.Text(string(a.Finish)))
	return a
}

// repeats reports whether an answer holds a known secret or part of one: it must not be stored as it is, and
// redacted it would not be what the model said.
func (a Answer) repeats() bool {
	k := redact.Known()
	if k == nil {
		return false
	}
	var spelt strings.Builder
	for _, t := range a.Tokens {
		spelt.WriteString(t.Text)
		for _, o := range t.Top {
			if k.Holds(o.Text) {
				return true
			}
		}
	}
	return k.Holds(a.Text) || k.Holds(a.Thoughts) || k.Holds(spelt.String())
}
