package records

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"infnet/backends"
	"infnet/harness/spool"
)

// packed holds the answers of a dataset, each in as few bytes as it takes: an
// answer as Go holds it takes several hundred, and a study may have millions. What
// goes in comes out again.
type packed struct {
	blocks [][]byte // of blockSize answers each
	start  []uint32 // by example: where its answer begins in its block; absent = it has none
	words  []string // texts that occur again and again: labels, names, tokens
	known  map[string]uint32
	long   *spool.Spool            // other texts, of which there may be more than memory holds
	odd    map[int]backends.Answer // those with fields that no stored answer has
}

const (
	blockSize = 1024
	absent    = math.MaxUint32
	mostWords = 1 << 16 // texts that are kept once; others are written where they occur
	longWord  = 64      // bytes of the longest of them
)

// What an answer has, as bits in front of it.
const (
	unscored = 1 << iota
	whole
	confident
	graded
	priced
	massed
	promptKnown
	completionKnown
	batched
	systemic   // the reply names the system that computed it
	thoughtful // it has thoughts, or counts them
	thinking   // its reply is thoughts, or holds them
	vended     // it has what a decision model says
	elsewhere  // it is in odd
)

// add appends the next example's answer; nil = it has none.
func (p *packed) add(key backends.Key, a *backends.Answer) {
	i := len(p.start)
	if p.long == nil {
		p.long = &spool.Spool{}
	}
	if i%blockSize == 0 {
		p.trim()
		p.blocks = append(p.blocks, nil)
	}
	if a == nil {
		p.start = append(p.start, absent)
		return
	}
	block := &p.blocks[len(p.blocks)-1]
	p.start = append(p.start, uint32(len(*block)))
	if a.Key != key || a.Failure != nil || a.Calls != nil {
		if p.odd == nil {
			p.odd = map[int]backends.Answer{}
		}
		p.odd[i] = *a
		*block = binary.AppendUvarint(*block, elsewhere|has(a))
		return
	}
	w := writer{*block, p}
	w.answer(a)
	*block = w.b
}

// trim gives the spare room of the last block back.
func (p *packed) trim() {
	if n := len(p.blocks); n > 0 {
		p.blocks[n-1] = append([]byte(nil), p.blocks[n-1]...)
	}
}

// close ends the adding.
func (p *packed) close() {
	p.trim()
	p.known = nil
}

// bits returns what an example's answer has; 0 where there is none.
func (p *packed) bits(i int) uint64 {
	if p.start[i] == absent {
		return 0
	}
	bits, _ := binary.Uvarint(p.blocks[i/blockSize][p.start[i]:])
	return bits
}

// at returns an example's answer; the zero answer where there is none.
func (p *packed) at(i int, key backends.Key) backends.Answer {
	if p.start[i] == absent {
		return backends.Answer{}
	}
	if a, ok := p.odd[i]; ok {
		return a
	}
	a := p.reader(i).answer()
	a.Key = key
	return a
}

// head returns an example's answer without what was recorded with it, its tokens and
// its labels.
func (p *packed) head(i int) backends.Answer {
	if p.start[i] == absent {
		return backends.Answer{}
	}
	if a, ok := p.odd[i]; ok {
		return a
	}
	a, _, _, _ := p.reader(i).head()
	return a
}

func (p *packed) reader(i int) *reader {
	return &reader{p.blocks[i/blockSize][p.start[i]:], p.words, p.long}
}

// has says which parts of an answer are written.
func has(a *backends.Answer) (bits uint64) {
	_, prompt := a.Usage.Prompt.Known()
	_, completion := a.Usage.Completion.Known()
	for _, x := range []struct {
		is  bool
		bit uint64
	}{{a.NoLogprobs, unscored}, {a.Whole, whole}, {a.Confidence != nil, confident}, {a.Grade != nil, graded},
		{a.Cost != nil, priced}, {a.LabelMass != nil, massed}, {prompt, promptKnown}, {completion, completionKnown},
		{a.Batch != "", batched}, {a.System != "", systemic},
		{a.Thoughts != "" || a.Usage.Thoughts > 0, thoughtful}, {a.Thinks, thinking}, {a.Vendor != nil, vended}} {
		if x.is {
			bits |= x.bit
		}
	}
	return bits
}

