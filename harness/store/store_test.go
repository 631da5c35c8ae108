package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"infnet/backends"
)

func TestWriteAndRead(t *testing.T) {
	s, path := written(t, 5)
	if want := "org-tiny-model.reviews-small-" + s.about(testID).hash() + ".jsonl"; filepath.Base(path) != want {
		t.Errorf("the file is %s, want %s", filepath.Base(path), want)
	}
	if n := count(t, s); n != 5 {
		t.Errorf("%d answers, want 5", n)
	}
	a := must(s.Answers(testID))(t)
	defer a.Close()
	for i := range 7 {
		r, ok, err := a.Get(key(i))
		if err != nil || ok != (i < 5) || ok != a.Has(key(i)) {
			t.Fatalf("answer %d: %v, %v", i, ok, err)
		}
		if ok {
			if d := cmp.Diff(record(i), r, cmpopts.EquateNaNs()); d != "" {
				t.Error(d)
			}
		}
	}
	// A key that shares the indexed half of another's is not that other.
	k := key(1)
	k[31] ^= 1
	if _, ok, err := a.Get(k); ok || err != nil {
		t.Errorf("half a key found an answer: %v, %v", ok, err)
	}
	if d := cmp.Diff([]string{filepath.Base(path)}, names(t, s.Root())); d != "" {
		t.Errorf("left behind: %s", d)
	}
	if _, err := a.Append(records(9, 10)); err == nil || !strings.Contains(err.Error(), "reading only") {
		t.Errorf("append to a reader: %v", err)
	}
}

func TestFailures(t *testing.T) {
	s := Open(t.TempDir(), Options{})
	a := must(s.WriteAnswers(testID))(t)
	fail := func(i int, c backends.Cause, message string) Failed {
		return Failed{key(i), "ex", backends.Failure{Cause: c, Status: 500, Message: message}}
	}
	if err := a.Fail([]Failed{fail(1, backends.Timeout, "slow"), fail(2, backends.TooLong, "long")}); err != nil {
		t.Fatal(err)
	}
	if err := a.Fail([]Failed{fail(1, backends.ServerError, strings.Repeat("é", 3000))}); err != nil {
		t.Fatal(err)
	}
	before := must(os.Stat(failuresPath(a.Path())))(t).Size()
	if err := a.Fail([]Failed{fail(1, backends.ServerError, strings.Repeat("é", 3000))}); err != nil {
		t.Fatal(err)
	}
	if now := must(os.Stat(failuresPath(a.Path())))(t).Size(); now != before {
		t.Errorf("a failure that is recorded already takes %d bytes more", now-before)
	}
	must(a.Append(records(2, 3)))(t)
	if a.Len() != 1 || a.Has(key(1)) {
		t.Errorf("%d answers; failures are no answers", a.Len())
	}
	a.Close()
	b := must(s.Answers(testID))(t)
	defer b.Close()
	f, ok, err := b.Failure(key(1))
	if err != nil || !ok || f.Failure.Cause != backends.ServerError || f.Failure.Status != 500 || f.Example != "ex" {
		t.Errorf("the last failure: %+v, %v, %v", f, ok, err)
	}
	if n := len(f.Failure.Message); n != maxMessage+len("…") {
		t.Errorf("the message has %d bytes", n)
	}
	for _, i := range []int{2, 3} { // answered since; never asked
		if f, ok, err := b.Failure(key(i)); ok || err != nil {
			t.Errorf("failure of %d: %+v, %v", i, f, err)
		}
	}
	if d := cmp.Diff(failuresPath(b.Path()), glob(t, s, "*.failures.jsonl")[0]); d != "" {
		t.Error(d)
	}
	w := must(s.WriteAnswers(testID))(t)
	defer w.Close()
	bad := record(5)
	bad.Answer.Failure = &backends.Failure{Cause: backends.Timeout}
	if _, err := w.Append([]Record{bad}); err == nil || w.Has(key(5)) {
		t.Errorf("a failure was taken for an answer: %v", err)
	}
}

// The log-probability of a whole answer, shared out over its tokens, takes the line of one.
func TestEqualTokens(t *testing.T) {
	tokens := slices.Repeat([]backends.Token{{Logprob: -.5}}, 7)
	want := Record{Example: "a", Answer: backends.Answer{Text: "yes", Tokens: tokens}}
	line, err := appendAnswer(nil, want)
	if err != nil || !strings.Contains(string(line), `"tokens":[{"t":"","lp":-0.5}]`) {
		t.Fatalf("%s, %v", line, err)
	}
	if got, err := decodeAnswer(line); err != nil || !cmp.Equal(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	for _, damage := range []string{`"equal":-1`, `"equal":1048577`, `"equal":7,"tokens":[]`} {
		if got, err := decodeAnswer([]byte(strings.Replace(string(line), `"equal":7`, damage, 1))); err == nil {
			t.Errorf("%s: %+v", damage, got)
		}
	}
}
