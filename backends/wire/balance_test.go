package wire

import (
	"testing"
	"testing/synctest"
	"time"

	"infnet/backends"
)

func TestBalancer(t *testing.T) { synctest.Test(t, balances) }

func balances(t *testing.T) {
	a, b := &Endpoint{Base: "a"}, &Endpoint{Base: "b"}
	bal := &balancer{line: make(line, 1), all: []*Endpoint{a, b}, coolDown: 10 * time.Second}
	expect := func(want *Endpoint, why string) {
		t.Helper()
		if got, _, err := bal.enter(t.Context()); err != nil || got != want {
			t.Errorf("%s: picked %s, %v", why, got.Base, err)
		}
	}
	broken := &backends.Failure{Cause: backends.Connection}
	expect(a, "the first")
	expect(b, "the one with less to do")
	bal.done(b, 0, nil)
	expect(b, "again the one with less to do")
	bal.done(b, 0, broken)
	expect(a, "the one that works, however busy")
	expect(a, "the one that works, however busy")
	time.Sleep(11 * time.Second)
	expect(b, "back after its cool-down, on trial")
	expect(a, "one call is trial enough")
	bal.done(b, 0, broken)
	time.Sleep(15 * time.Second)
	expect(a, "the second cool-down is longer")
	time.Sleep(6 * time.Second)
	expect(b, "back again")
	bal.done(b, 0, nil)
	expect(b, "and in full use, being idle")
	bal.done(a, 0, &backends.Failure{Cause: backends.RateLimited, RetryAfter: time.Minute})
	for range 8 {
		expect(b, "a asked to be left alone")
	}
	bal.done(b, 0, &backends.Failure{Cause: backends.ServerError})
	bal.done(b, 0, &backends.Failure{Cause: backends.BadRequest})
	bal.done(b, 0, &backends.Failure{Cause: backends.ServerError})
	bal.done(b, 0, &backends.Failure{Cause: backends.ServerError})
	expect(b, "server errors with an answer between")
	bal.done(b, 0, &backends.Failure{Cause: backends.ServerError})
	expect(b, "none works: the one that is back first")
}