// writer packs answers.
type writer struct {
	b []byte
	p *packed
}

func (w *writer) answer(a *backends.Answer) {
	bits := has(a)
	w.b = binary.AppendUvarint(w.b, bits)
	for _, s := range []string{a.Text, string(a.By), string(a.Finish), a.Model} {
		w.text(s)
	}
	if bits&batched != 0 {
		w.text(a.Batch)
	}
	if bits&systemic != 0 {
		w.text(a.System)
	}
	if bits&thoughtful != 0 {
		w.text(a.Thoughts)
		w.b = binary.AppendVarint(w.b, int64(a.Usage.Thoughts))
	}
	prompt, _ := a.Usage.Prompt.Known()
	completion, _ := a.Usage.Completion.Known()
	for _, n := range []int{a.Truncated, int(a.Latency), prompt, completion, a.Usage.Cached, len(a.Tokens),
		len(a.Labels)} {
		w.b = binary.AppendVarint(w.b, int64(n))
	}
	if bits&confident != 0 {
		w.number(*a.Confidence)
	}
	if bits&graded != 0 {
		w.number(*a.Grade)
	}
	if bits&priced != 0 {
		w.number(a.Cost.Amount)
		w.text(a.Cost.Currency)
	}
	if bits&massed != 0 {
		w.number(a.LabelMass.Low)
		w.number(a.LabelMass.High)
	}
	if v := a.Vendor; v != nil {
		w.number(v.Probability)
		w.optional(v.Confidence)
		w.optional(v.Temperature)
	}
	for _, t := range a.Tokens {
		w.text(t.Text)
		w.number(t.Logprob)
		w.bool(t.End)
		w.b = binary.AppendUvarint(w.b, uint64(len(t.Top)))
		for _, o := range t.Top {
			w.text(o.Text)
			w.number(o.Logprob)
		}
	}
	for _, l := range a.Labels {
		w.number(l.Logprob)
		w.bool(l.Seen)
	}
}

// text writes the number of a word, counted from 1, or 0, the length and the text itself. A long one is apart, and
// where it is, counted from 1, takes its place.
func (w *writer) text(s string) {
	n, ok := w.p.known[s]
	if !ok && len(s) <= longWord && len(w.p.words) < mostWords {
		if w.p.known == nil {
			w.p.known = map[string]uint32{}
		}
		s = string([]byte(s)) // and not all of the line that it was read from
		w.p.words = append(w.p.words, s)
		n, ok = uint32(len(w.p.words)), true
		w.p.known[s] = n
	}
	w.b = binary.AppendUvarint(w.b, uint64(n))
	if ok {
		return
	}
	w.b = binary.AppendUvarint(w.b, uint64(len(s)))
	if len(s) > longWord {
		at, err := w.p.long.Add([]byte(s))
		if err == nil {
			w.b = binary.AppendUvarint(w.b, uint64(at)+1)
			return
		}
		w.b = append(w.b, 0) // no room for a temporary file: it stays in memory
	}
	w.b = append(w.b, s...)
}

func (w *writer) number(x float64) {
	w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(x))
}

func (w *writer) optional(x *float64) {
	if w.bool(x != nil); x != nil {
		w.number(*x)
	}
}

func (w *writer) bool(x bool) {
	if x {
		w.b = append(w.b, 1)
	} else {
		w.b = append(w.b, 0)
	}
}

// reader unpacks an answer.
type reader struct {
	b     []byte
	words []string
	long  *spool.Spool
}

