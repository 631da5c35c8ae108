// Package health asks a server of this machine whether it works yet. It owns that one
// call, and the choice of a server's port. It refuses to judge answers: that a server is healthy does not mean that it
// can answer.
package health

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"time"

	"infnet/backends"
)

// patience limits one call.
const patience = 5 * time.Second

// Check calls a route of a server. nil = it answered 200.
func Check(ctx context.Context, url string, key backends.Secret) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Close = true
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key.Reveal())
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // no proxy: it is on loopback
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, resp.Status)
	}
	return nil
}

// FreePort finds a port of loopback that nobody listens on. It is below those that systems give to connections, which
// may take such a port before the server does.
func FreePort() (int, error) {
	const first, last = 20000, 32000
	for try := 0; ; try++ {
		port := first + rand.IntN(last-first)
		if try == 100 {
			port = 0
		}
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return l.Addr().(*net.TCPAddr).Port, l.Close()
		}
		if port == 0 {
			return 0, err
		}
	}
}
