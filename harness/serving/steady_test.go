//go:build linux

package serving

import (
	"context"
	"errors"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infnet/backends"
)

// One model is served at a time, by servers that ask for a key; the one before is gone when the next one starts.
func TestTakesTurns(t *testing.T) {
	b := newBench(t)
	student, master := b.model("student", "", nil), b.model("master", "", nil)
	s := b.start(student)
	if again := b.start(student); again != s {
		t.Error("a model that is served was started again")
	}
	answer(t, s, 8)
	var refused *backends.Failure
	if err := ask(t.Context(), "student", s.URLs()[0], "another"); !errors.As(err, &refused) || refused.Status != 401 {
		t.Errorf("without its key it answers: %v", err)
	}
	if key := s.Key().Reveal(); strings.Contains(b.log("student"), key) || len(key) < 30 {
		t.Error("the key is in the log, or short")
	}
	two := b.start(master)
	u, err := url.Parse(s.URLs()[0])
	if err != nil {
		t.Fatal(err)
	}
	if conn, err := net.Dial("tcp", u.Host); err == nil {
		conn.Close()
		t.Error("the student's server is still there")
	}
	answer(t, two, 8)
	if err := b.Stop(); err != nil {
		t.Error(err)
	}
	if n := b.running(); n > 0 {
		t.Errorf("%d processes after Stop", n)
	}
	for _, name := range []string{"student", "master"} {
		if !strings.Contains(b.log(name), "vllm serve acme/"+name) || !strings.Contains(b.log(name), "startup complete") {
			t.Errorf("the log of %s is %q", name, b.log(name))
		}
	}
}

// A server that dies in the midst of its answers is started again at its port, and what it left is asked again.
func TestDiesMidway(t *testing.T) {
	b := newBench(t)
	s := b.start(b.model("student", "dies=10 once="+filepath.Join(t.TempDir(), "once"), nil))
	urls := s.URLs()
	answer(t, s, 40)
	if !b.has("the server died, and is started again") || !slices.Equal(s.URLs(), urls) {
		t.Errorf("shown %q; at %v, before %v", b.said, s.URLs(), urls)
	}
	if n := strings.Count(b.log("student"), "[infnet: "); n != 2 {
		t.Errorf("started %d times, want 2", n)
	}
}

// A call that begins while a server is down is made again once it is up.
func TestAskedWhileDown(t *testing.T) {
	b := newBench(t)
	s := b.start(b.model("student", "dies=2 once="+filepath.Join(t.TempDir(), "once"), nil))
	if err := ask(t.Context(), "student", s.URLs()[0], s.Key()); err == nil {
		t.Fatal("the server did not die")
	}
	eventually(t, "the news of its death", func() bool { ready, _, _ := s.count(); return ready == 0 })
	answer(t, s, 4)
}

// Of several requests of one call, those that were answered are not asked again.
func TestOnlyWhatWasLostIsAskedAgain(t *testing.T) {
	b := newBench(t)
	s := b.start(b.model("student", "dies=5 once="+filepath.Join(t.TempDir(), "once"), nil))
	m := &remote{Servers: s}
	answers, err := s.Model(m).Answer(t.Context(), slices.Repeat([]backends.Request{{Served: "student"}}, 12))
	if err != nil || len(answers) != 12 ||
		slices.ContainsFunc(answers, func(a backends.Answer) bool { return a.Failure != nil }) {
		t.Errorf("answers %+v, %v", answers, err)
	}
	if n := m.next.Load(); n != 12+9 { // the first call was the start's, so the fourth of ours dies, and the rest with it
		t.Errorf("%d calls, want 12 and the 9 that were lost", n)
	}
}

// A server that dies too often ends the call, with the cause.
func TestRestartsUsedUp(t *testing.T) {
	b := newBench(t)
	s := b.start(b.model("student", "dies=5", nil))
	m := s.Model(&remote{Servers: s})
	var err error
	for range 40 {
		if _, err = m.Answer(t.Context(), []backends.Request{{Served: "student"}}); err != nil {
			break
		}
	}
	for _, want := range []string{"its server was started again 2 times", "EngineDeadError", "student.log"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}

// Servers of one model have ports and logs of their own. One that dies leaves its calls to the others.
func TestReplicas(t *testing.T) {
	b := newBench(t)
	s := b.start(b.model("student", "dies=10 once="+filepath.Join(t.TempDir(), "once"), func(l *backends.Launch) {
		l.Servers = 2
	}))
	if urls := s.URLs(); len(urls) != 2 || urls[0] == urls[1] {
		t.Fatalf("servers at %v", urls)
	}
	for _, url := range s.URLs() {
		if err := ask(t.Context(), "student", url, s.Key()); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	left := s.Model(&chosen{Servers: s})
	for range 40 {
		answers, err := left.Answer(t.Context(), []backends.Request{{Served: "student"}})
		if err != nil || answers[0].Failure != nil {
			t.Fatalf("answers %+v, %v", answers, err)
		}
	}
	for _, name := range []string{"student-1", "student-2"} {
		if !strings.Contains(b.log(name), "startup complete") {
			t.Errorf("no log of %s", name)
		}
	}
}

// chosen is a model that asks the first server that answers, as backends of several URLs do.
type chosen struct {
	backends.Model
	*Servers
	calls int
}

func (c *chosen) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	c.calls++
	urls := c.URLs()
	var err error
	for i := range urls {
		if err = ask(ctx, reqs[0].Served, urls[(c.calls+i)%len(urls)], c.Key()); err == nil {
			return []backends.Answer{{}}, nil
		}
	}
	var f *backends.Failure
	errors.As(err, &f)
	return []backends.Answer{{Failure: f}}, nil
}

// A call that answers no request is made again like requests.
func TestOtherCallsAreMadeAgain(t *testing.T) {
	b := newBench(t)
	// the first call is the start's, the second one ours
	s := b.start(b.model("student", "dies=2 once="+filepath.Join(t.TempDir(), "once"), nil))
	calls := 0
	err := s.Do(t.Context(), func() error {
		calls++
		return ask(t.Context(), "student", s.URLs()[0], s.Key())
	})
	if err != nil || died(s) != 1 || calls != 2 {
		t.Errorf("%d deaths, %d calls, %v", died(s), calls, err)
	}
}

// died is how often servers died.
func died(s *Servers) int {
	_, n, _ := s.count()
	return n / 2 // each was ready before
}
