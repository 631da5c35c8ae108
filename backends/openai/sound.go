package openai

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"infnet/backends"
	"infnet/harness/calc"
)

// How far numbers of one reply may lie apart that should be one number:
// servers compute in 16 bits and round what they write.
const (
	positive = 1e-3 // a log-probability above 0
	// probabilities of different tokens above 1 in sum; rounding twenty of them to bfloat16 makes 0.006 at most
	excess = 1e-2
	apart  = 1e-2 // two values of one token: this much, and this share of the value
)

// sound refuses a step whose numbers contradict one another: a log-probability above 0, a token with two values (by its
// number, else by its text), a number with two texts, alternatives that are together more than certain. Texts that name
// no one token (none at all, parts of characters, single bytes, which some vocabularies hold beside the letter: seen of
// vLLM) are not compared. A token with a value in one place and none in another leaves the step undecided.
func sound(s *step) *backends.Failure {
	sum, visited := 0.0, 0
	f := s.each(func(p piece, q *piece) *backends.Failure {
		visited++
		switch {
		case p.lp > positive || math.IsInf(p.lp, 0):
			return badResponse("token %q has log-probability %v", p.text, p.lp)
		case q == nil:
			if p.known() && (visited == 1 || !s.mayBeChosen(p)) {
				sum += calc.Exp(p.lp)
			}
		case p.id >= 0 && p.id == q.id && p.text != q.text && namesToken(p.text) && namesToken(q.text) &&
			!completes(p.text, q.text) && !completes(q.text, p.text):
			return badResponse("token %d is %q in one place and %q in another", p.id, q.text, p.text)
		case p.known() != q.known():
			s.undecided = badResponse("token %q has a log-probability in one place and none in another", p.text)
		case p.known() && (p.id >= 0 || len(p.text) != 1 || p.text[0] >= utf8.RuneSelf) &&
			math.Abs(p.lp-q.lp) > apart*(1+math.Abs(q.lp)):
			return badResponse("token %q has two log-probabilities, %v and %v", p.text, q.lp, p.lp)
		}
		return nil
	})
	if f == nil && sum > 1+excess {
		f = badResponse("the probabilities of %d tokens add up to %.4g", len(s.top)+1, sum)
	}
	return f
}

// completes reports whether a text is a character, and part the bytes that end it: the llama.cpp server names the token
// that completes a character by the whole of it, and among the alternatives by its own bytes (see Model.whole).
func completes(text, part string) bool {
	return utf8.ValidString(text) && !utf8.ValidString(part) && strings.HasSuffix(text, part)
}

// mayBeChosen reports whether an alternative may be the chosen token once more, in a list that has it too: neither
// is told by a number or a text, and their values agree (vLLM names the first byte of an ü by the empty text).
func (s *step) mayBeChosen(p piece) bool {
	told := func(p piece) bool { return p.id >= 0 || namesToken(p.text) }
	return !told(s.piece) && !told(p) && s.text == p.text && math.Abs(p.lp-s.lp) <= apart*(1+math.Abs(s.lp))
}

// each visits the token and its alternatives; q is what named the same token
// before, nil where nothing did. It ends with the first failure.
func (s *step) each(visit func(p piece, q *piece) *backends.Failure) *backends.Failure {
	numbered := s.id >= 0 || slices.ContainsFunc(s.top, func(p piece) bool { return p.id >= 0 })
	byID := map[int]*piece{}
	byText := make(map[string]*piece, len(s.top)+1) // the first of a text
	bare := map[string]*piece{}                     // the first of a text without a number, where others have one
	for i := -1; i < len(s.top); i++ {
		p := &s.piece
		if i >= 0 {
			p = &s.top[i]
		}
		var q *piece
		if p.id >= 0 {
			if q = byID[p.id]; q == nil {
				byID[p.id] = p
			}
		}
		if namesToken(p.text) {
			if q == nil && p.id >= 0 {
				q = bare[p.text]
			} else if q == nil {
				q = byText[p.text]
			}
			if byText[p.text] == nil {
				byText[p.text] = p
			}
			if numbered && p.id < 0 && bare[p.text] == nil {
				bare[p.text] = p
			}
		}
		if f := visit(*p, q); f != nil {
			return f
		}
	}
	return nil
}

