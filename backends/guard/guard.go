// Package guard keeps a stray response from being taken for the answer to a later request. It owns
// the connections below an HTTP/1.1 client: it decides which bytes belong to a request that was
// made and which are unsolicited.
//
// Its opinion: a connection that carried unsolicited bytes is closed before it carries another
// request. net/http notices such bytes only if they arrive while a connection is idle and its
// reader runs before the next request. This package reads nothing from an idle connection, and
// checks for unread bytes before it writes the next request.
//
// It covers unencrypted connections, also through a proxy, and TLS connections that carry HTTP/1.1.
// HTTP/2 numbers its responses and needs no guard. It does not cover TLS through a proxy's tunnel,
// systems on which a socket cannot be peeked (Windows; net/http's own check remains), or bytes that
// arrive after the next request was written and before its response. Only the content of the
// response can reveal those.
package guard

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
)

// ErrUnasked says that a connection held unsolicited bytes. net/http then uses another connection;
// callers see the error only if there is none.
var ErrUnasked = errors.New("the connection held an unsolicited response")

// Transport is an http.Transport over guarded connections.
type Transport struct {
	*http.Transport
	unasked atomic.Int64
}

// New guards a transport, which must not be used by itself any more.
func New(t *http.Transport) *Transport {
	g := &Transport{Transport: t}
	dial := t.DialContext
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return g.guard(c, c), nil
	}
	if t.DialTLSContext == nil {
		t.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return g.encrypt(ctx, c, address)
		}
	}
	return g
}

// encrypt makes the TLS connection that net/http would make.
func (g *Transport) encrypt(ctx context.Context, c net.Conn, address string) (net.Conn, error) {
	cfg := g.TLSClientConfig.Clone()
	if cfg == nil {
		cfg = &tls.Config{}
	}
	if cfg.ServerName == "" {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			_ = c.Close()
			return nil, err
		}
		cfg.ServerName = host
	}
	if len(cfg.NextProtos) == 0 {
		cfg.NextProtos = []string{"http/1.1"}
		if g.ForceAttemptHTTP2 {
			cfg.NextProtos = []string{"h2", "http/1.1"}
		}
	}
	if g.TLSHandshakeTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, g.TLSHandshakeTimeout)
		defer cancel()
	}
	t := tls.Client(&records{Conn: c}, cfg)
	if err := t.HandshakeContext(ctx); err != nil {
		_ = c.Close()
		return nil, err
	}
	if t.ConnectionState().NegotiatedProtocol == "h2" {
		return t, nil
	}
	return g.guard(t, c), nil
}

func (g *Transport) guard(c, socket net.Conn) *conn {
	out := &conn{Conn: c, socket: socket, unasked: &g.unasked}
	out.turn = sync.NewCond(&out.mu)
	return out
}

// Unasked is the number of connections that held unsolicited bytes. Not all encrypted ones are
// counted.
func (g *Transport) Unasked() int64 { return g.unasked.Load() }

// RoundTrip makes a request. A connection is guarded from its first request on.
func (g *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if c, ok := info.Conn.(*conn); ok {
			c.begin()
		}
	}})
	return g.Transport.RoundTrip(req.WithContext(ctx))
}

// conn is a connection that knows whether a response is due.
type conn struct {
	net.Conn
	socket  net.Conn // below an encryption
	unasked *atomic.Int64

	mu      sync.Mutex
	turn    *sync.Cond // due, refused or closed has changed
	watched bool       // a request was made on it
	due     bool       // a response, or the rest of one
	frame   frame      // of that response
	refused error      // set once unsolicited bytes arrived
	closed  bool
}

// begin says that a request is about to be written. If bytes arrived since the last response ended,
// the connection is unusable: writing to it fails before a byte is sent, and net/http uses another.
func (c *conn) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused != nil || c.closed {
		return
	}
	switch {
	case !c.watched:
	case c.due:
		c.refuse(errors.New("the last response has no end"))
		return
	default:
		unread, ended := waiting(c.socket)
		if unread {
			if c.Conn == c.socket { // encrypted, it may be a farewell
				c.unasked.Add(1)
			}
			c.refuse(ErrUnasked)
			return
		}
		if ended {
			c.refuse(net.ErrClosed)
			return
		}
	}
	c.watched, c.due, c.frame = true, true, frame{}
	c.turn.Broadcast()
}

// refuse closes the connection for good; c.mu is held.
func (c *conn) refuse(err error) {
	c.refused = err
	c.turn.Broadcast()
	_ = c.Conn.Close()
}

// Write fails without sending anything if the connection is unusable.
func (c *conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	err := c.refused
	c.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// Read returns bytes of the expected response, and waits if none is expected. It returns nothing
// beyond the response's end.
func (c *conn) Read(p []byte) (int, error) {
	c.mu.Lock()
	for c.watched && !c.due && c.refused == nil && !c.closed && canLook {
		c.turn.Wait()
	}
	err := c.refused
	c.mu.Unlock()
	if err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.refused != nil:
		return 0, c.refused
	case !c.watched: // net/http reads before the first request
		return n, err
	}
	if n > 0 && !c.due { // only where a socket cannot be looked into
		c.unasked.Add(1)
		c.refuse(ErrUnasked)
		return 0, ErrUnasked
	}
	own, done := c.frame.take(p[:n])
	if done {
		c.due = false
		if own < n {
			c.unasked.Add(1)
			c.refuse(ErrUnasked)
			return own, nil
		}
	}
	return n, err
}

// Close wakes whoever waits.
func (c *conn) Close() error {
	c.mu.Lock()
	c.closed = true
	c.turn.Broadcast()
	c.mu.Unlock()
	return c.Conn.Close()
}
