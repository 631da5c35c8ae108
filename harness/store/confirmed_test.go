package store_test

import (
	"slices"
	"testing"

	"infnet/backends"
	"infnet/harness/store"
)

// Who answered at which URL is written once, for each name apart, and holds no
// URL.
func TestConfirmed(t *testing.T) {
	st := store.Open(t.TempDir(), store.Options{})
	id := backends.ModelID{ID: "m", Revision: "1", Kind: backends.OpenAI}
	a := store.Confirmed{Served: "small", URL: store.URLHash("http://a/v1"), Model: "small"}
	b := store.Confirmed{Served: "large", URL: a.URL, Model: "large"}
	for _, c := range []store.Confirmed{a, b, a} {
		if err := st.AddConfirmed(id, c); err != nil {
			t.Fatal(err)
		}
	}
	got, err := st.Confirmed(id)
	if err != nil || !slices.Equal(got, []store.Confirmed{a, b}) {
		t.Errorf("%v, %v; want both, once", got, err)
	}
	if got, err := st.Confirmed(backends.ModelID{ID: "m", Revision: "2", Kind: backends.OpenAI}); err != nil ||
		len(got) != 0 {
		t.Errorf("another revision: %v, %v", got, err)
	}
	if len(a.URL) != 16 || a.URL == store.URLHash("http://b/v1") {
		t.Errorf("hash of a URL: %q", a.URL)
	}
}

// Findings of one served name are no findings of another.
func TestServedFor(t *testing.T) {
	all := []store.Served{{Fingerprint: "none"}, {Name: "a", Fingerprint: "x"}, {Name: "b", Fingerprint: "y"},
		{Name: "a", Fingerprint: "none"}, {Name: "a", Fingerprint: "x"}}
	for name, want := range map[string][]string{"a": {"x", "none"}, "b": {"y"}, "c": nil} {
		var got []string
		for _, f := range store.ServedFor(all, name) {
			got = append(got, f.Fingerprint)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// An embedder behind servers has vectors of its own under each served name.
func TestVectorsByServedName(t *testing.T) {
	st := store.Open(t.TempDir(), store.Options{})
	id := backends.ModelID{ID: "e", Kind: backends.OpenAI}
	put := func(served, text string, x float32) {
		t.Helper()
		w, err := st.WriteVectors(id)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if _, err := w.As(served).Append([]store.Vector{{Of: text, Value: []float32{x}}}); err != nil {
			t.Fatal(err)
		}
	}
	put("", "before", 1)
	put("a", "t", 2)
	put("b", "t", 3)
	put("b", "before", 4)
	for _, test := range []struct {
		served, text string
		want         float32 // 0 = none
	}{{"a", "t", 2}, {"b", "t", 3}, {"c", "t", 0}, {"", "t", 0}, {"a", "before", 0}, {"b", "before", 4},
		{"", "before", 1}} {
		r, err := st.Vectors(id)
		if err != nil {
			t.Fatal(err)
		}
		r.As(test.served)
		v, ok, err := r.Get(test.text)
		if err != nil || ok != (test.want != 0) || ok && v[0] != test.want || r.Has(test.text) != ok {
			t.Errorf("%q as %q: %v, %v, %v", test.text, test.served, v, ok, err)
		}
		r.Close()
	}
}
