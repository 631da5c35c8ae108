package openai

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"infnet/backends"
	"infnet/harness/calc"
)

// wanted is a label to look for among returned tokens.
type wanted struct {
	label string
	forms []form
}

// form is one way a model may begin to say a label.
type form struct {
	word  string     // all of it
	first labelToken // its first token, where known
	known bool
}

// wants lists what to look for. In raw mode that is the label as asked for; in chat mode, where a
// turn may begin with or without a blank, both forms count and their probabilities add up.
// tokenizes says that the server has a tokenize route.
func (m classifier) wants(ctx context.Context, r backends.Request, tokenizes bool) ([]wanted, *backends.Failure) {
	out := make([]wanted, len(r.Labels))
	for i, label := range r.Labels {
		words := []string{label}
		if r.Mode == backends.Chat {
			bare := strings.TrimLeft(label, " ")
			if bare == label {
				words = append(words, " "+label)
			} else {
				words = append(words, bare)
			}
		}
		out[i].label = label
		for _, w := range words {
			if !tokenizes {
				out[i].forms = append(out[i].forms, form{word: w})
				continue
			}
			t, ok, err := m.firstToken(ctx, r.Mode, w)
			if err != nil {
				return nil, failed(err)
			}
			out[i].forms = append(out[i].forms, form{word: w, first: t, known: ok})
		}
	}
	for i := range out {
		for j := range out[:i] {
			for k, a := range out[i].forms {
				if b := out[j].forms[min(k, len(out[j].forms)-1)]; a.known && b.known && a.first.id == b.first.id {
					return nil, badRequest("labels %q and %q both begin with the server's token %d %q: choose words that begin "+
						"differently", out[j].label, out[i].label, a.first.id, a.first.text)
				}
			}
		}
	}
	return out, nil
}

// score reads the labels' log-probabilities from the first step. A label that
// is not among the returned tokens is not Seen, and bound (the log-probability
// of the least probable token returned, p_k) is its upper bound; where a token
// was returned that may or may not be the label's first, the bound is that
// token's if it is larger. The forms of a label add up. No value is invented.
func score(labels []wanted, s step, bound float64, match backends.LabelMatch) []backends.LabelScore {
	pieces := known(s)
	out := make([]backends.LabelScore, len(labels))
	for i, l := range labels {
		seen, unseen := math.Inf(-1), math.Inf(-1)
		for _, f := range l.forms {
			lp, ok := f.find(pieces, labels, i, bound, match)
			if ok {
				seen = logAdd(seen, lp)
			} else {
				unseen = logAdd(unseen, lp)
			}
		}
		if math.IsInf(seen, -1) {
			out[i] = backends.LabelScore{Logprob: min(unseen, 0)}
		} else {
			out[i] = backends.LabelScore{Logprob: min(seen, 0), Seen: true}
		}
	}
	return out
}

// massOn bounds the probability on the labels: what their tokens among the
// returned have, each token once, and above that the bounds of the forms that
// were not returned.
func massOn(labels []wanted, s step, bound float64, match backends.LabelMatch) *backends.Mass {
	pieces := known(s)
	var counted []piece
	low, open := 0.0, 0.0
	for i, l := range labels {
		for _, f := range l.forms {
			p, lp, ok := f.locate(pieces, labels, i, bound, match)
			switch {
			case !ok:
				open += calc.Exp(lp)
			case !contains(counted, p):
				counted = append(counted, p)
				low += calc.Exp(lp)
			}
		}
	}
	low = min(low, 1)
	return &backends.Mass{Low: low, High: min(1, low+open)}
}

// doubtful refuses a step whose unknown values may decide the result: the chosen token has no
// log-probability; or an alternative that is, or may be, a label's token has none, and nothing
// bounds it. An unknown value after the known ones is at most the last of them: it is −∞ (vLLM) or
// was not among the reported ones (OpenAI).
func doubtful(labels []wanted, s step) *backends.Failure {
	if !s.chosen() {
		return badResponse("the token %q that the model chose has no log-probability (%s), so no label's can be set "+
			"beside it", s.text, whyInvalid(s.lp))
	}
	for _, p := range s.top {
		if p.loose && !p.known() && mayBe(p, labels) {
			return badResponse("the alternative %q may be a label and has no log-probability: it may be the most probable",
				p.text)
		}
	}
	return undecided(s)
}

// vague refuses a generated token with an alternative whose value is unknown
// and unbounded: the others would pass for the most probable.
func vague(s step) *backends.Failure {
	for _, p := range s.top {
		if p.loose && !p.known() {
			return badResponse("the alternative %q to token %q has no log-probability", p.text, s.text)
		}
	}
	return undecided(s)
}

