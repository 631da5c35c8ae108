package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"infnet/backends/redact"
)

// visible replaces invisible characters. All terminal output passes through it, since labels, ids,
// names, prompts and server messages may contain anything. Control characters other than line feed
// and tab, direction overrides and bytes that are not UTF-8 become U+FFFD. The two sequences that
// tables are emphasised with pass where w is a terminal.
type visible struct {
	w        io.Writer
	emphasis bool
	rest     []byte // beginning of a character whose other bytes are still to come
}

// emphases begin and end bold face.
var emphases = [][]byte{[]byte("\x1b[1m"), []byte("\x1b[0m")}

func newVisible(w io.Writer) *visible { return &visible{w: w, emphasis: terminalWidth(w) > 0} }

func (v *visible) Write(p []byte) (int, error) {
	in := append(v.rest, withoutKeys(p)...)
	v.rest = nil
	out := make([]byte, 0, len(in))
	for len(in) > 0 {
		if v.emphasis && in[0] == 0x1b {
			i := slices.IndexFunc(emphases, func(e []byte) bool { return bytes.HasPrefix(in, e) })
			if i >= 0 {
				out, in = append(out, emphases[i]...), in[len(emphases[i]):]
				continue
			}
		}
		if !utf8.FullRune(in) {
			v.rest = bytes.Clone(in)
			break
		}
		r, n := utf8.DecodeRune(in)
		if hidden(r) {
			r = utf8.RuneError
		}
		out, in = utf8.AppendRune(out, r), in[n:]
	}
	if _, err := v.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// withoutKeys takes the secrets out that this process has used, whoever says them.
func withoutKeys(p []byte) []byte {
	if k := redact.Known(); k != nil {
		return []byte(k.Sure(string(p)))
	}
	return p
}

// hidden reports a character that a terminal obeys instead of showing it.
func hidden(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' ||
		r == '\u2029')
}

// inJSON writes JSON in which hidden characters are escaped. They occur only inside strings, so a
// reader gets every text as it was. Each Write holds whole values.
type inJSON struct{ w io.Writer }

func (j inJSON) Write(p []byte) (int, error) {
	out := make([]byte, 0, len(p))
	for _, r := range string(withoutKeys(p)) {
		if hidden(r) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	if _, err := j.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// beneath returns the writer under a visible one.
func beneath(w io.Writer) io.Writer {
	if v, ok := w.(*visible); ok {
		return v.w
	}
	return w
}

// clean makes text safe for a terminal: control characters, which could move
// the cursor or hide text, become a visible replacement; line ends stay.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if hidden(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}