func namesToken(text string) bool { return text != "" && inWhole(text) }

// inWhole reports whether a text is all of its token: parts of characters are all written as U+FFFD
// if the server reports no bytes.
func inWhole(text string) bool { return !strings.Contains(text, "\uFFFD") }

// spellsBytes reports whether a token's name and its bytes are two ways to write one text. Servers write the text; the
// vocabulary's name for it; its bytes as OpenAI names parts of characters; U+FFFD for what is no whole character; or
// (llama.cpp) the text without such a part at its end.
func spellsBytes(name, b string) bool {
	said := spelled(name)
	if name == b || said == b {
		return true
	}
	if inWhole(name) && (utf8.ValidString(b) || !utf8.ValidString(said)) {
		return false
	}
	drop := func(s string) string { return strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\uFFFD", "") }
	return drop(said) == drop(b)
}

// known are the tokens with a log-probability, each once.
func known(s step) []piece {
	pieces := make([]piece, 0, len(s.top)+1)
	for _, p := range s.top {
		if p.known() && !contains(pieces, p) {
			pieces = append(pieces, p)
		}
	}
	if s.known() && !contains(pieces, s.piece) {
		pieces = append(pieces, s.piece)
	}
	return pieces
}

// padded reports whether a list was filled up with tokens of no probability, as vLLM does with one that it shortened.
func (s step) padded() bool {
	return slices.ContainsFunc(s.top, func(p piece) bool { return !p.known() })
}

// rest is the most that all tokens not on the list can have together, with room for the rounding of what is on it.
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

// checkTail refuses unexpected tokens after the end of the text. said is what the last token spells beyond the text,
// rest are the steps after it. One end token, blanks that the server trimmed, and the stop string are allowed.
func checkTail(said string, rest []step, stops []string) *backends.Failure {
	if strings.TrimSpace(said) != "" && inWhole(said) && !opens(said, stops) {
		return badResponse("the log-probabilities go on with %q behind the end of the text", short(said))
	}
	for i, s := range rest {
		if stopped(said, stops) {
			return badResponse("the log-probabilities go on with %q behind the stop", short(s.text))
		}
		said += s.text
		if strings.TrimSpace(s.text) == "" || opens(said, stops) || i == len(rest)-1 && special(s) {
			continue
		}
		return badResponse("the log-probabilities go on with %q behind the end of the text", short(s.text))
	}
	return nil
}

// opens reports whether a text, blanks before it aside, is the beginning of a stop, or begins with one.
func opens(text string, stops []string) bool {
	for _, t := range []string{text, strings.TrimSpace(text)} {
		for _, s := range stops {
			if s != "" && (strings.HasPrefix(s, t) || strings.HasPrefix(t, s)) {
				return true
			}
		}
	}
	return false
}

// special reports whether a token looks like one of those that end answers:
// "<eos>", "</s>", "<|im_end|>", "<｜end▁of▁sentence｜>", "[SEP]", a number alone.
func special(s step) bool {
	t := strings.TrimSpace(s.text)
	bracketed := func(open, shut string) bool {
		return strings.HasPrefix(t, open) && strings.HasSuffix(t, shut)
	}
	return t == "" || bracketed("<", ">") || bracketed("[", "]") || !strings.ContainsFunc(t, unicode.IsPrint) ||
		!inWhole(t)
}

// spoke refuses a first token that does not begin the text: the log-probabilities would belong to another answer.
func spoke(text string, first step) *backends.Failure {
	said, token := strings.TrimSpace(text), strings.TrimSpace(first.text)
	if said == "" || token == "" || special(first) || !utf8.ValidString(token) || !inWhole(said) {
		return nil
	}
	if strings.HasPrefix(said, token) || strings.HasPrefix(token, said) {
		return nil
	}
	return badResponse("the log-probabilities are those of %q, the text is %q", short(token), short(said))
}
