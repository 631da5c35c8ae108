package redact

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// The secrets that this process has used. They belong to the process and not to a client: a server may repeat
// the key of another one, and what is printed has forgotten where it came from.
var (
	learning sync.Mutex
	learned  []string
	known    atomic.Pointer[Redactor]
)

// Learn makes secrets known. Whatever hands out the text of one calls it first.
func Learn(secrets ...string) {
	learning.Lock()
	defer learning.Unlock()
	before := len(learned)
	for _, s := range secrets {
		if s = strings.TrimSpace(s); len(s) >= shortest && !slices.Contains(learned, s) {
			learned = append(learned, s)
		}
	}
	if len(learned) > before {
		known.Store(build(learned))
	}
}

// Known is the redactor of all secrets that were learned; nil = none were.
func Known() *Redactor { return known.Load() }

// Clean is a line of JSON in which no known secret is left. Only Line makes one.
type Clean struct{ line []byte }

// Line takes the known secrets out of a line of JSON. altered says that it held one. A secret that cannot be
// taken out, since no JSON is left without it, empties the line.
func Line(line []byte) (c Clean, altered bool) {
	r := Known()
	clean := r.Sure(string(line))
	if clean == string(line) {
		return Clean{line}, false
	}
	if !json.Valid([]byte(clean)) {
		clean = ""
	}
	return Clean{[]byte(clean)}, true
}

// Bytes returns the line.
func (c Clean) Bytes() []byte { return c.line }
