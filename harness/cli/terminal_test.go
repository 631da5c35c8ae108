package cli

import (
	"bytes"
	"testing"
)

func TestNothingHiddenReachesTheTerminal(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "é 日本 a\tb\n", "é 日本 a\tb\n"},
		{"escape", "\x1b[31mred\x1b[0m", "�[31mred�[0m"},
		{"bell, carriage return", "a\a\rb", "a��b"},
		{"C1 control", "a\u009b2Jb", "a�2Jb"},
		{"not UTF-8", "a\x9bb", "a�b"},
		{"direction override", "a\u202eb", "a�b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for size := 1; size <= len(c.in); size++ { // in pieces, too
				var out bytes.Buffer
				w := newVisible(&out)
				for rest := c.in; rest != ""; {
					n := min(size, len(rest))
					if got, err := w.Write([]byte(rest[:n])); got != n || err != nil {
						t.Fatal(got, err)
					}
					rest = rest[n:]
				}
				if out.String() != c.want {
					t.Errorf("pieces of %d: %q, want %q", size, out.String(), c.want)
				}
			}
		})
	}
}
