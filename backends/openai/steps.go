package openai

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/backends"
)

// sentinel is what vLLM writes for −Inf and OpenAI for "not among the reported": a placeholder, not a measurement.
const sentinel = -9999

// logprobs has the chat's shape (content), which llama.cpp also uses for
// completions, and the older shape of completions (parallel lists).
type logprobs struct {
	Content []wireToken `json:"content"`

	Tokens        []string              `json:"tokens"`
	TokenLogprobs []*float64            `json:"token_logprobs"`
	TopLogprobs   []map[string]*float64 `json:"top_logprobs"`
}

type wireToken struct {
	ID      *int        `json:"id"` // llama.cpp
	Token   string      `json:"token"`
	Bytes   []*uint8    `json:"bytes"`
	Logprob *float64    `json:"logprob"`
	Top     []wireToken `json:"top_logprobs"`
}

type piece struct {
	text  string  // its bytes; "" = not reported
	id    int     // in the server's vocabulary; -1 = not reported
	lp    float64 // NaN = not reported
	loose bool    // nothing bounds its unknown log-probability
}

func (p piece) known() bool { return p.lp > sentinel }

// impossible is below the log-probability of any chosen token, even under a mask: smaller values
// are placeholders (−100, −1000).
const impossible = -50

// chosen reports whether the value of a generated token is a measurement.
func (p piece) chosen() bool { return p.lp > impossible }

func whyInvalid(lp float64) string {
	if math.IsNaN(lp) || lp <= sentinel {
		return fmt.Sprintf("null or %v means unknown", sentinel)
	}
	return fmt.Sprintf("no chosen token has %v", lp)
}

// step is one generated (or echoed) token and its alternatives, most probable first.
type step struct {
	piece
	top       []piece
	undecided *backends.Failure // why it cannot be read where every value counts
}

// steps reads either shape, and refuses what contradicts itself.
func (l *logprobs) steps() ([]step, *backends.Failure) {
	if l == nil {
		return nil, nil
	}
	if len(l.Content) > 0 && len(l.Tokens) > 0 {
		return nil, badResponse("the log-probabilities come in two shapes (content and tokens)")
	}
	var out []step
	for _, t := range l.Content {
		s, f := t.step()
		if f != nil {
			return nil, f
		}
		out = append(out, s)
	}
	if len(l.Content) == 0 {
		if len(l.TokenLogprobs) != len(l.Tokens) || len(l.TopLogprobs) != 0 && len(l.TopLogprobs) != len(l.Tokens) {
			return nil, badResponse("%d tokens with %d log-probabilities and %d lists of alternatives", len(l.Tokens),
				len(l.TokenLogprobs), len(l.TopLogprobs))
		}
		for i, t := range l.Tokens {
			s := step{piece: named(t, l.TokenLogprobs[i])}
			if len(l.TopLogprobs) > 0 {
				for name, lp := range l.TopLogprobs[i] {
					s.top = append(s.top, named(name, lp))
				}
			}
			out = append(out, s)
		}
	}
	for i := range out {
		slices.SortStableFunc(out[i].top, func(a, b piece) int {
			return cmp.Or(cmp.Compare(b.lp, a.lp), cmp.Compare(a.text, b.text), cmp.Compare(a.id, b.id))
		})
		if f := sound(&out[i]); f != nil {
			return nil, f
		}
	}
	return out, nil
}

// step reads a token and its alternatives. A placeholder after the known values of a list is at most the last of them,
// as servers define it; before a known value it is misplaced and nothing bounds it.
func (t wireToken) step() (step, *backends.Failure) {
	p, f := t.piece()
	if f != nil {
		return step{}, f
	}
	s := step{piece: p}
	for _, o := range t.Top {
		if p, f = o.piece(); f != nil {
			return step{}, f
		}
		s.top = append(s.top, p)
	}
	behind := true
	for i := len(s.top) - 1; i >= 0; i-- {
		behind = behind && !s.top[i].known()
		s.top[i].loose = s.top[i].loose || !s.top[i].known() && !behind
	}
	return s, nil
}

func (t wireToken) piece() (piece, *backends.Failure) {
	p := named(t.Token, t.Logprob)
	if t.ID != nil {
		if p.id >= 0 && p.id != *t.ID {
			return p, badResponse("token %q has the number %d", t.Token, *t.ID)
		}
		p.id = *t.ID
	}
	if len(t.Bytes) == 0 {
		return p, nil
	}
	spelt := make([]byte, len(t.Bytes))
	for i, v := range t.Bytes {
		if v == nil {
			return p, badResponse("token %q: null is no byte", short(t.Token))
		}
		spelt[i] = *v
	}
	b := string(spelt)
	switch {
	case strings.HasPrefix(t.Token, "token_id:"):
		if b != t.Token { // vLLM writes the name's own bytes for alternatives
			p.text = b
		}
	case spellsBytes(t.Token, b):
		p.text = b
	default:
		return p, badResponse("token %q has the bytes of %q", short(t.Token), short(b))
	}
	return p, nil
}

func named(name string, lp *float64) piece {
	p := piece{id: -1, lp: math.NaN(), loose: lp == nil}
	if lp != nil {
		p.lp = *lp
	}
	if digits, ok := strings.CutPrefix(name, "token_id:"); ok { // vLLM, where asked for
		if id, err := strconv.Atoi(digits); err == nil {
			p.id = id
			return p
		}
	}
	p.text = spelled(name)
	return p
}

// spelled converts a token's name to its bytes: vocabularies write a leading blank as "▁" (SentencePiece) or "Ġ"
// (byte-level BPE, which writes a line feed as "Ċ"), a lone byte as "<0xE2>" or "bytes:\xe2\x80".
func spelled(name string) string {
	if hex, ok := strings.CutPrefix(name, "<0x"); ok && len(name) == 6 && name[5] == '>' {
		if b, err := strconv.ParseUint(hex[:2], 16, 8); err == nil {
			return string([]byte{byte(b)})
		}
	}
	if list, ok := strings.CutPrefix(name, `bytes:\x`); ok {
		var out []byte
		for _, h := range strings.Split(list, `\x`) {
			b, err := strconv.ParseUint(h, 16, 8)
			if err != nil {
				return name
			}
			out = append(out, byte(b))
		}
		return string(out)
	}
	if strings.HasPrefix(name, "▁") {
		return strings.ReplaceAll(name, "▁", " ")
	}
	if strings.HasPrefix(name, "Ġ") || strings.HasPrefix(name, "Ċ") {
		return strings.NewReplacer("Ġ", " ", "Ċ", "\n").Replace(name)
	}
	return name
}
