package view

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"time"

	"infnet/harness/fault"
)

// Address is where a site is served.
type Address struct {
	URL  string // for people
	Once string // for the browser that is started: it opens one time
}

// Serve serves a site on the loopback interface until ctx is done. Port 0 is one that is free. ready is called once
// requests are answered.
func Serve(ctx context.Context, s *Site, port int, ready func(Address)) error {
	listener, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return fault.Usage.Wrap(fmt.Errorf("cannot listen on port %d of this machine: %w; --port 0 takes one that is free",
			port, err))
	}
	word, once := rand.Text(), rand.Text()
	server := &http.Server{
		Handler: s.Handler(word, once), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 1 << 15, ErrorLog: log.New(io.Discard, "", 0), // it would name addresses, which hold the word
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		server.Close() // nothing is being written: whoever reads may be cut off
	}()
	base := "http://" + listener.Addr().String() + "/"
	ready(Address{URL: base + word + "/", Once: base + "open/" + once})
	err = server.Serve(listener)
	if errors.Is(err, http.ErrServerClosed) {
		<-stopped
		return nil
	}
	return err
}
