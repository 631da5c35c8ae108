package recorded

import (
	"bufio"
	"io"
)

// finite reads JSON as Python writes it: NaN, Infinity and -Infinity, which JSON does not have, become the texts "NaN",
// "Infinity" and "-Infinity". Where nothing is read of them they do no harm; where a number is needed, the error can
// say what is there.
type finite struct {
	in              *bufio.Reader
	out             []byte // still to be given
	inside, escaped bool   // of a text
}

func newFinite(in io.Reader) *finite { return &finite{in: bufio.NewReaderSize(in, 1<<16)} }

func (f *finite) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if len(f.out) > 0 {
			k := copy(p[n:], f.out)
			f.out, n = f.out[k:], n+k
			continue
		}
		if n > 0 && f.in.Buffered() == 0 {
			break
		}
		c, err := f.in.ReadByte()
		if err != nil {
			return n, err
		}
		switch {
		case f.inside:
			f.inside, f.escaped = f.escaped || c != '"', !f.escaped && c == '\\'
		case c == '"':
			f.inside = true
		case c == 'N' || c == 'I' || c == '-':
			if word := f.literal(c); word != "" {
				f.out = []byte(`"` + word + `"`)
				continue
			}
		}
		p[n] = c
		n++
	}
	return n, nil
}

// literal takes a number that is none off the input, of which one byte is read; "" = there is none.
func (f *finite) literal(first byte) string {
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if rest, _ := f.in.Peek(len(word) - 1); word[0] == first && string(rest) == word[1:] {
			f.in.Discard(len(rest)) // is there
			return word
		}
	}
	return ""
}
