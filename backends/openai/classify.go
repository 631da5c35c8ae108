package openai

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"infnet/backends"
	"infnet/backends/wire"
	"infnet/backends/wording"
	"infnet/harness/calc"
)

// classifier asks a model for classifications, in the way that the settings name or the probe found.
type classifier struct{ *Model }

// classify fills in the answer to a classification.
func (m classifier) classify(ctx context.Context, r backends.Request, a *backends.Answer) *backends.Failure {
	mode, top := m.cfg.Labels, m.cfg.TopLogprobs
	p := Probe{Tokenize: true} // not probed: try
	if r.LabelMode != "" && mode != backends.LabelsAuto && mode != r.LabelMode {
		return badRequest("the request wants its labels asked by %q, the model is set to %q", r.LabelMode, mode)
	}
	if m.cfg.NoLogprobs {
		mode = backends.LabelsText
	} else if mode == backends.LabelsAuto {
		var err error
		if p, err = m.Probe(ctx, r.Mode); err != nil {
			return wire.Failed(err)
		}
		mode = p.mode(r.Mode)
		if r.LabelMode != "" && r.LabelMode != mode {
			if mode = r.LabelMode; !slices.Contains(p.ways(r.Mode), mode) {
				return badRequest("classifications were asked by %q before, and the server offers that no more: serve the model "+
					"as before, or give it a revision of its own", mode)
			}
		}
		top = min(top, max(p.offer(r.Mode).Top, 1))
	}
	switch mode {
	case backends.LabelsEcho:
		return m.byEcho(ctx, r, a)
	case backends.LabelsText:
		return m.byText(ctx, r, a)
	}
	f := m.byFirstToken(ctx, r, a, mode, top, p)
	if f == nil || a.Labels == nil || m.cfg.Labels != backends.LabelsAuto || r.Mode != backends.Raw || !p.Echo {
		return f
	}
	// No label was seen, or something unknown may be one. Echoes measure the same.
	again := backends.Answer{Key: a.Key, Latency: a.Latency}
	f = m.byEcho(ctx, r, &again)
	*a = again
	return f
}

// mostNamed is how many tokens vLLM reports by number.
const mostNamed = 128

// fallback replaces the mode that auto chose if it does not suit these labels: a label's token is
// unknown, or there are more labels than the server reports by number.
func (m classifier) fallback(mode backends.LabelMode, want []wanted) backends.LabelMode {
	if m.cfg.Labels != backends.LabelsAuto || mode != backends.LabelsTokenIDs {
		return mode
	}
	known := 0
	for _, w := range want {
		if !w.forms[0].known {
			return backends.LabelsTopLogprobs
		}
		for _, f := range w.forms {
			if f.known {
				known++
			}
		}
	}
	if known > mostNamed {
		return backends.LabelsTopLogprobs
	}
	return mode
}

// byFirstToken reads the labels' scores from the first token of one call.
func (m classifier) byFirstToken(ctx context.Context, r backends.Request, a *backends.Answer, mode backends.LabelMode,
	top int, p Probe) *backends.Failure {
	want, f := m.wants(ctx, r, p.Tokenize)
	if f != nil {
		return f
	}
	if slices.ContainsFunc(want, func(w wanted) bool { return !w.forms[0].known }) {
		if f := nested(r.Labels); f != nil && r.Mode == backends.Raw && p.Echo && m.cfg.Labels == backends.LabelsAuto {
			return m.byEcho(ctx, r, a)
		} else if f != nil {
			return f
		}
	}
	var add map[string]any
	if mode = m.fallback(mode, want); mode == backends.LabelsTokenIDs {
		if add, f = byNumber(want); f != nil {
			return f
		}
		top = len(add[namedTokens].([]int))
	} else if p.Server == "vllm" && p.Tokenize { // it writes some tokens without their blank; their numbers are certain
		add = map[string]any{"return_tokens_as_token_ids": true}
	}
	x, f := m.ask(ctx, question{mode: r.Mode, prompt: r.Prompt, maxTokens: 1, seed: r.Seed, logprobs: true, top: top,
		add: add})
	a.Latency = x.latency
	if f != nil {
		return f
	}
	first, f := x.reply.first(top)
	if f != nil {
		return f
	}
	q := seek(r, want, m.cfg.Match)
	if f := q.doubtful(first); f != nil {
		a.Labels = make([]backends.LabelScore, len(want)) // none seen: another way may tell
		return f
	}
	bound, ok := least(first)
	if !ok {
		return badResponse("the response's token has no log-probability (%v means unknown)", sentinel)
	}
	if f := m.scarce(ctx, r, mode, want, first, top); f != nil {
		return f
	}
	bound = min(bound, calc.Log(rest(first)))
	found := q.find(first)
	a.Labels, a.LabelMass, a.By = found.score(bound), found.mass(bound), mode
	if f := found.unnamed(a.Labels); f != nil {
		*a = backends.Answer{Key: a.Key, Latency: a.Latency}
		return f
	}
	a.Usage = x.reply.spent()
	a.Usage.Completion = backends.Counted(1)
	return m.pickLabel(r, a, len(first.top), bound)
}

