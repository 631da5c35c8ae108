package wire

import (
	"context"
	"crypto/tls"
	"hash/maphash"
	"net"
	"strings"
	"sync"
	"unicode"

	"infnet/backends"
	"infnet/backends/httpfailure"
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

// Owns refuses a reply whose id, as its protocol writes it, came with the reply to another request. Its connection is
// closed: what comes on it next may be this request's.
func (r *Reply) Owns(id string) *backends.Failure {
	if !identifies(id) {
		return nil
	}
	all := &r.wire.replies
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.seen == nil {
		all.seed, all.seen = maphash.MakeSeed(), map[uint64]uint64{}
	}
	name, asked := maphash.String(all.seed, id), maphash.Bytes(all.seed, r.request)
	if before, ok := all.seen[name]; ok && before != asked {
		if r.lane != nil {
			r.lane.lost = true
			_ = r.lane.Close()
		}
		return httpfailure.BadResponse("the reply has the id %.60q, which the reply to another request had: it is not the "+
			"answer to this one", id)
	}
	all.seen[name] = asked
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

// lane is a connection on which a call begins once the reply before it was judged: what follows a reply that was
// another request's belongs to nobody.
type lane struct {
	net.Conn
	turn sync.Mutex
	lost bool // whose turn it is has to leave
}

type dialer func(ctx context.Context, network, address string) (net.Conn, error)

func lanes(dial dialer) dialer {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &lane{Conn: c}, nil
	}
}

// enter waits for the connection's turn. HTTP/2 numbers its replies, and needs none.
func (r *Reply) enter(c net.Conn) {
	if encrypted, ok := c.(*tls.Conn); ok {
		if encrypted.ConnectionState().NegotiatedProtocol == "h2" {
			return
		}
		c = encrypted.NetConn()
	}
	if l, ok := c.(*lane); ok {
		l.turn.Lock()
		r.lane = l
	}
}

func (r *Reply) leave() {
	if r.lane != nil {
		r.lane.turn.Unlock()
		r.lane = nil
	}
}
