package store_test

import (
	"slices"
	"testing"

	"infnet/backends"
	"infnet/harness/store"
)

// Who answered at which URL is written once, for each name apart, and holds no URL.
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
