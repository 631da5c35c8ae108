package openai

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/wire"
	"infnet/backends/wording"
	"infnet/harness/calc"
)

// forms are the ways to write a label: as it is, with a blank before it or without, and both with the first letter in
// the other case.
func forms(label string) []string {
	other := " " + label
	if bare := strings.TrimLeft(label, " "); bare != label {
		other = bare
	}
	out := []string{label, other}
	for _, w := range out[:2] {
		bare := strings.TrimLeft(w, " ")
		first, n := utf8.DecodeRuneInString(bare)
		turned := unicode.ToUpper(first)
		if turned == first {
			turned = unicode.ToLower(first)
		}
		if turned != first {
			out = append(out, w[:len(w)-len(bare)]+string(turned)+bare[n:])
		}
	}
	return out
}

// sought is what a classification looks for among the returned tokens, and how: by the tokens of the labels' forms,
// and by what other tokens say in the words of a text (see wording), whose probability is added to their label's.
type sought struct {
	labels []wanted
	words  wording.Labels
}

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

// lately is what a classification looked for, which most others look for too.
type lately struct {
	labels    []string
	mode      backends.Mode
	tokenizes bool
	sought    sought
}

func (m *Model) seek(ctx context.Context, r backends.Request, tokenizes bool) (sought, *backends.Failure) {
	m.mu.Lock()
	l := m.last
	m.mu.Unlock()
	if l.mode == r.Mode && l.tokenizes == tokenizes && slices.Equal(l.labels, r.Labels) {
		return l.sought, nil
	}
	q, f := m.sought(ctx, r, tokenizes)
	if f != nil {
		return q, f
	}
	m.mu.Lock()
	m.last = lately{slices.Clone(r.Labels), r.Mode, tokenizes, q}
	m.mu.Unlock()
	return q, nil
}

// sought lists what to look for: the label as asked for; in chat mode, where a turn may begin with or without a blank,
// both forms. Where the server has a tokenize route (tokenizes), so that tokens may be asked for by number, the tokens
// of the label's other forms (without the blank or with it, its first letter in the other case) join them if they begin
// no other label. The probabilities of the forms add up.
func (m *Model) sought(ctx context.Context, r backends.Request, tokenizes bool) (sought, *backends.Failure) {
	out := make([]wanted, len(r.Labels))
	q := sought{out, wording.NewLabels(r.Labels)}
	taken := map[int]bool{}
	for pass := range 2 { // the forms that are needed, then the others
		for i, label := range r.Labels {
			out[i].label = label
			for k, w := range forms(label) {
				needed := k == 0 || k == 1 && r.Mode == backends.Chat
				if needed != (pass == 0) || !needed && !tokenizes {
					continue
				}
				f := form{word: w}
				if tokenizes {
					var err error
					if f.first, f.known, err = m.lexer.firstToken(ctx, r.Mode, w); err != nil {
						return q, wire.Failed(err)
					}
				}
				said := q.words.First(f.first.text)
				if needed || f.known && !taken[f.first.id] && said.Label == i && (said.Whole || letters(f.first.text) >= 2) {
					out[i].forms = append(out[i].forms, f)
					taken[f.first.id] = taken[f.first.id] || f.known
				}
			}
		}
	}
	for i := range out {
		for j := range out[:i] {
			for k, a := range out[i].forms {
				if k > 1 || k == 1 && r.Mode == backends.Raw {
					break // which are taken once
				}
				if b := out[j].forms[min(k, len(out[j].forms)-1)]; a.known && b.known && a.first.id == b.first.id {
					return q, badRequest("labels %q and %q both begin with the server's token %d %q: choose words that begin "+
						"differently", out[j].label, out[i].label, a.first.id, a.first.text)
				}
			}
		}
	}
	return q, nil
}

// numbers are the known tokens of the labels, and the first label whose own token is not known; "" = all are.
func (q sought) numbers() (ids []int, untold string) {
	for _, l := range q.labels {
		if !l.forms[0].known && untold == "" {
			untold = l.label
		}
		for _, f := range l.forms {
			if f.known {
				ids = append(ids, f.first.id)
			}
		}
	}
	return ids, untold
}

// says is the label that a token says besides the labels' own tokens, or −1; might reports that it may begin one.
func (q sought) says(p piece) (label int, might bool) {
	if p.text == "" {
		return -1, false
	}
	t := q.words.First(p.text)
	if t.Label >= 0 && (t.Whole || letters(p.text) >= 2) {
		return t.Label, true
	}
	for _, l := range q.labels {
		for _, f := range l.forms {
			if !f.known && strings.HasPrefix(f.word, p.text) {
				return -1, false // a bound of its labels alone, see locate
			}
		}
	}
	return -1, t.Might
}

// found is what a step says of the labels.
type found struct {
	sought
	step   step
	at     [][]located // by label and form
	own    []piece     // the tokens of the labels' forms, each once
	others [][]piece   // by label, those that say one besides; the last, those that may begin one
}

type located struct {
	piece
	seen bool
	over float64 // where none is: the most of the tokens that may be it; −∞ = none may
}

func (q sought) find(s step) found {
	out := found{sought: q, step: s, at: make([][]located, len(q.labels)), others: make([][]piece, len(q.labels)+1)}
	pieces := known(s)
	for i, l := range q.labels {
		for _, f := range l.forms {
			at := q.locate(f, i, pieces)
			if out.at[i] = append(out.at[i], at); at.seen && !contains(out.own, at.piece) {
				out.own = append(out.own, at.piece)
			}
		}
	}
	for _, p := range pieces {
		if contains(out.own, p) {
			continue
		}
		if label, might := q.says(p); label >= 0 {
			out.others[label] = append(out.others[label], p)
		} else if might {
			out.others[len(q.labels)] = append(out.others[len(q.labels)], p)
		}
	}
	return out
}

