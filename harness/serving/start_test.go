//go:build linux

package serving

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"infnet/backends"
)

// A server that does not start is an error with the cause, the fix and the last lines of its log, and nothing of it
// is left.
func TestThatFails(t *testing.T) {
	defer func(d time.Duration) { giveUp = d }(giveUp)
	giveUp = time.Second
	for _, test := range []struct {
		name, settings string
		change         func(*backends.Launch)
		want           []string // in the error
	}{
		{name: "out of memory", settings: "fails=oom", want: []string{
			"model student: its server (vllm) ended with exit code 1: ", "the memory does not hold the model",
			"--gpu-memory-utilization", "student.log",
			"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB"}},
		{name: "silent", settings: "mute=1",
			want: []string{"was not ready: it logged nothing for 1s", "student.log"}},
		{name: "never answers, and logs that it was asked", settings: "lags=1h logs=1",
			want: []string{"is healthy and does not answer: server-error (HTTP 503): ", "Loading model"}},
		{name: "goes into the background", change: func(l *backends.Launch) {
			l.Engine, l.Command = "", []string{"true", "{port}"}
		}, want: []string{"ended with exit code 0"}},
		{name: "healthy and refuses", settings: "refuses=1",
			want: []string{"is healthy and does not answer: bad-request (HTTP 400)", "no chat template", "startup complete"}},
		{name: "ends at its first call", settings: "quits=1", want: []string{"ended with exit code 0"}},
		{name: "no program", change: func(l *backends.Launch) {
			l.Engine, l.Command = "", []string{"no-such-server", "{port}"}
		}, want: []string{"model student: ", "no-such-server", "executable file not found"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t)
			_, err := b.Serve(t.Context(), b.model("student", test.settings, test.change))
			if err == nil {
				t.Fatal("it is ready")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no %q in\n%v", want, err)
				}
			}
			if b.running() > 0 {
				t.Errorf("something runs:\n%v", err)
			}
		})
	}
}

// A port that another program takes is no reason to end: two others are tried.
func TestTriesOtherPorts(t *testing.T) {
	b := newBench(t)
	_, err := b.Serve(t.Context(), b.model("student", "fails=port", nil))
	if err == nil || !strings.Contains(err.Error(), "its port was taken by another program") {
		t.Errorf("error %v", err)
	}
	if n := strings.Count(b.log("student"), "[infnet: "); n != ports {
		t.Errorf("started %d times, want %d", n, ports)
	}
	s := b.start(b.model("student", "fails=port once="+filepath.Join(t.TempDir(), "once"), nil))
	answer(t, s, 4)
}

// A healthy server whose route for calls comes later, or which is loading, is waited for.
func TestWaitsForTheFirstCall(t *testing.T) {
	for _, settings := range []string{"mounts=500ms", "lags=500ms", "slow=500ms"} {
		t.Run(settings, func(t *testing.T) {
			b := newBench(t)
			began := time.Now()
			answer(t, b.start(b.model("student", settings, nil)), 4)
			if took := time.Since(began); took < 400*time.Millisecond {
				t.Errorf("ready after %v", took)
			}
		})
	}
}

// An interruption ends the wait for a server that starts, and the server.
func TestInterrupted(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(500*time.Millisecond, cancel)
	_, err := b.Serve(ctx, b.model("student", "mute=1", nil))
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "stopped while its server was starting") {
		t.Errorf("error %v", err)
	}
	if n := b.running(); n > 0 {
		t.Errorf("%d processes are left", n)
	}
}

// Servers get GPUs of their own; those that are not there end the start before anything runs.
func TestDeal(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "4,5,6")
	for _, test := range []struct {
		servers, gpus int
		want          string
	}{{1, 0, "[[]]"}, {2, 1, "[[4] [5]]"}, {1, 3, "[[4 5 6]]"}, {2, 2, "[]"}} {
		l := &backends.Launch{Engine: backends.VLLM, Servers: test.servers, GPUs: test.gpus}
		got, err := Deal(t.Context(), l)
		if fmt.Sprint(got) != test.want || (err == nil) != (test.want != "[]") {
			t.Errorf("%d servers of %d: %v, %v", test.servers, test.gpus, got, err)
		}
	}
	b := newBench(t)
	m := b.model("student", "", func(l *backends.Launch) { l.GPUs = 4 })
	if _, err := b.Serve(t.Context(), m); err == nil || !strings.Contains(err.Error(), "model student: servers × gpus is "+
		"1 × 4, and 3 GPU(s) are visible") || b.log("student") != "" {
		t.Errorf("error %v, log %q", err, b.log("student"))
	}
}

// Each engine is started by its own command, waited for, and stopped.
func TestEveryEngine(t *testing.T) {
	for _, name := range []string{"vllm", "llama-server"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			m := b.model("student", "lags=300ms", func(l *backends.Launch) { l.Engine = backends.Engine(name) })
			m.Ready = func(ctx context.Context, url string, key backends.Secret) error {
				return chat(ctx, url, key)
			}
			s := b.start(m)
			if err := chat(t.Context(), s.URLs()[0], s.Key()); err != nil {
				t.Error(err)
			}
		})
	}
}

// chat asks for a chat, which every engine answers.
func chat(ctx context.Context, url string, key backends.Secret) error {
	body := `{"model":"student","messages":[{"role":"user","content":"a:"}],"max_tokens":1}`
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/chat/completions", strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+key.Reveal())
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return &backends.Failure{Cause: backends.ServerError, Status: resp.StatusCode}
	}
	return nil
}
