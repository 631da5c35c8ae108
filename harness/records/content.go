package records

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"

	"infnet/backends"
)

// Content returns how many different questions are answered, and the SHA-256 of their answers, hexadecimal: of each
// answer's key and of all that it says, sorted. It leaves out what changes from call to call though the model does not:
// how long the answer took, how much of the prompt was cached, and under which name the server replied.
func (a *Answers) Content() (answers int, hash string) {
	type hashed struct{ key, sum [sha256.Size]byte }
	var all []hashed
	var h contentHash
	for i, key := range a.Keys {
		if !a.Has(i) {
			continue
		}
		given := a.At(i)
		sum := h.answer(&given)
		for _, sample := range a.Samples(i) {
			one := h.answer(&sample)
			sum = sha256.Sum256(append(sum[:], one[:]...))
		}
		all = append(all, hashed{key, sum})
	}
	slices.SortFunc(all, func(x, y hashed) int { return bytes.Compare(x.key[:], y.key[:]) })
	all = slices.Compact(all) // questions that are the same have one answer
	whole := sha256.New()
	for _, x := range all {
		whole.Write(x.key[:])
		whole.Write(x.sum[:])
	}
	return len(all), hex.EncodeToString(whole.Sum(nil))
}

// contentHash writes one answer after the other, in a form in which no two answers are the same bytes.
type contentHash struct{ b []byte }

func (h *contentHash) answer(a *backends.Answer) [sha256.Size]byte {
	h.b = append(h.b[:0], "infnet answer 1"...)
	h.text(a.Text)
	h.text(string(a.Finish))
	h.text(string(a.By))
	h.whole(a.Truncated)
	for _, n := range []backends.Count{a.Usage.Prompt, a.Usage.Completion} {
		tokens, known := n.Known()
		h.flag(known)
		h.whole(tokens)
	}
	h.flag(a.NoLogprobs)
	h.flag(a.Whole)
	h.optional(a.Confidence)
	h.optional(a.Grade)
	h.flag(a.Cost != nil)
	if a.Cost != nil {
		h.number(a.Cost.Amount)
		h.text(a.Cost.Currency)
	}
	h.flag(a.LabelMass != nil)
	if a.LabelMass != nil {
		h.number(a.LabelMass.Low)
		h.number(a.LabelMass.High)
	}
	h.whole(len(a.Tokens))
	for _, t := range a.Tokens {
		h.text(t.Text)
		h.number(t.Logprob)
		h.flag(t.End)
		h.whole(len(t.Top))
		for _, o := range t.Top {
			h.text(o.Text)
			h.number(o.Logprob)
		}
	}
	h.whole(len(a.Labels))
	for _, l := range a.Labels {
		h.number(l.Logprob)
		h.flag(l.Seen)
	}
	if v := a.Vendor; v != nil { // answers of other models keep their hash
		h.number(v.Probability)
		h.optional(v.Confidence)
		h.optional(v.Temperature)
	}
	return sha256.Sum256(h.b)
}

func (h *contentHash) text(s string) {
	h.whole(len(s))
	h.b = append(h.b, s...)
}

func (h *contentHash) whole(n int) { h.b = binary.AppendVarint(h.b, int64(n)) }

func (h *contentHash) number(x float64) {
	h.b = binary.LittleEndian.AppendUint64(h.b, math.Float64bits(x))
}

func (h *contentHash) flag(is bool) {
	n := 0
	if is {
		n = 1
	}
	h.whole(n)
}

func (h *contentHash) optional(x *float64) {
	h.flag(x != nil)
	if x != nil {
		h.number(*x)
	}
}
