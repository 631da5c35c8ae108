package openai

import (
	"errors"
	"hash/maphash"
	"strings"
	"sync"
	"unicode"

	"infnet/backends"
)

// uniqueLength is the number of letters and digits, prefix excluded, from which on an id is taken
// as unique to a reply. Servers draw 16 or more; Ollama draws one of a thousand, TGI writes none.
const uniqueLength = 12

// replies remembers which request each reply's id answered. A server or proxy that sends one reply
// to two requests answers the second with the text of the first. A cache that gives the same
// request the same reply does no harm.
type replies struct {
	mu   sync.Mutex
	seed maphash.Seed
	seen map[uint64]uint64 // request by id, both hashed
}

// note refuses a reply whose id came with another request's.
func (r *replies) note(id string, request []byte) *backends.Failure {
	if !identifies(id) {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen == nil {
		r.seed, r.seen = maphash.MakeSeed(), map[uint64]uint64{}
	}
	name, asked := maphash.String(r.seed, id), maphash.Bytes(r.seed, request)
	if before, ok := r.seen[name]; ok && before != asked {
		return badResponse("the reply has the id %q, which the reply to another request had: it is not the answer to "+
			"this one", short(id))
	}
	r.seen[name] = asked
	return nil
}

// identifies reports whether an id is long enough to be one reply's alone.
func identifies(id string) bool {
	_, own, ok := strings.Cut(id, "-")
	if !ok {
		own = id
	}
	n := 0
	for _, c := range own {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			n++
		}
	}
	return n >= uniqueLength
}

// keeps reports whether a call may use, and leave, a kept connection: where replies are numbered
// (HTTP/2). Otherwise a stray response between a request and its reply could not be recognised, and
// every later reply on that connection would answer the previous request. So each call gets a new
// connection.
func (t *transport) keeps(e *endpoint) bool { return e.numbered.Load() }

// scrubbed takes the secrets out of a failure's message.
func (t *transport) scrubbed(f *backends.Failure) *backends.Failure {
	clean := *f
	clean.Message = t.secrets.Text(f.Message)
	return &clean
}

// scrubProbe takes the secrets out of what a probe found.
func (m *client) scrubProbe(p *Probe, err error) error {
	words := m.transport.secrets.Text
	p.Server, p.Version = words(p.Server), words(p.Version)
	for _, list := range [][]string{p.Models, p.Notes} {
		for i := range list {
			list[i] = words(list[i])
		}
	}
	var f *backends.Failure
	if errors.As(err, &f) {
		return m.transport.scrubbed(f)
	}
	return err
}
