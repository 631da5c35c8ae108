package openai

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/wire"
	"infnet/backends/wording"
	"infnet/harness/calc"
)

// classify fills in the answer to a classification, asked in the way that the settings name or the probe found. One
// that is sampled is asked by the text alone: probabilities say nothing of what was drawn.
func (t *talk) classify(ctx context.Context, r backends.Request, a *backends.Answer) *backends.Failure {
	if !r.Sampling.Greedy() {
		return t.byText(ctx, r, a)
	}
	mode, top := t.m.cfg.Labels, t.m.cfg.TopLogprobs
	p := Probe{Tokenize: true} // not probed: try
	if r.LabelMode != "" && mode != backends.LabelsAuto && mode != r.LabelMode {
		return badRequest("the request wants its labels asked by %q, the model is set to %q", r.LabelMode, mode)
	}
	if t.m.cfg.NoLogprobs {
		mode = backends.LabelsText
	} else if mode == backends.LabelsAuto {
		var err error
		if p, err = t.m.Probe(ctx, r.Mode); err != nil {
			return wire.Failed(err)
		}
		if mode = p.mode(r.Mode); r.LabelMode != "" && r.LabelMode != mode {
			if mode = r.LabelMode; !slices.Contains(p.ways(r.Mode), mode) {
				return badRequest("classifications were asked by %q before, and the server offers that no more: serve the model "+
					"as before, or give it a revision of its own", mode)
			}
		}
		top = min(top, max(p.offer(r.Mode).Top, 1))
	}
	if mode == backends.LabelsText {
		return t.byText(ctx, r, a)
	}
	return t.byFirstToken(ctx, r, a, mode, top, p)
}

const (
	// namedTokens is vLLM's field of a request that names the tokens whose log-probabilities are wanted by number, …
	namedTokens = "logprob_token_ids"
	mostNamed   = 128 // … so many at most
	// byNumbers is its field that has tokens called by their numbers.
	byNumbers = "return_tokens_as_token_ids"
)

// byFirstToken reads the labels' scores from the first token of one call.
func (t *talk) byFirstToken(ctx context.Context, r backends.Request, a *backends.Answer, mode backends.LabelMode,
	top int, p Probe) *backends.Failure {
	q, f := t.m.seek(ctx, r, p.Tokenize)
	if f != nil {
		return f
	}
	ids, untold := q.numbers()
	auto := t.m.cfg.Labels == backends.LabelsAuto
	if untold != "" {
		if f := nested(r.Labels); f != nil {
			return f
		}
	}
	if mode == backends.LabelsTokenIDs && auto && (untold != "" || len(ids) > mostNamed) {
		mode = backends.LabelsTopLogprobs // the one that auto chose does not suit these labels
	}
	var add map[string]any
	switch {
	case mode == backends.LabelsTokenIDs && untold != "":
		return badRequest("label mode %q needs the token of label %q, and the server does not tell it: it has no /tokenize "+
			"route, or the label's first token merges with the text before it", backends.LabelsTokenIDs, untold)
	case mode == backends.LabelsTokenIDs:
		add, top = map[string]any{namedTokens: ids, byNumbers: true}, len(ids)
	case p.Server == "vllm" && p.Tokenize: // it writes some tokens without their blank; their numbers are certain
		add = map[string]any{byNumbers: true}
	}
	call := shows(r, 1)
	call.logprobs, call.TopLogprobs, call.add = true, top, add
	x, f := t.ask(ctx, call)
	if f != nil {
		return f
	}
	first, f := x.first(top)
	if f != nil {
		return f
	}
	if f := q.doubtful(first); f != nil {
		return f
	}
	bound, ok := least(first)
	if !ok {
		return badResponse("the response's token has no log-probability (%v means unknown)", sentinel)
	}
	found := q.find(first)
	if f := t.scarce(ctx, r.Mode, mode, found, top); f != nil {
		return f
	}
	bound = min(bound, calc.Log(rest(first)))
	labels := found.score(bound)
	if f := found.unnamed(labels); f != nil {
		return f
	}
	a.Labels, a.LabelMass, a.By, a.Usage = labels, found.mass(bound), mode, x.spent()
	a.Usage.Completion = backends.Counted(1)
	return pick(r, a, len(first.top), bound)
}

