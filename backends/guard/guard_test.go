package guard

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"
)

// stray is a raw HTTP/1.1 server that answers with what was asked, and says
// an unsolicited response, at a moment of the test's choice.
type stray struct {
	moment  string
	wrap    func(net.Conn) net.Conn
	chunked bool
	said    chan struct{} // hears when all was said
}

func (s *stray) response(text string) string {
	if s.chunked {
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: "+
			"chunked\r\n\r\n%x\r\n%s\r\n3;x=y\r\nabc\r\n0\r\nTrailer: x\r\n\r\n", len(text), text)
	}
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%sabc", len(text)+3, text)
}

func (s *stray) serve(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if s.wrap != nil {
				c = s.wrap(c)
			}
			go s.answer(c)
		}
	}()
	return l.Addr().String()
}

func (s *stray) answer(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	for {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, _ := io.ReadAll(req.Body)
		good, bad := s.response("good "+string(body)), s.response("stray")
		switch s.moment {
		case "same packet":
			_, _ = io.WriteString(c, good+bad)
		case "half of it in the same packet":
			_, _ = io.WriteString(c, good+bad[:20])
			time.Sleep(time.Millisecond)
			_, _ = io.WriteString(c, bad[20:])
		case "at once":
			_, _ = io.WriteString(c, good)
			_, _ = io.WriteString(c, bad)
		case "while idle":
			_, _ = io.WriteString(c, good)
			time.Sleep(2 * time.Millisecond)
			_, _ = io.WriteString(c, bad)
		case "one byte":
			_, _ = io.WriteString(c, good+"H")
		case "closed":
			_, _ = io.WriteString(c, good)
			_ = c.Close()
		default:
			_, _ = io.WriteString(c, good)
		}
		s.said <- struct{}{}
	}
}

// What a server says unasked, and before the next request is written, is never a
// response. The next request waits until the server has said it all.
func TestNothingUnaskedIsAResponse(t *testing.T) {
	cert := httptest.NewUnstartedServer(nil)
	cert.StartTLS()
	defer cert.Close()
	encrypted := func(c net.Conn) net.Conn { return tls.Server(c, &tls.Config{Certificates: cert.TLS.Certificates}) }
	for _, test := range []struct {
		moment string
		noted  bool // as something unasked
		kept   bool // connections are used again
	}{
		{"never", false, true}, {"same packet", true, false}, {"half of it in the same packet", true, false}, {"at once",
			true, false},
		{"while idle", true, false}, {"one byte", true, false}, {"closed", false, false},
	} {
		for _, chunked := range []bool{false, true} {
			for _, scheme := range []string{"http", "https"} {
				name := fmt.Sprintf("%s, chunked %t, %s", test.moment, chunked, scheme)
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					s := &stray{moment: test.moment, chunked: chunked, said: make(chan struct{}, 1)}
					base := http.DefaultTransport.(*http.Transport).Clone()
					if scheme == "https" {
						s.wrap = encrypted
						base.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
					}
					g := New(base)
					client := &http.Client{Transport: g, Timeout: 20 * time.Second}
					address := s.serve(t)
					n, reused := 40, 0
					for i := range n {
						want := fmt.Sprintf("good %dabc", i)
						got, again := post(t, client, scheme+"://"+address, fmt.Sprint(i))
						if got != want {
							t.Fatalf("request %d got %q", i, got)
						}
						if again {
							reused++
						}
						<-s.said
					}
					if test.noted != (g.Unasked() > 0) && (scheme == "http" || !test.noted) {
						t.Errorf("%d connections held something unasked", g.Unasked())
					}
					if test.kept != (reused == n-1) {
						t.Errorf("%d of %d requests went over a kept connection", reused, n)
					}
					g.CloseIdleConnections()
				})
			}
		}
	}
}

// post sends a text and returns the response and whether its connection was a
// kept one.
func post(t *testing.T, client *http.Client, url, text string) (string, bool) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	reused := false
	req = req.WithContext(httptrace.WithClientTrace(req.Context(),
		&httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused }}))
	resp, err := client.Do(req)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body), reused
}

// Whatever way a response is framed, its end is found, in pieces of any size.
func TestFrame(t *testing.T) {
	for _, test := range []struct {
		name, response string
		ends           bool
	}{
		{"a length", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", true},
		{"no body", "HTTP/1.1 200 OK\r\ncontent-length:0\r\n\r\n", true},
		{"no content", "HTTP/1.1 204 No Content\r\n\r\n", true},
		{"not modified", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", true},
		{"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x\r\n0123456789\r\n0\r\n\r\n", true},
		{"a trailer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1\r\na\r\n0\r\nX: y\r\n\r\n", true},
		{"both", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", true},
		{"line feeds alone", "HTTP/1.1 200 OK\nContent-Length: 1\n\na", true},
		{"continue first", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 " +
			"OK\r\nContent-Length: 1\r\n\r\na", true},
		{"until the connection ends", "HTTP/1.1 200 OK\r\n\r\nabc", false},
		{"another protocol", "ICY 200 OK\r\nContent-Length: 1\r\n\r\na", false},
		{"no length", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\na", false},
		{"no chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", false},
		{"a chunk without its end", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n", false},
	} {
		for size := 1; size <= len(test.response)+5; size++ {
			var f frame
			stream, at, ended := test.response+"STRAY", 0, false
			for at < len(stream) && !ended {
				n, done := f.take([]byte(stream[at:min(at+size, len(stream))]))
				at, ended = at+n, done
			}
			if ended != test.ends || ended && at != len(test.response) {
				t.Errorf("%s, in pieces of %d: ended %t at %d, want %t at %d", test.name, size, ended, at, test.ends,
					len(test.response))
			}
		}
	}
}

// HTTP/2 goes on as it was, and a connection that is closed wakes its reader.
func TestHTTP2AndClose(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_,
			_ = io.WriteString(w, r.Proto)
	}))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	defer srv.Close()
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.TLSClientConfig = srv.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	base.TLSClientConfig.NextProtos = nil
	g := New(base)
	client := &http.Client{Transport: g}
	for range 3 {
		if got, _ := post(t, client, srv.URL, "x"); got != "HTTP/2.0" {
			t.Errorf("spoke %s", got)
		}
	}
	g.CloseIdleConnections()

	a, b := net.Pipe()
	defer b.Close()
	c := g.guard(a, a)
	c.watched = true
	woken := make(chan error, 1)
	go func() {
		_, err := c.Read(make([]byte, 1))
		woken <- err
	}()
	time.Sleep(5 * time.Millisecond)
	_ = c.Close()
	select {
	case err := <-woken:
		if err == nil || errors.Is(err, ErrUnasked) {
			t.Errorf("a closed connection: %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the reader sleeps on")
	}
}
