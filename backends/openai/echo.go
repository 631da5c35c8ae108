package openai

import (
	"context"
	"strings"

	"infnet/backends"
)

// echoing is a question for the log-probabilities of a prompt's own tokens.
func echoing(prompt string, seed uint64) question {
	q := oneToken(backends.Raw, prompt)
	q.Seed, q.logprobs, q.TopLogprobs, q.add = seed, true, 1, map[string]any{"echo": true}
	return q
}

func (t *talk) echo(ctx context.Context, prompt string, seed uint64) (*response, []step, *backends.Failure) {
	x, f := t.ask(ctx, echoing(prompt, seed))
	if f != nil {
		return nil, nil, f
	}
	steps, f := x.steps()
	return x, steps, f
}

// byEcho scores every label as the end of a prompt, by the log-probabilities
// that the server returns for the prompt itself.
func (t *talk) byEcho(ctx context.Context, r backends.Request, a *backends.Answer) *backends.Failure {
	if r.Mode != backends.Raw {
		return badRequest("label mode %q scores the prompt itself, which only mode %q sends", backends.LabelsEcho,
			backends.Raw)
	}
	firsts := map[string]string{}
	for _, label := range r.Labels {
		x, steps, f := t.echo(ctx, r.Prompt+label, r.Seed)
		if f != nil {
			return f
		}
		e, f := echoed(steps, r.Prompt, label)
		if f != nil {
			return f
		}
		if other, ok := firsts[e.path[0]]; ok {
			return badRequest("labels %q and %q both begin with the token %q: choose words that begin differently", other,
				label, e.path[0])
		}
		firsts[e.path[0]] = label
		a.Labels = append(a.Labels, backends.LabelScore{Logprob: min(e.lp, 0), Seen: true})
		a.Usage = shorter(a.Usage, x.spent(), len(e.path))
	}
	a.Usage.Completion, a.By = backends.Counted(1), backends.LabelsEcho
	return pick(r, a, 0, 0)
}

// shorter returns the usage of the prompt without its label, given the usage u of the prompt with
// the label and the label's number of tokens.
func shorter(so, u backends.Usage, label int) backends.Usage {
	n, ok := u.Prompt.Known()
	if !ok || n <= label {
		return so
	}
	if least, known := so.Prompt.Known(); known && least <= n-label {
		return so
	}
	return backends.Usage{Prompt: backends.Counted(n - label), Cached: min(u.Cached, n-label)}
}

// ending is the tokens of a label behind a prompt, and the log-probability of the first.
type ending struct {
	path []string
	lp   float64
}

// behind calls use for each token that begins within a text behind a prompt, with its place in the text; a token within
// a character has no text of its own, and begins where the next one does. ok is false where the tokens spell something
// else; said is what they spell.
func behind(steps []step, prompt, text string, use func(s step, at int)) (said string, ok bool) {
	var all strings.Builder
	starts := make([]int, len(steps))
	for i, s := range steps {
		starts[i] = all.Len()
		all.WriteString(s.text)
	}
	said = all.String()
	at := strings.Index(said, prompt+text) // a beginning-of-sequence token may precede it
	if at < 0 {
		return said, false
	}
	from := at + len(prompt)
	for i, s := range steps {
		if starts[i] >= from && starts[i] < from+len(text) {
			use(s, starts[i]-from)
		}
	}
	return said, true
}

// echoed finds the label's tokens in an echoed prompt.
func echoed(steps []step, prompt, label string) (e ending, f *backends.Failure) {
	said, ok := behind(steps, prompt, label, func(s step, at int) {
		switch {
		case s.text == "" || f != nil:
			return
		case len(e.path) == 0 && at > 0:
			f = badRequest("label %q merges with the end of the prompt into other tokens: end the prompt without a "+
				"blank and begin the label with one", label)
		case !s.known():
			f = badResponse("token %q of label %q has no log-probability (%v means unknown)", s.text, label, sentinel)
		case len(e.path) == 0:
			e.lp = s.lp
		}
		e.path = append(e.path, s.text)
	})
	switch {
	case f != nil:
		return e, f
	case !ok:
		return e, badResponse("the server did not echo the prompt: the tokens spell %q", short(said))
	case len(e.path) == 0:
		return e, badRequest("label %q adds no token to the prompt", label)
	}
	return e, nil
}

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
	_, steps, f := (&talk{m: m}).echo(ctx, source+target, 0)
	if f != nil {
		return 0, f
	}
	return meanOfTarget(steps, source, target)
}

// meanOfTarget is the mean log-probability of an echoed target's tokens. A
// token that begins in the source and ends in the target belongs to neither and
// is left out.
func meanOfTarget(steps []step, source, target string) (float64, *backends.Failure) {
	sum, n := 0.0, 0
	var f *backends.Failure
	said, ok := behind(steps, source, target, func(s step, _ int) {
		if !s.known() && f == nil {
			f = badResponse("token %q of the target has no log-probability (%v means unknown)", s.text, sentinel)
		}
		sum += min(s.lp, 0)
		n++
	})
	switch {
	case !ok:
		return 0, badRequest("the server does not echo the prompt, so it cannot score pairs of texts: the tokens spell %q",
			short(said))
	case f != nil:
		return 0, f
	case n == 0:
		return 0, badResponse("the target %q has no token of its own", short(target))
	}
	return sum / float64(n), nil
}