func (r *reader) answer() backends.Answer {
	a, bits, tokens, labels := r.head()
	r.recorded(&a, bits)
	if tokens > 0 {
		a.Tokens = make([]backends.Token, tokens)
	}
	for k := range a.Tokens {
		t := backends.Token{Text: r.text(), Logprob: r.number(), End: r.bool()}
		if n := r.count(); n > 0 {
			t.Top = make([]backends.Alternative, n)
		}
		for j := range t.Top {
			t.Top[j] = backends.Alternative{Text: r.text(), Logprob: r.number()}
		}
		a.Tokens[k] = t
	}
	if labels > 0 {
		a.Labels = make([]backends.LabelScore, labels)
	}
	for k := range a.Labels {
		a.Labels[k] = backends.LabelScore{Logprob: r.number(), Seen: r.bool()}
	}
	return a
}

// head reads what does not grow with the answer.
func (r *reader) head() (a backends.Answer, bits uint64, tokens, labels int) {
	bits = r.count()
	a.NoLogprobs, a.Whole, a.Thinks = bits&unscored != 0, bits&whole != 0, bits&thinking != 0
	a.Text, a.By, a.Finish, a.Model = r.text(), backends.LabelMode(r.text()), backends.Finish(r.text()), r.text()
	if bits&batched != 0 {
		a.Batch = r.text()
	}
	if bits&systemic != 0 {
		a.System = r.text()
	}
	if bits&thoughtful != 0 {
		a.Thoughts, a.Usage.Thoughts = r.text(), int(r.signed())
	}
	a.Truncated, a.Latency = int(r.signed()), time.Duration(r.signed())
	prompt, completion := int(r.signed()), int(r.signed())
	a.Usage.Cached = int(r.signed())
	tokens, labels = int(r.signed()), int(r.signed())
	if bits&promptKnown != 0 {
		a.Usage.Prompt = backends.Counted(prompt)
	}
	if bits&completionKnown != 0 {
		a.Usage.Completion = backends.Counted(completion)
	}
	return a, bits, tokens, labels
}

// recorded reads the numbers that were recorded with the answer.
func (r *reader) recorded(a *backends.Answer, bits uint64) {
	if bits&confident != 0 {
		a.Confidence = new(r.number())
	}
	if bits&graded != 0 {
		a.Grade = new(r.number())
	}
	if bits&priced != 0 {
		a.Cost = &backends.Money{Amount: r.number(), Currency: r.text()}
	}
	if bits&massed != 0 {
		a.LabelMass = &backends.Mass{Low: r.number(), High: r.number()}
	}
	if bits&vended != 0 {
		a.Vendor = &backends.Vendor{Probability: r.number(), Confidence: r.optional(), Temperature: r.optional()}
	}
}

func (r *reader) count() uint64 {
	x, n := binary.Uvarint(r.b)
	r.b = r.b[n:]
	return x
}

func (r *reader) signed() int64 {
	x, n := binary.Varint(r.b)
	r.b = r.b[n:]
	return x
}

func (r *reader) text() string {
	if word := r.count(); word > 0 {
		return r.words[word-1]
	}
	n := r.count()
	if n > longWord {
		if at := r.count(); at > 0 {
			return r.apart(n, int64(at)-1)
		}
	}
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

// apart reads a long text. It panics where the temporary file that has it cannot be read any more: nothing right can be
// said of the answer then.
func (r *reader) apart(size uint64, at int64) string {
	text := make([]byte, size)
	if err := r.long.Read(text, at); err != nil {
		panic(fmt.Sprintf("records: the text of an answer is lost: %v", err))
	}
	return string(text)
}

func (r *reader) number() float64 {
	x := math.Float64frombits(binary.LittleEndian.Uint64(r.b))
	r.b = r.b[8:]
	return x
}

func (r *reader) optional() *float64 {
	if !r.bool() {
		return nil
	}
	return new(r.number())
}

func (r *reader) bool() bool {
	x := r.b[0] != 0
	r.b = r.b[1:]
	return x
}
