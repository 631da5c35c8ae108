package hosted

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
)

// scheme is that of the addresses which langchaingo's clients of Mistral and Cohere are given. Neither takes an HTTP
// client: they use net/http's default transport, which knows this scheme as one of ours (RegisterProtocol), and
// hands a request for it to the transport that the host names. No connection is made for it.
const scheme = "infnet-hosted"

// routes are the addresses of clients that take no HTTP client.
type routes struct {
	mu    sync.Mutex
	last  atomic.Uint64
	calls map[string]call
}

// call is who asks at an address. The client of Mistral drops the context, so each of its calls has an address, which
// keeps it; the client of Cohere has one address for all its calls, whose requests have their own.
type call struct {
	ctx       context.Context // nil = the request's
	transport *transport
}

// routed returns the routes, known to net/http's default transport. The error is for a program that replaced it.
var routed = sync.OnceValues(func() (*routes, error) {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return nil, errors.New("the default HTTP transport was replaced: this provider's client cannot be given another one")
	}
	r := &routes{calls: map[string]call{}}
	t.RegisterProtocol(scheme, r)
	return r, nil
})

// open makes an address of a client's own, which is known until done.
func (r *routes) open(t *transport) (address string, done func()) { return r.add(call{transport: t}) }

// openFor makes an address for one call, whose context its requests get.
func (r *routes) openFor(ctx context.Context, t *transport) (address string, done func()) {
	return r.add(call{ctx, t})
}

func (r *routes) add(c call) (address string, done func()) {
	host := "call-" + strconv.FormatUint(r.last.Add(1), 10)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls[host] = c
	return scheme + "://" + host, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.calls, host)
	}
}

// RoundTrip hands a request to its call.
func (r *routes) RoundTrip(req *http.Request) (*http.Response, error) {
	r.mu.Lock()
	c, ok := r.calls[req.URL.Host]
	r.mu.Unlock()
	if !ok {
		return nil, errors.New("hosted: a request for a call that is over")
	}
	if c.ctx != nil {
		req = req.WithContext(c.ctx)
	}
	return c.transport.RoundTrip(req)
}
