package extract

import (
	"bytes"

	"infnet/backends/wording"
)

// only returns a reply in which all but some of its parts are spaces: so nothing in them is found, what is found keeps
// its place, and what they separate is not read as one.
func only(reply string, parts []wording.Part) string {
	if len(parts) == 1 && parts[0] == (wording.Part{First: 0, Last: len(reply)}) {
		return reply
	}
	out := bytes.Repeat([]byte(" "), len(reply))
	for _, p := range parts {
		copy(out[p.First:p.Last], reply[p.First:p.Last])
	}
	return string(out)
}
