package records

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

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
	equal      // its tokens are equal, and one is written
	elsewhere  // it is in odd
)

// add appends the next example's answer; nil = it has none.
func (p *packed) add(key backends.Key, a *backends.Answer) {
	i := len(p.start)
	if p.long == nil {
		p.long, p.known = &spool.Spool{}, map[string]uint32{}
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
	c := coder{b: *block, p: p, writes: true, tokens: len(a.Tokens), labels: len(a.Labels)}
	c.rest(a, c.head(a))
	*block = c.b
}

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

// at returns an example's answer, the zero answer where there is none; unless whole, without its key, what was recorded
// with it, its tokens and its labels.
func (p *packed) at(i int, key backends.Key, whole bool) (a backends.Answer) {
	if p.start[i] == absent {
		return a
	}
	if a, ok := p.odd[i]; ok {
		return a
	}
	c := coder{b: p.blocks[i/blockSize][p.start[i]:], p: p}
	bits := c.head(&a)
	if whole {
		c.rest(&a, bits)
		a.Key = key
	}
	return a
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
		{a.Thoughts != "" || a.Usage.Thoughts > 0, thoughtful}, {a.Thinks, thinking}, {a.Vendor != nil, vended},
		{backends.Equal(a.Tokens), equal}} {
		if x.is {
			bits |= x.bit
		}
	}
	return bits
}

// coder packs an answer, or unpacks it: both go through its parts in one order.
type coder struct {
	b              []byte
	p              *packed
	writes         bool
	tokens, labels int // of the answer
}

// head is what does not grow with the answer.
func (c *coder) head(a *backends.Answer) (bits uint64) {
	bits = has(a)
	c.count(&bits)
	a.NoLogprobs, a.Whole, a.Thinks = bits&unscored != 0, bits&whole != 0, bits&thinking != 0
	text(c, &a.Text)
	text(c, &a.By)
	text(c, &a.Finish)
	text(c, &a.Model)
	if bits&batched != 0 {
		text(c, &a.Batch)
	}
	if bits&systemic != 0 {
		text(c, &a.System)
	}
	if bits&thoughtful != 0 {
		text(c, &a.Thoughts)
		signed(c, &a.Usage.Thoughts)
	}
	prompt, _ := a.Usage.Prompt.Known()
	completion, _ := a.Usage.Completion.Known()
	signed(c, &a.Truncated)
	signed(c, &a.Latency)
	for _, n := range []*int{&prompt, &completion, &a.Usage.Cached, &c.tokens, &c.labels} {
		signed(c, n)
	}
	if c.writes {
		return bits
	}
	if bits&promptKnown != 0 {
		a.Usage.Prompt = backends.Counted(prompt)
	}
	if bits&completionKnown != 0 {
		a.Usage.Completion = backends.Counted(completion)
	}
	return bits
}

// room makes a list of n, nil for none.
func room[T any](n int) []T {
	if n == 0 {
		return nil
	}
	return make([]T, n)
}

// rest is what was recorded with the answer, its tokens and its labels.
func (c *coder) rest(a *backends.Answer, bits uint64) {
	c.optional(bits&confident != 0, &a.Confidence)
	c.optional(bits&graded != 0, &a.Grade)
	if bits&priced != 0 {
		made(c, &a.Cost)
		c.number(&a.Cost.Amount)
		text(c, &a.Cost.Currency)
	}
	if bits&massed != 0 {
		made(c, &a.LabelMass)
		c.number(&a.LabelMass.Low)
		c.number(&a.LabelMass.High)
	}
	if bits&vended != 0 {
		made(c, &a.Vendor)
		c.number(&a.Vendor.Probability)
		for _, x := range []**float64{&a.Vendor.Confidence, &a.Vendor.Temperature} {
			is := *x != nil
			c.bool(&is)
			c.optional(is, x)
		}
	}
	if !c.writes {
		a.Tokens, a.Labels = room[backends.Token](c.tokens), room[backends.LabelScore](c.labels)
	}
	for k := range a.Tokens {
		t := &a.Tokens[k]
		if k > 0 && bits&equal != 0 {
			if !c.writes {
				*t = a.Tokens[0]
			}
			continue
		}
		text(c, &t.Text)
		c.number(&t.Logprob)
		c.bool(&t.End)
		n := uint64(len(t.Top))
		if c.count(&n); !c.writes {
			t.Top = room[backends.Alternative](int(n))
		}
		for j := range t.Top {
			text(c, &t.Top[j].Text)
			c.number(&t.Top[j].Logprob)
		}
	}
	for k := range a.Labels {
		c.number(&a.Labels[k].Logprob)
		c.bool(&a.Labels[k].Seen)
	}
}

// made makes what is to be read.
func made[T any](c *coder, x **T) {
	if !c.writes {
		*x = new(T)
	}
}

// optional is a number that is there.
func (c *coder) optional(is bool, x **float64) {
	if is {
		made(c, x)
		c.number(*x)
	}
}

func (c *coder) count(x *uint64) {
	if c.writes {
		c.b = binary.AppendUvarint(c.b, *x)
		return
	}
	n := 0
	*x, n = binary.Uvarint(c.b)
	c.b = c.b[n:]
}

func signed[T ~int | ~int64](c *coder, x *T) {
	if c.writes {
		c.b = binary.AppendVarint(c.b, int64(*x))
		return
	}
	v, n := binary.Varint(c.b)
	*x, c.b = T(v), c.b[n:]
}

func (c *coder) number(x *float64) {
	if c.writes {
		c.b = binary.LittleEndian.AppendUint64(c.b, math.Float64bits(*x))
		return
	}
	*x = math.Float64frombits(binary.LittleEndian.Uint64(c.b))
	c.b = c.b[8:]
}

func (c *coder) bool(x *bool) {
	n := uint64(0)
	if *x {
		n = 1
	}
	c.count(&n)
	*x = n == 1
}

// text is the number of a word, counted from 1, or 0, the length and the text itself. A long one is apart, and where it
// is, counted from 1, takes its place.
func text[T ~string](c *coder, x *T) {
	if c.writes {
		c.write(string(*x))
		return
	}
	var word, n, at uint64
	if c.count(&word); word > 0 {
		*x = T(c.p.words[word-1])
		return
	}
	if c.count(&n); n > longWord {
		c.count(&at)
	}
	if at > 0 {
		apart := make([]byte, n)
		if err := c.p.long.Read(apart, int64(at)-1); err != nil { // nothing right can be said of the answer then
			panic(fmt.Sprintf("records: the text of an answer is lost: %v", err))
		}
		*x = T(apart)
		return
	}
	*x, c.b = T(c.b[:n]), c.b[n:]
}

func (c *coder) write(s string) {
	word, ok := c.p.known[s]
	if !ok && len(s) <= longWord && len(c.p.words) < mostWords {
		s = strings.Clone(s) // and not all of the line that it was read from
		c.p.words = append(c.p.words, s)
		word, ok = uint32(len(c.p.words)), true
		c.p.known[s] = word
	}
	c.b = binary.AppendUvarint(c.b, uint64(word))
	if ok {
		return
	}
	c.b = binary.AppendUvarint(c.b, uint64(len(s)))
	if len(s) > longWord {
		at, err := c.p.long.Add([]byte(s))
		if err == nil {
			c.b = binary.AppendUvarint(c.b, uint64(at)+1)
			return
		}
		c.b = append(c.b, 0) // no room for a temporary file: it stays in memory
	}
	c.b = append(c.b, s...)
}