// mayBe reports whether a token is, or may be, a label's first.
func mayBe(p piece, labels []wanted) bool {
	begins := func(word string) bool {
		return strings.HasPrefix(word, p.text) ||
			strings.HasPrefix(strings.TrimLeft(word, " "), strings.TrimLeft(p.text, " "))
	}
	for _, l := range labels {
		for _, f := range l.forms {
			switch {
			case f.known && p.id >= 0:
				if p.id == f.first.id {
					return true
				}
			case p.text == "" || !inWhole(p.text) || begins(f.word):
				return true
			}
		}
	}
	return false
}

// known are the tokens with a log-probability, each once.
func known(s step) []piece {
	pieces := make([]piece, 0, len(s.top)+1)
	for _, p := range append(append([]piece{}, s.top...), s.piece) {
		if p.known() && !contains(pieces, p) {
			pieces = append(pieces, p)
		}
	}
	return pieces
}

// reported is the length of the list of alternatives, masked ones included.
func reported(s step) int { return len(s.top) }

// padded reports whether a list was filled up with tokens of no probability, as
// vLLM does with one that it shortened.
func padded(s step) bool {
	return slices.ContainsFunc(s.top, func(p piece) bool { return !p.known() })
}

// rest is the most that all tokens not on the list can have together, with
// room for the rounding of what is on it.
func rest(s step) float64 {
	left := 1.0
	for _, p := range known(s) {
		left -= calc.Exp(p.lp)
	}
	return max(left, 0) + 1e-5
}

// contains reports whether the same token is there already: servers list the
// chosen token among the alternatives or apart from them.
func contains(ps []piece, p piece) bool {
	for _, q := range ps {
		if q.id == p.id && (q.id >= 0 || q.text == p.text) {
			return true
		}
	}
	return false
}

// find returns the log-probability of a form of label number at, or an upper
// bound of it and false.
func (f form) find(pieces []piece, labels []wanted, at int, bound float64, match backends.LabelMatch) (float64, bool) {
	_, lp, ok := f.locate(pieces, labels, at, bound, match)
	return lp, ok
}

// locate is find, with the token that is the form's first.
func (f form) locate(pieces []piece, labels []wanted, at int, bound float64,
	match backends.LabelMatch) (piece, float64, bool) {
	if f.known {
		for _, p := range pieces {
			if p.id >= 0 && p.id == f.first.id || p.id < 0 && f.first.text != "" && p.text == f.first.text {
				return p, p.lp, true
			}
		}
		if f.first.text != "" || len(pieces) > 0 && pieces[0].id >= 0 {
			return piece{}, bound, false // looked for by name or number, and not there
		}
	}
	best := -1
	for i, p := range pieces {
		switch {
		case p.text == f.word:
			return p, p.lp, true
		case p.text == "" || !strings.HasPrefix(f.word, p.text):
			continue
		}
		bound = max(bound, p.lp)
		if match == backends.MatchPrefix && letters(p.text) >= 2 && !begins(p.text, labels, at) &&
			(best < 0 || len(p.text) > len(pieces[best].text)) {
			best = i
		}
	}
	if best >= 0 {
		return pieces[best], pieces[best].lp, true
	}
	return piece{}, bound, false
}

// begins reports whether a token's text begins any form of another label.
func begins(text string, labels []wanted, except int) bool {
	for i, l := range labels {
		for _, f := range l.forms {
			if i != except && strings.HasPrefix(f.word, text) {
				return true
			}
		}
	}
	return false
}

func letters(s string) int {
	n := 0
	for _, r := range s {
		if r != utf8.RuneError && !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}

// logAdd is ln(eˣ + eʸ).
func logAdd(x, y float64) float64 {
	if x < y {
		x, y = y, x
	}
	if math.IsInf(y, -1) {
		return x
	}
	return x + calc.Log1p(calc.Exp(y-x))
}

// least is the log-probability of the least probable alternative returned, which bounds all tokens
// that were not; of the token itself where there are no alternatives, since it is the most probable
// of all. A token that was chosen against its rank (a bias that does not show) stands in the list
// next to the most probable ones, and bounds nothing. ok is false where nothing was measured.
func least(s step) (bound float64, ok bool) {
	ranked := known(step{top: s.top, piece: piece{lp: math.NaN()}})
	if len(ranked) == 0 {
		return s.lp, s.known()
	}
	last := ranked[len(ranked)-1]
	if n := len(ranked); n > 1 && contains([]piece{s.piece}, last) {
		last = ranked[n-2]
	}
	return last.lp, true
}
