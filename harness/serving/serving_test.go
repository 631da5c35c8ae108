//go:build linux

package serving

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/backendtest/fakeengine"
	"infnet/backends/engine"
	"infnet/backends/engine/supervisor"
)

// TestMain makes this test binary a supervisor and the engines that the tests start.
func TestMain(m *testing.M) {
	supervisor.Main()
	fakeengine.Main()
	grace = 4 * time.Second
	dir, err := os.MkdirTemp("", "engines")
	if err == nil {
		err = fakeengine.Install(dir, "vllm", "llama-server")
	}
	if err != nil {
		panic(err)
	}
	os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// mark is a variable that the servers of one test carry.
const mark = "INFNET_TEST"

// bench is a fleet of a test, and what it showed.
type bench struct {
	*Fleet
	t    *testing.T
	mark string

	mu   sync.Mutex
	said []string
}

func (b *bench) Info(message string, about ...any) { b.Warn(message, about...) }
func (b *bench) Warn(message string, about ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said = append(b.said, message+" "+fmt.Sprint(about...))
}

// has reports whether something was shown.
func (b *bench) has(part string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.said, func(s string) bool { return strings.Contains(s, part) })
}

var benches atomic.Int64

// newBench makes a fleet. After the test none of its servers runs.
func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, mark: fmt.Sprintf("%d-%d", os.Getpid(), benches.Add(1))}
	t.Setenv(mark, b.mark)
	b.Fleet = New(filepath.Join(t.TempDir(), "logs"), b)
	t.Cleanup(func() {
		if err := b.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
		b.gone()
	})
	return b
}

// running counts the processes of the test's servers.
func (b *bench) running() (n int) {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environs {
		text, _ := os.ReadFile(path)
		if bytes.Contains(text, []byte(mark+"="+b.mark+"\x00")) {
			n++
		}
	}
	return n
}

// gone wants no process of the test's servers.
func (b *bench) gone() {
	b.t.Helper()
	eventually(b.t, "the end of the servers", func() bool { return b.running() == 0 })
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within a minute", what)
		}
	}
}

// model is a model on a fake vLLM with these settings; change, which may be nil, changes how it is launched.
func (b *bench) model(name, settings string, change func(*backends.Launch)) Model {
	l := &backends.Launch{Engine: backends.VLLM, Weights: "acme/" + name, Servers: 1,
		Args: []string{"--fake=" + settings}}
	if change != nil {
		change(l)
	}
	return Model{Name: name, Task: engine.Task{Launch: l, Served: name, Role: engine.Answers},
		Ready: func(ctx context.Context, url string, key backends.Secret) error {
			return ask(ctx, name, url, key)
		}}
}

// log is the log of a server.
func (b *bench) log(name string) string {
	text, _ := os.ReadFile(filepath.Join(b.logs, name+".log"))
	return string(text)
}

// ask makes one call of a model at a server.
func ask(ctx context.Context, model, url string, key backends.Secret) error {
	body, _ := json.Marshal(map[string]any{"model": model, "prompt": "a:", "max_tokens": 1})
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/completions", bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+key.Reveal())
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return &backends.Failure{Cause: backends.Connection, Message: err.Error()}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return &backends.Failure{Cause: backends.Connection, Message: err.Error()}
	case resp.StatusCode >= 500:
		return &backends.Failure{Cause: backends.ServerError, Status: resp.StatusCode, Message: string(text)}
	case resp.StatusCode != http.StatusOK:
		return &backends.Failure{Cause: backends.BadRequest, Status: resp.StatusCode, Message: string(text)}
	}
	return nil
}

// remote is a model that asks the servers, one after the other.
type remote struct {
	backends.Model
	*Servers
	next atomic.Int64
}

func (r *remote) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	out := make([]backends.Answer, len(reqs))
	for i, q := range reqs {
		urls := r.URLs()
		err := ask(ctx, q.Served, urls[int(r.next.Add(1))%len(urls)], r.Key())
		var f *backends.Failure
		if errors.As(err, &f) {
			out[i].Failure = f
		}
	}
	return out, ctx.Err()
}

// answer asks a model's servers n requests, four at a time, and wants all of them answered.
func answer(t *testing.T, s *Servers, n int) {
	t.Helper()
	m := s.Model(&remote{Servers: s})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range n / 4 {
				answers, err := m.Answer(t.Context(), []backends.Request{{Served: s.model.Name}})
				if err != nil || len(answers) != 1 || answers[0].Failure != nil {
					t.Errorf("answers %+v, %v", answers, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// start serves a model, which must become ready.
func (b *bench) start(m Model) *Servers {
	b.t.Helper()
	s, err := b.Serve(b.t.Context(), m)
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}
