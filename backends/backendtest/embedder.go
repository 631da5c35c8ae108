package backendtest

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"infnet/backends"
)

// EmbedderOptions say what to ask an embedder.
type EmbedderOptions struct {
	Texts []string      // at least 4, all different, of different vectors
	Unit  bool          // vectors have length 1
	Hint  time.Duration // how long Embed may take to return after its context is done; 0 = 10 s
}

// awkward texts that every embedder takes.
var awkward = []string{"", " ", "\n", "line\nbreak\r\n", "\x00", "caf\u00e9 \u4f60\u597d \U0001F600",
	string(slices.Repeat([]byte("long "), 4000))}

// RunEmbedder tests an embedder. open is called once per subtest and must
// return equal embedders.
func RunEmbedder(t *testing.T, open func(t *testing.T) backends.Embedder, o EmbedderOptions) {
	t.Helper()
	if len(o.Texts) < 4 {
		t.Fatalf("backendtest: %d texts, want at least 4", len(o.Texts))
	}
	if o.Hint == 0 {
		o.Hint = 10 * time.Second
	}
	s := &embedderSuite{open: open, o: o}
	for _, test := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"shape", s.shape},
		{"company", s.company},
		{"concurrency", s.concurrency},
		{"texts are left alone", s.untouched},
		{"awkward texts", s.awkward},
		{"many", s.many},
		{"cancelled", s.cancelled},
	} {
		t.Run(test.name, test.run)
	}
}

type embedderSuite struct {
	open func(t *testing.T) backends.Embedder
	o    EmbedderOptions
}

func embed(t *testing.T, e backends.Embedder, texts []string) [][]float32 {
	t.Helper()
	vs, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatalf("Embed: %v", err)
	}
	if len(vs) != len(texts) {
		t.Fatalf("Embed returned %d vectors for %d texts", len(vs), len(texts))
	}
	return vs
}

// sound: finite numbers, of the length asked for.
func (s *embedderSuite) sound(t *testing.T, what string, v []float32, dim int, unit bool) {
	t.Helper()
	if len(v) != dim || dim == 0 {
		t.Errorf("%s: %d numbers, want %d", what, len(v), dim)
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		t.Errorf("%s: not all numbers are finite", what)
	}
	if unit && math.Abs(sum-1) > 1e-5 {
		t.Errorf("%s: squared length %v, want 1", what, sum)
	}
}

func (s *embedderSuite) shape(t *testing.T) {
	e := s.open(t)
	vs := embed(t, e, s.o.Texts)
	for i, v := range vs {
		s.sound(t, s.o.Texts[i], v, len(vs[0]), s.o.Unit)
		for j := range i {
			if slices.Equal(v, vs[j]) {
				t.Errorf("texts %d and %d have the same vector", i, j)
			}
		}
	}
	if got := embed(t, e, nil); len(got) != 0 {
		t.Errorf("%d vectors of no text", len(got))
	}
}

// company: the same bits alone, reversed, doubled and from another instance.
func (s *embedderSuite) company(t *testing.T) {
	e := s.open(t)
	want := embed(t, e, s.o.Texts)
	reversed := slices.Clone(s.o.Texts)
	slices.Reverse(reversed)
	back := embed(t, e, reversed)
	slices.Reverse(back)
	twice := embed(t, e, slices.Concat(s.o.Texts, s.o.Texts))
	other := embed(t, s.open(t), s.o.Texts)
	for i, text := range s.o.Texts {
		for _, c := range []struct {
			how string
			got []float32
		}{
			{"alone", embed(t, e, []string{text})[0]}, {"in reverse order", back[i]}, {"doubled, first", twice[i]},
			{"doubled, second", twice[len(want)+i]}, {"from another instance", other[i]},
		} {
			if !slices.Equal(c.got, want[i]) {
				t.Errorf("text %d %s: another vector", i, c.how)
			}
		}
	}
}

func (s *embedderSuite) concurrency(t *testing.T) {
	e := s.open(t)
	want := embed(t, e, s.o.Texts)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for k := range s.o.Texts {
				i := (k + g) % len(s.o.Texts)
				vs, err := e.Embed(t.Context(), s.o.Texts[i:i+1])
				if err != nil || len(vs) != 1 || !slices.Equal(vs[0], want[i]) {
					t.Errorf("caller %d, text %d: %d vectors, error %v, or another vector", g, i, len(vs), err)
				}
			}
		})
	}
	wg.Wait()
}

// untouched: the caller's texts are neither changed nor kept.
func (s *embedderSuite) untouched(t *testing.T) {
	e := s.open(t)
	texts := append(slices.Clone(s.o.Texts), "two\nlines")
	before := slices.Clone(texts)
	want := embed(t, e, texts)
	if !slices.Equal(texts, before) {
		t.Errorf("the texts became %q", texts)
	}
	for i := range texts {
		texts[i] = "spoilt"
	}
	for i, v := range embed(t, e, before) {
		if !slices.Equal(v, want[i]) {
			t.Errorf("text %d after its slice was reused: another vector", i)
		}
	}
}

// awkward: every text gets a valid vector; only an empty text's need not have length 1.
func (s *embedderSuite) awkward(t *testing.T) {
	vs := embed(t, s.open(t), append(slices.Clone(awkward), s.o.Texts[0]))
	for i, v := range vs {
		s.sound(t, "an awkward text", v, len(vs[len(vs)-1]), s.o.Unit && i == len(awkward))
	}
}

// many: more texts than any call takes, in order.
func (s *embedderSuite) many(t *testing.T) {
	e := s.open(t)
	want := embed(t, e, s.o.Texts)
	var texts []string
	for i := range 300 {
		texts = append(texts, s.o.Texts[i*i%len(s.o.Texts)])
	}
	for i, v := range embed(t, e, texts) {
		if !slices.Equal(v, want[i*i%len(s.o.Texts)]) {
			t.Fatalf("text %d has the vector of another", i)
		}
	}
}

// cancelled: before the call, and during it.
func (s *embedderSuite) cancelled(t *testing.T) {
	e := s.open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Embed(ctx, s.o.Texts); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	var texts []string
	for len(texts) < 2000 {
		texts = append(texts, s.o.Texts...)
	}
	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(5*time.Millisecond, cancel)
	done := make(chan error, 1)
	go func() {
		vs, err := e.Embed(ctx, texts)
		if err == nil && len(vs) != len(texts) {
			err = errors.New("too few vectors and no error")
		}
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want context.Canceled", err)
		}
	case <-time.After(s.o.Hint + 5*time.Millisecond):
		t.Fatalf("still busy %v after the context was done", s.o.Hint)
	}
}