// first is the only token of a reply, with its alternatives, at most top. One that is named by its number alone has the
// text of the reply.
func (r *response) first(top int) (step, *backends.Failure) {
	if f := r.parts().Denied(); f != nil {
		return step{}, f
	}
	steps, f := r.Choices[0].Logprobs.steps()
	if f != nil {
		return step{}, f
	}
	if text, _ := r.text(); len(steps) == 0 && text == "" && r.finish() == "stop" {
		return step{}, badRequest("the model ended its answer before the first token, where the server reports no " +
			"log-probabilities: write the prompt so that a label follows, or set another label mode")
	}
	if len(steps) == 0 {
		return step{}, badResponse("the response has no log-probabilities: if the server gives none, set no_logprobs = " +
			"true and make the model the last of its cascade")
	}
	if len(steps) > 1 {
		return step{}, badResponse("the response has %d tokens, 1 was asked for", len(steps))
	}
	first := steps[0]
	if text, f := r.said(); f == nil {
		if f := spoke(text, first); f != nil {
			return step{}, f
		}
	} else if !special(first) && utf8.ValidString(first.text) && r.finish() != "stop" {
		return step{}, unsaid(backends.NoContent,
			"the text is empty, and the log-probabilities are those of %q: the server took it out of the answer (thoughts, a "+
				"call), so it is none", short(first.text))
	}
	if n := len(first.top); n > top+1 {
		return step{}, badResponse("the response has %d alternatives, at most %d were asked for", n, top)
	}
	if text, _ := r.text(); first.text == "" && first.id >= 0 {
		first.text = text
		for i := range first.top {
			if first.top[i].id == first.id {
				first.top[i].text = text
			}
		}
	}
	return first, nil
}

// nested refuses labels of which one begins another, which a first token cannot tell apart.
func nested(labels []string) *backends.Failure {
	short, long, ok := wording.NewLabels(labels).Nested()
	if !ok {
		return nil
	}
	return badRequest("label %q begins label %q, and the server does not tell how it splits them, so their first tokens "+
		"may be one: choose words that begin differently, serve the model where there is a /tokenize route, or ask by the "+
		"text (labels = \"text\", for the last model of a cascade)", strings.TrimSpace(labels[short]),
		strings.TrimSpace(labels[long]))
}

// unlisted is the probability outside a list that makes a token that is not on it worth asking again.
const unlisted = 1e-3

// scarce refuses an answer that leaves a label unknown because the server reported less than it can: a token requested
// by number is missing, or the list of alternatives is shorter than this server's usual one. vLLM shortens the lists of
// everything in the same batch as a request for named tokens; a retry gets the whole list. A list that holds almost all
// of the probability is short because nothing else was possible (a mask, a small vocabulary).
func (m classifier) scarce(ctx context.Context, r backends.Request, mode backends.LabelMode, want []wanted, first step,
	top int) *backends.Failure {
	lost, n := "", len(first.top)
	pieces := known(first)
	for i, w := range want {
		for _, f := range w.forms {
			if _, _, ok := f.locate(pieces, want, i, 0, m.cfg.Match); !ok && lost == "" &&
				(f.known || mode != backends.LabelsTokenIDs) {
				lost = w.label
			}
		}
	}
	switch {
	case lost == "":
		return nil
	case mode == backends.LabelsTokenIDs:
		return badResponse("the log-probability of label %q was asked for by its token's number, and the response lacks it",
			lost)
	case n >= top || rest(first) < unlisted:
		return nil
	}
	if m.cfg.Labels != backends.LabelsAuto && !padded(first) { // nobody has asked what this server gives
		p, err := m.Probe(ctx, r.Mode)
		if err != nil {
			return wire.Failed(err)
		}
		top = min(top, p.offer(r.Mode).Top)
	}
	if first.id < 0 && r.Mode == backends.Raw && !padded(first) {
		top /= 2 // a table by texts, in which tokens of one text are one
	}
	if n >= top {
		return nil
	}
	return badResponse("the response has %d alternatives, and the server gives %d: label %q may be among those it left "+
		"out (vLLM shortens lists while it answers a request for named tokens)", n, top, lost)
}

// pickLabel names the most probable label seen, the first of equals.
func (m classifier) pickLabel(r backends.Request, a *backends.Answer, k int, bound float64) *backends.Failure {
	best, lp := -1, math.Inf(-1)
	for i, l := range a.Labels {
		if l.Seen && l.Logprob > lp {
			best, lp = i, l.Logprob
		}
	}
	if best < 0 {
		return badRequest("none of the %d labels is among the %d most probable tokens, the least of which has probability "+
			"%.3g: ask for more top_logprobs, write the prompt so that a label follows, or set another label mode",
			len(r.Labels), max(k, 1), calc.Exp(bound))
	}
	a.Text = r.Labels[best]
	return nil
}

// namedTokens is vLLM's field of a request that names the tokens whose log-probabilities are wanted.
const namedTokens = "logprob_token_ids"

// byNumber asks for the labels' tokens by their numbers.
func byNumber(want []wanted) (map[string]any, *backends.Failure) {
	var ids []int
	for _, w := range want {
		for i, f := range w.forms {
			if !f.known && i == 0 {
				return nil, badRequest("label mode %q needs the token of label %q, and the server does not tell it: it has no "+
					"/tokenize route, or the label's first token merges with the text before it", backends.LabelsTokenIDs, w.label)
			}
			if f.known {
				ids = append(ids, f.first.id)
			}
		}
	}
	return map[string]any{namedTokens: ids, "return_tokens_as_token_ids": true}, nil
}
