package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
	"infnet/harness/store"
)

// The first finding stays the first, the same one is written once, also by
// several at a time, and another model's are another's.
func TestServed(t *testing.T) {
	root := filepath.Join(t.TempDir(), "answers")
	st := store.Open(root, store.Options{})
	id := backends.ModelID{ID: "org/m", Revision: "r", Kind: backends.OpenAI}
	if got, err := st.Served(id); err != nil || len(got) != 0 {
		t.Fatalf("nothing asked yet: %v, %v", got, err)
	}
	if _, err := os.Stat(root); !errors.Is(err, os.ErrNotExist) {
		t.Error("reading made the folder")
	}
	a := store.Served{Server: "ollama", Version: "1", Fingerprint: "aa",
		Labels: map[backends.Mode]backends.LabelMode{backends.Chat: backends.LabelsTopLogprobs}}
	b := store.Served{Server: "ollama", Version: "2", Fingerprint: "bb"}
	if _, err := st.AddServed(id, a); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, f := range []store.Served{b, a} {
				if _, err := store.Open(root, store.Options{}).AddServed(id, f); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got, err := st.Served(id)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]store.Served{a, b}, got); diff != "" {
		t.Error(diff)
	}
	other := id
	other.Revision = "s"
	if got, err := st.Served(other); err != nil || len(got) != 0 {
		t.Errorf("another revision: %v, %v", got, err)
	}
}
