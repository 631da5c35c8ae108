package openai

import (
	"context"
	"strings"

	"infnet/backends"
)

// Score returns, for each pair, the mean log-probability of the target's tokens
// after the source and one blank, read from the prompt's own log-probabilities:
// for servers whose /completions echoes them (vLLM, SGLang). The model is a
// language model, so this is BARTScore's formula and not its network; scores of
// different models cannot be compared. An empty target is scored as a line
// break, which ends an answer. Errors are a *backends.Failure, except for the
// context's.
func (m *Model) Score(ctx context.Context, pairs []backends.Pair) ([]float64, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := make([]float64, len(pairs))
	m.wire.Each(ctx, len(pairs), func(i int) {
		score, f := m.scorePair(ctx, pairs[i])
		if f != nil {
			f.Message = m.wire.Secrets.Text(f.Message)
			cancel(f)
		}
		out[i] = score
	})
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return out, nil
}

func (m *Model) scorePair(ctx context.Context, p backends.Pair) (float64, *backends.Failure) {
	target := " " + strings.TrimLeft(p.Target, " ")
	if strings.TrimSpace(p.Target) == "" {
		target = "\n"
	}
	source := strings.TrimRight(p.Source, " ")
	if source == "" {
		source = "\n"
	}
	q := oneToken(backends.Raw, source+target)
	q.logprobs, q.TopLogprobs, q.add = true, 1, map[string]any{"echo": true}
	x, f := (&talk{m: m}).ask(ctx, q)
	if f != nil {
		return 0, f
	}
	steps, f := x.steps()
	if f != nil {
		return 0, f
	}
	return meanOfTarget(steps, source, target)
}

// meanOfTarget is the mean log-probability of an echoed target's tokens. A
// token that begins in the source and ends in the target belongs to neither and
// is left out.
func meanOfTarget(steps []step, source, target string) (float64, *backends.Failure) {
	var all strings.Builder
	starts := make([]int, len(steps))
	for i, s := range steps {
		starts[i] = all.Len()
		all.WriteString(s.text)
	}
	at := strings.Index(all.String(), source+target) // a beginning-of-sequence token may precede it
	if at < 0 {
		return 0, badRequest("the server does not echo the prompt, so it cannot score pairs of texts: the tokens spell %q",
			short(all.String()))
	}
	sum, n, from := 0.0, 0, at+len(source)
	for i, s := range steps {
		if starts[i] < from || starts[i] >= from+len(target) {
			continue
		}
		if !s.known() {
			return 0, badResponse("token %q of the target has no log-probability (%v means unknown)", s.text, sentinel)
		}
		sum += min(s.lp, 0)
		n++
	}
	if n == 0 {
		return 0, badResponse("the target %q has no token of its own", short(target))
	}
	return sum / float64(n), nil
}
