package decide

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"time"

	"infnet/harness/fault"
)

// Limits of a connection. A decision takes microseconds; a body may come over a slow line.
const (
	readHeader = 5 * time.Second
	transfer   = 15 * time.Second
	idle       = 2 * time.Minute
	farewell   = 5 * time.Second // for requests under way when the server is told to stop
)

// Serve answers requests at an address until ctx is done, and those under way to their end. Port 0 is one that is free.
// An address that other machines reach must be meant (public), and needs a key. ready is called with the address in
// use.
func Serve(ctx context.Context, d *Decider, address string, public bool, ready func(address string)) error {
	if err := check(address, public, d.options.Key != ""); err != nil {
		return fault.Usage.Wrap(err)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fault.Usage.Wrap(fmt.Errorf("cannot listen at %s: %w; port 0 takes one that is free", address, err))
	}
	server := &http.Server{
		Handler: d, ReadHeaderTimeout: readHeader, ReadTimeout: transfer, WriteTimeout: transfer, IdleTimeout: idle,
		MaxHeaderBytes: 1 << 15, ErrorLog: log.New(io.Discard, "", 0),
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
		defer cancel()
		if server.Shutdown(last) != nil {
			server.Close()
		}
	}()
	ready(listener.Addr().String())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-stopped
	return nil
}

// check refuses an address that is none, and one that other machines reach where that is not meant.
func check(address string, public, key bool) error {
	at, err := netip.ParseAddrPort(address)
	switch {
	case err != nil:
		return fmt.Errorf("--listen %s is no address and port: write such as 127.0.0.1:8090 or [::1]:8090", address)
	case at.Addr().IsLoopback():
		return nil
	case !public:
		return fmt.Errorf("--listen %s is reached by other machines: say --public where that is meant, or listen at "+
			"127.0.0.1", address)
	case !key:
		return fmt.Errorf("--listen %s is reached by other machines: it needs a key, with --key-file", address)
	}
	return nil
}
