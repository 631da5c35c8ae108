package local

import (
	"os"
	"reflect"
	"testing"
	"testing/fstest"

	"infnet/backends"
)

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
