package store

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"infnet/backends"
)

// cursor reads a line's members in the order in which appendAnswer writes them, without reflection.
// Whatever is there instead makes it stray: the line is read by encoding/json then, which knows
// members in any order and all that was ever written.
type cursor struct {
	rest   []byte
	astray bool
}

// is takes the literal if it comes next.
func (c *cursor) is(literal string) bool {
	if len(c.rest) < len(literal) || string(c.rest[:len(literal)]) != literal {
		return false
	}
	c.rest = c.rest[len(literal):]
	return true
}

// want takes a literal that has to come next.
func (c *cursor) want(literal string) {
	if !c.is(literal) {
		c.astray = true
	}
}

// text reads a text. Texts that are not UTF-8 lead astray.
func (c *cursor) text() string {
	c.want(`"`)
	end := bytes.IndexByte(c.rest, '"')
	if c.astray || end < 0 {
		c.astray = true
		return ""
	}
	plain := true
	for _, b := range c.rest[:end] {
		plain = plain && b != '\\'
		c.astray = c.astray || b < 0x20
	}
	if plain {
		s := string(c.rest[:end])
		c.rest = c.rest[end+1:]
		return s
	}
	for end = 0; end < len(c.rest) && c.rest[end] != '"'; end++ {
		if c.rest[end] == '\\' {
			end++
		}
	}
	if end >= len(c.rest) {
		c.astray = true
		return ""
	}
	quoted := append(append(make([]byte, 0, end+2), '"'), c.rest[:end+1]...)
	c.rest = c.rest[end+1:]
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		c.astray = true
	}
	return s
}

// digits takes a number: -?(0|[1-9][0-9]*)(.[0-9]+)?(e[+-]?[0-9]+)?
func (c *cursor) digits() string {
	n := 0
	is := func(b byte) bool {
		if n < len(c.rest) && c.rest[n] == b {
			n++
			return true
		}
		return false
	}
	some := func() {
		from := n
		for n < len(c.rest) && c.rest[n]-'0' < 10 {
			n++
		}
		c.astray = c.astray || n == from
	}
	is('-')
	if !is('0') {
		some()
	}
	if is('.') {
		some()
	}
	if is('e') {
		if !is('+') {
			is('-')
		}
		some()
	}
	s := string(c.rest[:n])
	c.rest = c.rest[n:]
	return s
}

func (c *cursor) whole() int64 {
	n, err := strconv.ParseInt(c.digits(), 10, 64)
	if err != nil {
		c.astray = true
	}
	return n
}

func (c *cursor) count() backends.Count {
	n := c.whole()
	if n < 0 || n > math.MaxInt32 || c.astray {
		c.astray = true
		return backends.Count{}
	}
	return backends.Counted(int(n))
}

// number is number.UnmarshalJSON.
func (c *cursor) number() float64 {
	switch {
	case c.is(`"nan"`):
		return math.NaN()
	case c.is(`"inf"`):
		return math.Inf(1)
	case c.is(`"-inf"`):
		return math.Inf(-1)
	}
	f, err := strconv.ParseFloat(c.digits(), 64)
	if err != nil {
		c.astray = true
	}
	return f
}

// optional reads a number that may not be there.
func (c *cursor) optional(name string) *float64 {
	if !c.is(name) {
		return nil
	}
	f := c.number()
	return &f
}

// word reads a text that may not be there.
func (c *cursor) word(name string) string {
	if !c.is(name) {
		return ""
	}
	return c.text()
}

// list reads a list at its bracket, an element at a time.
func (c *cursor) list(element func()) {
	for first := true; !c.astray; first = false {
		if c.is("]") && !first {
			return
		}
		if !first {
			c.want(",")
		}
		element()
	}
}

// readAnswer decodes a line as appendAnswer wrote it; ok is false where something else wrote it.
func readAnswer(line []byte) (r Record, ok bool) {
	c := &cursor{rest: line, astray: !utf8.Valid(line)}
	a := &r.Answer
	if c.key(&a.Key); c.astray {
		return r, false
	}
	c.want(`","id":`)
	r.Example = c.text()
	c.want(`,"text":`)
	a.Text = c.text()
	if c.is(`,"tokens":[`) {
		c.list(func() { a.Tokens = append(a.Tokens, c.token()) })
	}
	if c.is(`,"labels":[`) {
		c.list(func() { a.Labels = append(a.Labels, c.label()) })
	}
	c.usage(&a.Usage)
	a.Usage = backends.Believe(a.Usage, a.Text == "" && len(a.Tokens) == 0) // older lines have 0 for what is unknown
	if c.is(`,"truncated":`) {
		a.Truncated = int(c.whole())
	}
	a.NoLogprobs = c.is(`,"no_logprobs":true`)
	a.Confidence = c.optional(`,"confidence":`)
	a.By = backends.LabelMode(c.word(`,"by":`))
	if c.is(`,"mass":[`) {
		a.LabelMass = &backends.Mass{Low: c.number()}
		c.want(",")
		a.LabelMass.High = c.number()
		c.want("]")
	}
	a.Finish, a.Model = backends.Finish(c.word(`,"finish":`)), c.word(`,"model":`)
	a.Grade = c.optional(`,"grade":`)
	if c.is(`,"cost":{"amount":`) {
		a.Cost = &backends.Money{Amount: c.number()}
		c.want(`,"currency":`)
		a.Cost.Currency = c.text()
		c.want("}")
	}
	a.Whole = c.is(`,"whole":true`)
	a.Batch = c.word(`,"batch":`)
	a.System = c.word(`,"system":`)
	c.want(`,"latency_ns":`)
	a.Latency = time.Duration(c.whole())
	return r, c.ended()
}

// key reads the key that a line starts with, up to its quote.
func (c *cursor) key(k *backends.Key) {
	c.want(keyMark)
	if c.astray || len(c.rest) < 2*len(k) {
		c.astray = true
		return
	}
	if _, err := hex.Decode(k[:], c.rest[:2*len(k)]); err != nil {
		c.astray = true
	}
	c.rest = c.rest[2*len(k):]
}

// ended reports whether the line ends here, with its checksum or without, and was as expected.
func (c *cursor) ended() bool {
	if c.is(crcMark) && len(c.rest) == crcTail-len(crcMark) {
		c.rest = c.rest[len(c.rest)-1:]
	}
	return !c.astray && string(c.rest) == "}"
}

func (c *cursor) token() backends.Token {
	c.want(`{"t":`)
	t := backends.Token{Text: c.text()}
	c.want(`,"lp":`)
	t.Logprob = c.number()
	t.End = c.is(`,"end":true`)
	if c.is(`,"top":[`) {
		c.list(func() {
			o := c.token()
			c.astray = c.astray || o.End || o.Top != nil
			t.Top = append(t.Top, backends.Alternative{Text: o.Text, Logprob: o.Logprob})
		})
	}
	c.want("}")
	return t
}

func (c *cursor) label() (s backends.LabelScore) {
	c.want(`{"lp":`)
	s.Logprob = c.number()
	if s.Seen = c.is(`,"seen":true}`); !s.Seen {
		c.want(`,"seen":false}`)
	}
	return s
}

func (c *cursor) usage(u *backends.Usage) {
	c.want(`,"usage":{`)
	if c.is(`"prompt":`) {
		u.Prompt = c.count()
		c.want(",")
	}
	if c.is(`"completion":`) {
		u.Completion = c.count()
		c.want(",")
	}
	c.want(`"cached":`)
	u.Cached = int(c.whole())
	c.want("}")
}
