// Package wire carries the calls of a model to its servers over HTTP. It owns the connections, which are kept; the key
// and the headers that every call sends; which URL a call goes to and when it may start, which is later where a server
// refuses calls for coming too fast; the limits on a reply's time and size; reading it as JSON that says one thing; and
// what went wrong, as a failure without secrets. It knows no protocol: routes, bodies and what is an answer are the
// backends'. It refuses to retry, which backends/retry does; only a call that broke on a kept connection before a byte
// of an answer came is made again, on a new one.
//
// Its opinion: a reply belongs to one request. One whose id came with another request's is no answer, redirects are
// not followed, since they would carry the key along, and a reply that can be read in two ways is refused.
package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/redact"
)

const mostInFlight = 1 << 16

// Wire is the way to a model's servers. It is safe for concurrent use.
type Wire struct {
	Concurrency int              // calls in flight
	Secrets     *redact.Redactor // taken out of what a server says
	Unpaced     bool             // a refusal for coming too fast holds no other call back

	client    *http.Client
	balancer  *balancer
	places    chan struct{} // for calls in flight
	timeout   time.Duration
	maxBody   int64
	authorize func(http.Header) // sets the secret headers; a closure, so that printing a model cannot show them
	replies   replies
}

// Open prepares the way. It opens no connection. keyHeader is where the key stands alone; "" = as a bearer in
// Authorization. Errors name the setting that is wrong and hold no secret.
func Open(o backends.Access, keyHeader string) (*Wire, error) {
	ends, err := endpoints(o.URLs)
	if err != nil {
		return nil, err
	}
	o.Timeout, o.CoolDown = cmp.Or(o.Timeout, 2*time.Minute), cmp.Or(o.CoolDown, 10*time.Second)
	o.Concurrency, o.MaxBody = cmp.Or(o.Concurrency, 16), cmp.Or(o.MaxBody, 64<<20)
	switch {
	case o.Timeout < 0:
		return nil, fmt.Errorf("timeout = %v: want a time above zero", o.Timeout)
	case o.CoolDown < 0:
		return nil, fmt.Errorf("cool_down = %v: want a time above zero", o.CoolDown)
	case o.Concurrency < 1 || o.Concurrency > mostInFlight:
		return nil, fmt.Errorf("concurrency = %d: want 1 to %d", o.Concurrency, mostInFlight)
	case o.MaxBody < 0:
		return nil, fmt.Errorf("the longest reply has %d bytes: want a number that is not negative", o.MaxBody)
	}
	key, err := keyOf(o)
	if err != nil {
		return nil, err
	}
	secrets := []string{key.Reveal()} // no word of a server may hold them
	for _, v := range o.Headers {
		secrets = append(secrets, v.Reveal())
	}
	pool := http.DefaultTransport.(*http.Transport).Clone()
	pool.MaxIdleConns, pool.MaxIdleConnsPerHost = o.Concurrency*len(ends), o.Concurrency
	pool.DialContext = lanes(pool.DialContext)
	return &Wire{
		Concurrency: o.Concurrency, Secrets: redact.New(secrets...),
		client: &http.Client{
			Transport:     pool,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		balancer: &balancer{line: make(line, 1), all: ends, coolDown: o.CoolDown},
		places:   make(chan struct{}, o.Concurrency),
		timeout:  o.Timeout, maxBody: o.MaxBody, authorize: authorizer(key, keyHeader, o.Headers),
	}, nil
}

func keyOf(o backends.Access) (backends.Secret, error) {
	key := backends.Secret(strings.TrimSpace(o.APIKey.Reveal()))
	if key == "" && o.APIKeyEnv != "" {
		if key = backends.Secret(strings.TrimSpace(os.Getenv(o.APIKeyEnv))); key == "" {
			return "", fmt.Errorf("the environment variable %s with its API key is not set", o.APIKeyEnv)
		}
	}
	if strings.ContainsFunc(key.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.New("its API key holds a line break or another character that no key has: was a whole file put " +
			"into the variable?")
	}
	return key, nil
}

func authorizer(key backends.Secret, header string, headers map[string]backends.Secret) func(http.Header) {
	headers = maps.Clone(headers)
	return func(h http.Header) {
		switch {
		case key == "":
		case header == "":
			h.Set("Authorization", "Bearer "+key.Reveal())
		default:
			h.Set(header, key.Reveal())
		}
		for k, v := range headers {
			h.Set(k, v.Reveal())
		}
	}
}

// endpoints checks the URLs. No message repeats what may be a secret: a password, a query.
func endpoints(urls []string) ([]*Endpoint, error) {
	var out []*Endpoint
	for i, s := range urls {
		u, err := url.Parse(strings.TrimSpace(s))
		switch {
		case err != nil:
			return nil, fmt.Errorf("url %d is not a URL: want one like http://host:8000/v1", i+1)
		case u.User != nil:
			return nil, fmt.Errorf("url %d (%s) holds a user or password: name an environment variable with the key instead",
				i+1, u.Host)
		case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
			return nil, fmt.Errorf("url %d: want http:// or https:// and a host, as in http://host:8000/v1", i+1)
		case u.RawQuery != "" || u.Fragment != "":
			return nil, fmt.Errorf("url %d (%s) holds a query or fragment: give the base URL alone, as in http://host:8000/v1",
				i+1, u.Host)
		}
		base := strings.TrimRight(u.String(), "/")
		out = append(out, &Endpoint{Base: base, root: strings.TrimSuffix(base, "/v1")})
	}
	if len(out) == 0 {
		return nil, errors.New("it has no URL: urls = [\"http://host:8000/v1\"]")
	}
	return out, nil
}

// Endpoints are the URLs, in the order of the options.
func (w *Wire) Endpoints() []*Endpoint { return w.balancer.all }

// Through puts a server in this process in the network's place.
func (w *Wire) Through(server http.RoundTripper) { w.client.Transport = server }

// Close closes idle connections.
func (w *Wire) Close() error {
	w.client.CloseIdleConnections()
	return nil
}

// Confirm finds out who answers at each URL that is not known, by asking it.
func (w *Wire) Confirm(ctx context.Context, known func(url string) bool,
	ask func(context.Context, *Endpoint) (model string, err error)) (out []backends.Confirmation) {
	for _, e := range w.balancer.all {
		if known(e.Base) {
			continue
		}
		model, err := ask(ctx, e)
		if ctx.Err() != nil && err != nil {
			err = errors.Join(context.Cause(ctx), err)
		}
		out = append(out, backends.Confirmation{URL: e.Base, Model: model, Err: err})
	}
	return out
}

// Answered is the name in a reply, without secrets, of a protocol in which every reply has one. The failure is for a
// name that is not the same model as the one asked.
func (w *Wire) Answered(asked, name string, same func(asked, name string) bool) (string, *backends.Failure) {
	shown := w.Secrets.Text(httpfailure.Clean(name))
	switch {
	case name == asked:
		return name, nil
	case shown == "":
		return "", httpfailure.BadResponse("the reply names no model, and every reply of this protocol does")
	case same(asked, name):
		return shown, nil
	case same(asked, shown):
		return "", httpfailure.Unsaid(backends.OtherModel,
			"the model %q was asked, and one whose name differs in characters that do not show answered", asked)
	}
	return "", httpfailure.Unsaid(backends.OtherModel,
		"the model %q was asked, and %q answered: set served = %q if that is the one meant", asked, shown, shown)
}

// Answers answers requests, as many at a time as calls may be in flight. The error is the context's, where it ended
// before all were answered.
func (w *Wire) Answers(ctx context.Context, reqs []backends.Request,
	one func(context.Context, backends.Request) backends.Answer) ([]backends.Answer, error) {
	answers := make([]backends.Answer, len(reqs))
	if ctx.Err() == nil {
		w.Each(ctx, len(reqs), func(i int) { answers[i] = one(ctx, reqs[i]) })
	}
	left := func(a backends.Answer) bool { return a.Failure != nil || a.Key == backends.Key{} }
	if ctx.Err() != nil && slices.ContainsFunc(answers, left) {
		return nil, context.Cause(ctx)
	}
	return answers, nil
}

// Each asks for n things, as many at a time as calls may be in flight, until all are asked for or the context ends.
func (w *Wire) Each(ctx context.Context, n int, ask func(i int)) {
	if n == 1 { // the usual case, on the caller's own stack
		ask(0)
		return
	}
	work := make(chan int)
	var wg sync.WaitGroup
	for range min(n, w.Concurrency) {
		wg.Go(func() {
			for i := range work {
				ask(i)
			}
		})
	}
feed:
	for i := range n {
		select {
		case work <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(work)
	wg.Wait()
}
