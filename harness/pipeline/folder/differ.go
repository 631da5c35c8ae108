package folder

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"infnet/harness/regular"
)

// difference says where two files first differ, "" where they are equal: the first line that does, in both versions,
// and of files that are no text the first byte. kept is the one that was there, again the one that was made again.
// They are read side by side, a line at a time.
func difference(kept, again string) (string, error) {
	a, err := regular.Open(kept)
	if err != nil {
		return "", err
	}
	defer a.Close()
	b, err := regular.Open(again)
	if err != nil {
		return "", err
	}
	defer b.Close()
	x, y := bufio.NewReader(a), bufio.NewReader(b)
	ends := ""
	for line, at := 1, 0; ; line++ {
		p, errP := x.ReadString('\n')
		q, errQ := y.ReadString('\n')
		for _, err := range []error{errP, errQ} {
			if err != nil && !errors.Is(err, io.EOF) {
				return "", err
			}
		}
		same := 0
		for same < min(len(p), len(q)) && p[same] == q[same] {
			same++
		}
		switch {
		case p == "" && q == "":
			return ends, nil
		case p == q:
		case strings.ContainsRune(p+q, 0):
			return fmt.Sprintf("differs from byte %d on", at+same+1), nil
		case p == "" || q == "" || strings.TrimRight(p, "\r\n") != strings.TrimRight(q, "\r\n"):
			return fmt.Sprintf("line %d is\n    %s\n  and made again\n    %s", line, excerpt(p, same), excerpt(q, same)), nil
		default:
			ends = "differs in how its lines end"
		}
		at += len(p)
	}
}

// excerpt is a line as a message can hold it: the part around its byte from, where it is long.
func excerpt(line string, from int) string {
	const longest, before = 160, 40
	if line == "" {
		return "(no such line)"
	}
	text, start := strings.TrimRight(line, "\r\n"), 0
	if len(text) > longest && from > longest-before {
		start = from - before
	}
	end := min(len(text), start+longest)
	out := text[start:end]
	if start > 0 {
		out = "…" + out
	}
	if end < len(text) {
		out += "…"
	}
	return strings.ToValidUTF8(out, "\ufffd")
}
