package local

import (
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"infnet/backends"
	"infnet/backends/backendtest"
)

// The same bits alone, in any batch, with and without the shared prefix, on
// one thread and on several.
func TestFamiliesSameBits(t *testing.T) {
	long := strings.Repeat("The plot is thin, but the two leads make you forgive it. ", 12)
	var reqs []backends.Request
	for i := range 12 {
		r := backends.Request{Mode: backends.Raw, Prompt: long[:i*i*3%len(long)] + "\nAnswer:",
			Labels: []string{" positive", " negative"}}
		if i%3 == 2 {
			r.Labels, r.MaxTokens, r.TopLogprobs = nil, 1+i%7, 2
		}
		reqs = append(reqs, r)
	}
	for _, family := range families {
		t.Run(family, func(t *testing.T) {
			one, three := load(t, folderOf(family), 1), load(t, folderOf(family), 3)
			apart := load(t, folderOf(family), 3)
			apart.noPrefix = true
			want := ask(t, one, reqs...)
			cached := 0
			for how, m := range map[string]*Model{"alone": one, "three threads": three, "no shared prefix": apart} {
				size := map[string]int{"alone": 1}[how]
				if size == 0 {
					size = len(reqs)
				}
				for i := 0; i < len(reqs); i += size {
					for k, a := range ask(t, m, reqs[i:i+size]...) {
						if why := backendtest.Differ(want[i+k], a); why != "" || a.Failure != nil {
							t.Errorf("%s, request %d: %s (%v)", how, i+k, why, a.Failure)
						}
						cached += a.Usage.Cached
					}
				}
			}
			longest, _ := want[11].Usage.Prompt.Known()
			if window := one.net.Shape.Window; cached == 0 && len(one.tokens.before) > 0 || longest <= window {
				t.Errorf("%d tokens shared, the longest prompt has %d and the window %d: nothing is compared", cached,
					longest, window)
			}
		})
	}
}

// A cache that grows from next to no room changes no bit, alone and among others, and doubles up to what may be needed.
func TestCachesGrow(t *testing.T) {
	for _, folder := range []string{"testdata/tiny", "testdata/mixed"} {
		wide, narrow := load(t, folder, 2), load(t, folder, 2)
		narrow.room = 1
		var reqs []backends.Request
		for seed := range uint64(6) {
			reqs = append(reqs, backends.Request{Mode: backends.Raw, Prompt: "the film is", MaxTokens: 20 + 9*int(seed),
				Seed: seed + 1, Sampling: backends.Sampling{Temperature: 3}})
		}
		longest := 0
		want := ask(t, wide, reqs...)
		for i, got := range append(ask(t, narrow, reqs...), ask(t, narrow, reqs[5])...) {
			longest = max(longest, len(got.Tokens))
			if i = min(i, 5); got.Text != want[i].Text || !reflect.DeepEqual(got.Tokens, want[i].Tokens) {
				t.Errorf("%s, answer %d: %q, want %q", folder, i, got.Text, want[i].Text)
			}
		}
		if longest < 40 {
			t.Errorf("%s: the longest answer has %d tokens, too few for a cache to grow often", folder, longest)
		}
	}
	j := job{request: &backends.Request{MaxTokens: 131072}, tokens: make([]int32, 5), room: 6}
	net := load(t, "testdata/tiny", 1).net
	j.cache = net.NewCache(6)
	for n, want := range map[int]int{5: 6, 6: 12} {
		j.room = 6
		if j.grow(net, n); j.room != want {
			t.Errorf("room for %d, want %d of at most 131077", j.room, want)
		}
	}
}

func TestCancelDuring(t *testing.T) {
	m := openRandom(t, studentDims, 2)
	var reqs []backends.Request
	for range 3000 { // far more than fits in the time before the cancel
		reqs = append(reqs, backends.Request{Mode: backends.Raw, Prompt: strings.Repeat("the plot is thin . ", 150),
			MaxTokens: 200})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := m.Answer(ctx, reqs); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the context's", err)
	}
	// the workers are whole again
	if a := ask(t, m, reqs[0]); a[0].Failure != nil {
		t.Error(a[0].Failure)
	}
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte(`{"model_type":"gemma3_text","hidden_size":8,"eos_token_id":[1]}`))
	for _, family := range families {
		b, err := os.ReadFile(folderOf(family) + "/config.json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := readSetup(fstest.MapFS{"config.json": {Data: b}}); err == nil &&
			len(s.plan.Layers) != s.plan.Shape.Layers {
			t.Fatalf("%d layers planned of %d", len(s.plan.Layers), s.plan.Shape.Layers)
		}
	})
}
