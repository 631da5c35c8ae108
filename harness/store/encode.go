package store

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"

	"infnet/backends"
)

// encodeAnswer is appendAnswer to nothing.
func encodeAnswer(r Record) ([]byte, error) {
	return appendAnswer(make([]byte, 0, 256+len(r.Answer.Text)+32*len(r.Answer.Tokens)), r)
}

// appendAnswer appends an answer's line as encoding/json writes a wireAnswer, byte for byte, without
// reflection. A million answers pass through here.
func appendAnswer(b []byte, r Record) ([]byte, error) {
	a := r.Answer
	b = append(b, keyMark...)
	b = hex.AppendEncode(b, a.Key[:])
	b = append(b, `","id":`...)
	b = appendText(b, r.Example)
	b = append(b, `,"text":`...)
	b = appendText(b, a.Text)
	if len(a.Tokens) > 0 {
		b = append(b, `,"tokens":[`...)
		for i, t := range a.Tokens {
			b = appendToken(comma(b, i), t)
		}
		b = append(b, ']')
	}
	if len(a.Labels) > 0 {
		b = append(b, `,"labels":[`...)
		for i, s := range a.Labels {
			b = append(comma(b, i), `{"lp":`...)
			b = appendNumber(b, s.Logprob)
			b = append(b, `,"seen":`...)
			b = append(strconv.AppendBool(b, s.Seen), '}')
		}
		b = append(b, ']')
	}
	b = appendUsage(b, a.Usage)
	if a.Truncated != 0 {
		b = append(b, `,"truncated":`...)
		b = strconv.AppendInt(b, int64(a.Truncated), 10)
	}
	if a.NoLogprobs {
		b = append(b, `,"no_logprobs":true`...)
	}
	b = appendOptional(b, `,"confidence":`, a.Confidence)
	b = appendWord(b, `,"by":`, string(a.By))
	if m := a.LabelMass; m != nil {
		b = append(b, `,"mass":[`...)
		b = append(appendNumber(b, m.Low), ',')
		b = append(appendNumber(b, m.High), ']')
	}
	b = appendWord(b, `,"finish":`, string(a.Finish))
	b = appendWord(b, `,"model":`, a.Model)
	b = appendOptional(b, `,"grade":`, a.Grade)
	if a.Cost != nil {
		cost, err := json.Marshal(a.Cost)
		if err != nil {
			return nil, err
		}
		b = append(b, `,"cost":`...)
		b = append(b, cost...)
	}
	if a.Whole {
		b = append(b, `,"whole":true`...)
	}
	b = appendWord(b, `,"batch":`, a.Batch)
	b = appendWord(b, `,"system":`, a.System)
	b = append(b, `,"latency_ns":`...)
	b = strconv.AppendInt(b, int64(a.Latency), 10)
	return append(b, '}'), nil
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ',')
	}
	return b
}

func appendToken(b []byte, t backends.Token) []byte {
	b = append(b, `{"t":`...)
	b = appendText(b, t.Text)
	b = append(b, `,"lp":`...)
	b = appendNumber(b, t.Logprob)
	if t.End {
		b = append(b, `,"end":true`...)
	}
	if len(t.Top) > 0 {
		b = append(b, `,"top":[`...)
		for i, o := range t.Top {
			b = appendToken(comma(b, i), backends.Token{Text: o.Text, Logprob: o.Logprob})
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

func appendUsage(b []byte, u backends.Usage) []byte {
	b = append(b, `,"usage":{`...)
	if n, ok := u.Prompt.Known(); ok {
		b = append(b, `"prompt":`...)
		b = append(strconv.AppendInt(b, int64(n), 10), ',')
	}
	if n, ok := u.Completion.Known(); ok {
		b = append(b, `"completion":`...)
		b = append(strconv.AppendInt(b, int64(n), 10), ',')
	}
	b = append(b, `"cached":`...)
	return append(strconv.AppendInt(b, int64(u.Cached), 10), '}')
}

// appendOptional appends a number that may not be there.
func appendOptional(b []byte, name string, f *float64) []byte {
	if f == nil {
		return b
	}
	return appendNumber(append(b, name...), *f)
}

// appendWord appends a text unless it is empty.
func appendWord(b []byte, name, s string) []byte {
	if s == "" {
		return b
	}
	return appendText(append(b, name...), s)
}

// appendNumber is number.MarshalJSON.
func appendNumber(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, `"nan"`...)
	case math.IsInf(f, 1):
		return append(b, `"inf"`...)
	case math.IsInf(f, -1):
		return append(b, `"-inf"`...)
	}
	return strconv.AppendFloat(b, f, 'g', -1, 64)
}

// appendText is text.MarshalJSON.
func appendText(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		b = append(b, `{"b64":"`...)
		b = base64.StdEncoding.AppendEncode(b, []byte(s))
		return append(b, `"}`...)
	}
	const digits = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&' && c != 0xe2 {
			continue
		}
		if c == 0xe2 { // U+2028 and U+2029 end lines in JavaScript
			if s[i+1] == 0x80 && s[i+2]|1 == 0xa9 {
				b = append(append(b, s[from:i]...), `\u202`...)
				b = append(b, digits[s[i+2]&0xf])
				i += 2
				from = i + 1
			}
			continue
		}
		b = append(b, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xf])
		}
	}
	return append(append(b, s[from:]...), '"')
}
