package serving

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"time"

	"infnet/backends/engine"
)

// health asks a server of this machine for its health. nil = it answered 200.
func health(ctx context.Context, t engine.Task) error {
	const patience = 5 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	url := fmt.Sprintf("http://%s:%d%s", engine.Host, t.Port, engine.Health(t))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Close = true
	if t.Key != "" {
		req.Header.Set("Authorization", "Bearer "+t.Key.Reveal())
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

// freePort finds a port of loopback that nobody listens on. It is below those that systems give to connections, which
// may take such a port before the server does.
func freePort() (int, error) {
	const first, last = 20000, 32000
	for try := 0; ; try++ {
		port := first + rand.IntN(last-first)
		if try == 100 {
			port = 0
		}
		l, err := net.Listen("tcp", net.JoinHostPort(engine.Host, strconv.Itoa(port)))
		if err == nil {
			return l.Addr().(*net.TCPAddr).Port, l.Close()
		}
		if port == 0 {
			return 0, err
		}
	}
}