// first is the only token of a reply, with its alternatives, at most top. One that is named by its number alone has the
// text of the reply.
func (r *response) first(top int) (step, *backends.Failure) {
	if f := r.parts().Denied(); f != nil {
		return step{}, f
	}
	steps, f := r.steps()
	switch {
	case f != nil:
		return step{}, f
	case len(steps) == 0 && r.text() == "" && r.finish() == "stop":
		return step{}, badRequest("the model ended its answer before the first token, where the server reports no " +
			"log-probabilities: write the prompt so that a label follows, or set another label mode")
	case len(steps) == 0:
		return step{}, badResponse(noLogprobs)
	case len(steps) > 1:
		return step{}, badResponse("the response has %d tokens, 1 was asked for", len(steps))
	}
	first := steps[0]
	if text, f := r.said(); f == nil {
		if f := spoke(text, first); f != nil {
			return step{}, f
		}
	} else if !special(first) && utf8.ValidString(first.text) && r.finish() != "stop" {
		return step{}, httpfailure.Unsaid(backends.NoContent,
			"the text is empty, and the log-probabilities are those of %q: the server took it out of the answer (thoughts, a "+
				"call), so it is none", short(first.text))
	}
	if n := len(first.top); n > top+1 {
		return step{}, badResponse("the response has %d alternatives, at most %d were asked for", n, top)
	}
	if first.text == "" && first.id >= 0 {
		first.text = r.text()
		for i := range first.top {
			if first.top[i].id == first.id {
				first.top[i].text = first.text
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
func (t *talk) scarce(ctx context.Context, turn backends.Mode, mode backends.LabelMode, q found,
	top int) *backends.Failure {
	lost := ""
	for i, l := range q.labels {
		for k, f := range l.forms {
			if !q.at[i][k].seen && lost == "" && (f.known || mode != backends.LabelsTokenIDs) {
				lost = l.label
			}
		}
	}
	n := len(q.step.top)
	switch {
	case lost == "":
		return nil
	case mode == backends.LabelsTokenIDs:
		return badResponse("the log-probability of label %q was asked for by its token's number, and the response lacks it",
			lost)
	case n >= top || rest(q.step) < unlisted:
		return nil
	}
	padded := q.step.padded()
	if t.m.cfg.Labels != backends.LabelsAuto && !padded { // nobody has asked what this server gives
		p, err := t.m.Probe(ctx, turn)
		if err != nil {
			return wire.Failed(err)
		}
		top = min(top, p.offer(turn).Top)
	}
	if q.step.id < 0 && turn == backends.Raw && !padded {
		top /= 2 // a table by texts, in which tokens of one text are one
	}
	if n >= top {
		return nil
	}
	return badResponse("the response has %d alternatives, and the server gives %d: label %q may be among those it left "+
		"out (vLLM shortens lists while it answers a request for named tokens)", n, top, lost)
}

func pick(r backends.Request, a *backends.Answer, k int, bound float64) *backends.Failure {
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

// byText classifies by the model's text: by the label that it begins with.
func (t *talk) byText(ctx context.Context, r backends.Request, a *backends.Answer) *backends.Failure {
	x, f := t.ask(ctx, shows(r, httpfailure.LabelTokens(r.Labels)))
	if f != nil {
		return f
	}
	text, f := x.said()
	if f == nil {
		f = httpfailure.Leftover(text, r.Prompt)
	}
	if f != nil {
		return f
	}
	a.By, a.Usage = backends.LabelsText, x.spent()
	return httpfailure.Label(a, r, text)
}