// locate finds the token that is the first of a form of label number i.
func (q sought) locate(f form, i int, pieces []piece) located {
	none := located{over: math.Inf(-1)}
	if f.known {
		for _, p := range pieces {
			if p.id >= 0 && p.id == f.first.id || p.id < 0 && f.first.text != "" && p.text == f.first.text {
				return located{piece: p, seen: true}
			}
		}
		if f.first.text != "" || len(pieces) > 0 && pieces[0].id >= 0 {
			return none // looked for by name or number, and not there
		}
	}
	best := -1
	for k, p := range pieces {
		switch {
		case p.text == f.word:
			return located{piece: p, seen: true}
		case p.text == "" || !strings.HasPrefix(f.word, p.text):
			continue
		}
		none.over = max(none.over, p.lp)
		if letters(p.text) >= 2 && !q.begins(p.text, i) &&
			(best < 0 || len(p.text) > len(pieces[best].text)) {
			best = k
		}
	}
	if best >= 0 {
		return located{piece: pieces[best], seen: true}
	}
	return none
}

// begins reports whether a token's text begins any form of another label.
func (q sought) begins(text string, except int) bool {
	for i, l := range q.labels {
		if i != except && slices.ContainsFunc(l.forms, func(f form) bool { return strings.HasPrefix(f.word, text) }) {
			return true
		}
	}
	return false
}

// score reads the labels' log-probabilities. A label that is not among the returned tokens is not
// Seen, and bound (the log-probability of the least probable token returned, p_k) is its upper bound; where a token was
// returned that may or may not be the label's first, the bound is that token's if it is larger. The forms of a label
// add up. No value is invented.
func (q found) score(bound float64) []backends.LabelScore {
	for _, p := range q.others[len(q.labels)] { // they may begin a label
		bound = max(bound, p.lp)
	}
	out := make([]backends.LabelScore, len(q.labels))
	for i := range q.labels {
		seen, unseen := math.Inf(-1), math.Inf(-1)
		for _, at := range q.at[i] {
			if at.seen {
				seen = logAdd(seen, at.lp)
			} else {
				unseen = logAdd(unseen, max(bound, at.over))
			}
		}
		for _, p := range q.others[i] {
			seen = logAdd(seen, p.lp)
		}
		if out[i].Seen = !math.IsInf(seen, -1); !out[i].Seen {
			seen = unseen
		}
		out[i].Logprob = min(seen, 0)
	}
	return out
}

func (q found) said() []piece {
	return slices.Concat(append([][]piece{q.own}, q.others[:len(q.labels)]...)...)
}

// mass bounds the probability on the labels: what their tokens among the returned have, each token once, and above
// that the bounds of the forms that were not returned.
func (q found) mass(bound float64) *backends.Mass {
	low, open := 0.0, 0.0
	for _, forms := range q.at {
		for _, at := range forms {
			if !at.seen {
				open += calc.Exp(max(bound, at.over))
			}
		}
	}
	for _, p := range q.said() {
		low += calc.Exp(p.lp)
	}
	low = min(low, 1)
	return &backends.Mass{Low: low, High: min(1, low+open)}
}

// unnamed refuses an answer whose token says no label and is more probable than every label: the most probable label
// is then not what the model says.
func (q found) unnamed(labels []backends.LabelScore) *backends.Failure {
	s := q.step
	if contains(q.said(), s.piece) ||
		slices.ContainsFunc(labels, func(l backends.LabelScore) bool { return l.Seen && l.Logprob >= s.lp }) {
		return nil
	}
	what := "begins none of the labels"
	if contains(q.others[len(q.labels)], s.piece) || q.words.First(s.text).Might {
		what = "may begin more than one label"
	}
	return httpfailure.Unsaid(backends.NoLabel, "the model says %q (probability %.2g), which %s, and every label is less "+
		"probable: end the prompt so that a label follows, name the labels in it, or take words that the model would say",
		short(s.text), calc.Exp(s.lp), what)
}

// doubtful refuses a step whose unknown values may decide the result: the chosen token has no log-probability; or an
// alternative that is, or may be, a label's token has none, and nothing bounds it. An unknown value after the known
// ones is at most the last of them: it is −∞ (vLLM) or was not among the reported ones (OpenAI).
func (q sought) doubtful(s step) *backends.Failure {
	if !s.chosen() {
		return badResponse("the token %q that the model chose has no log-probability (%s), so no label's can be set "+
			"beside it", s.text, whyInvalid(s.lp))
	}
	for _, p := range s.top {
		if p.loose && !p.known() && q.mayBe(p) {
			return badResponse("the alternative %q may be a label and has no log-probability: it may be the most probable",
				p.text)
		}
	}
	return s.undecided
}

func (q sought) mayBe(p piece) bool {
	for _, l := range q.labels {
		for _, f := range l.forms {
			switch {
			case f.known && p.id >= 0:
				if p.id == f.first.id {
					return true
				}
			case p.text == "" || !inWhole(p.text) || strings.HasPrefix(f.word, p.text) ||
				strings.HasPrefix(strings.TrimLeft(f.word, " "), strings.TrimLeft(p.text, " ")):
				return true
			}
		}
	}
	return q.words.First(p.text).Might
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
