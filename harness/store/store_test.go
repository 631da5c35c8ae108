package store

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"infnet/backends"
)

// The line of one answer, spelt out: what FORMAT.md says.
func TestLine(t *testing.T) {
	r := Record{Example: "7", Answer: backends.Answer{
		Text: "a<b", Tokens: []backends.Token{{Text: "\xe2\x82", Logprob: -0.5}, {Logprob: math.Inf(-1), End: true}},
		Labels: []backends.LabelScore{{Logprob: -1.25, Seen: true}, {Logprob: -3}},
		Usage:  backends.Usage{Prompt: backends.Counted(12), Completion: backends.Counted(1)}, Latency: 1500 *
			time.Nanosecond,
	}}
	const want = `{"key":"0000000000000000000000000000000000000000000000000000000000000000","id":"7","text":"a<b",` +
		`"tokens":[{"t":{"b64":"4oI="},"lp":-0.5},{"t":"","lp":"-inf","end":true}],` +
		`"labels":[{"lp":-1.25,"seen":true},{"lp":-3,"seen":false}],` +
		`"usage":{"prompt":12,"completion":1,"cached":0},"latency_ns":1500}`
	object := must(appendAnswer(nil, r))(t)
	if d := cmp.Diff(want, string(object)); d != "" {
		t.Error(d)
	}
	// CRC-32C of "123456789" is e3069283 (RFC 3720 and every CRC catalogue).
	if got := string(seal(nil, []byte("123456789}"))); got != "123456789,\"crc\":\"e3069283\"}\n" {
		t.Errorf("sealed %q", got)
	}
}

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

// A dataset by another name, a second study, the same file.
func TestSharedByContent(t *testing.T) {
	s, path := written(t, 2)
	other := testID
	other.Name = "film reviews"
	a := must(s.WriteAnswers(other))(t)
	defer a.Close()
	if a.Path() != path || a.Len() != 2 {
		t.Errorf("path %s with %d answers, want %s with 2", a.Path(), a.Len(), path)
	}
	for _, id := range []ID{
		{Model: testID.Model, Dataset: "e1e1", Name: testID.Name},
		{Model: backends.ModelID{ID: testID.Model.ID, Revision: "r2", Kind: backends.Local}, Dataset: "d0d0"},
		{Model: backends.ModelID{ID: testID.Model.ID, Revision: "r1", Kind: backends.Simulated}, Dataset: "d0d0"},
	} {
		b := must(s.Answers(id))(t)
		if b.Len() != 0 || b.Path() == path {
			t.Errorf("%+v reads %d answers of %s", id, b.Len(), b.Path())
		}
		b.Close()
	}
}

func TestMissingStore(t *testing.T) {
	s := Open(filepath.Join(t.TempDir(), "no", "such"), Options{})
	a := must(s.Answers(testID))(t)
	defer a.Close()
	if a.Len() != 0 || a.Has(key(1)) {
		t.Error("a missing store has answers")
	}
	if _, err := os.Stat(s.Root()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reading made the folder: %v", err)
	}
}

// Of two answers to one request the first counts.
func TestDuplicates(t *testing.T) {
	s, path := written(t, 2)
	again := record(1)
	again.Answer.Text = "another"
	twice := record(2)
	twice.Answer.Text = "twice"
	a := must(s.WriteAnswers(testID))(t)
	if n := must(a.Append([]Record{again, record(2), twice}))(t); n != 1 {
		t.Errorf("%d written, want 1", n)
	}
	a.Close()
	// A duplicate that got into the file all the same: the first counts too.
	object := must(appendAnswer(nil, again))(t)
	overwrite(t, path, append(read(t, path), seal(nil, object)...))
	if n := count(t, s); n != 3 {
		t.Errorf("%d answers, want 3", n)
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

func TestVectors(t *testing.T) {
	id := backends.ModelID{ID: "lexical", Revision: "1", Kind: backends.Lexical}
	s := Open(t.TempDir(), Options{})
	v := must(s.WriteVectors(id))(t)
	want := map[string][]float32{
		"":       {0, float32(math.Copysign(0, -1)), math.MaxFloat32},
		"é \xff": {1, -2, math.SmallestNonzeroFloat32},
	}
	for text, values := range want {
		if n := must(v.Append([]Vector{{text, values}, {text, []float32{9, 9, 9}}}))(t); n != 1 {
			t.Errorf("%d written, want 1", n)
		}
	}
	if _, err := s.WriteVectors(id); !errors.As(err, new(*InUseError)) {
		t.Errorf("second writer: %v", err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	r := must(s.Vectors(id))(t)
	defer r.Close()
	for text, values := range want {
		got, ok, err := r.Get(text)
		if err != nil || !ok || !r.Has(text) {
			t.Fatalf("%q: %v, %v", text, ok, err)
		}
		for i := range values {
			if math.Float32bits(got[i]) != math.Float32bits(values[i]) {
				t.Errorf("%q: %v, want %v", text, got, values)
			}
		}
	}
	if _, ok, err := r.Get("other"); ok || err != nil || r.Len() != 2 {
		t.Errorf("%v, %v, %d vectors", ok, err, r.Len())
	}
}

func TestSlug(t *testing.T) {
	for in, want := range map[string]string{
		"google/gemma-3-1b-it":  "google-gemma-3-1b-it",
		"../../etc/passwd":      "etc-passwd",
		"":                      "x",
		"日本":                    "x",
		"-a--b-":                "a-b",
		strings.Repeat("x", 99): strings.Repeat("x", 40),
	} {
		if got := slug(in); got != want {
			t.Errorf("slug(%q) = %q, want %q", in, got, want)
		}
	}
}
