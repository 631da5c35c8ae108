package hub

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A listing that never ends is given up for what it is, soon and with what was
// wrong, whichever way it does not end.
func TestListingsThatDoNotEnd(t *testing.T) {
	file := func(n int64) map[string]any {
		return map[string]any{"type": "file", "path": fmt.Sprintf("f%d.txt", n), "size": 1, "oid": strings.Repeat("a", 40)}
	}
	for _, tt := range []struct {
		name string
		page func(n int64, q string) (entries []map[string]any, next string) // n calls were made before; q is ?page=
		want string
		most int64 // calls
	}{
		{"to itself", func(n int64, _ string) ([]map[string]any, string) { return []map[string]any{file(n)}, "1" },
			fmt.Sprintf("does not end after %d pages", maxPages), maxPages},
		{"many fresh files on fresh pages", func(n int64, _ string) (all []map[string]any, next string) {
			for i := range int64(2000) {
				all = append(all, file(n*2000+i))
			}
			return all, fmt.Sprint(n + 1)
		}, "does not end after 101 pages and 202000 files", 101},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int64
			var hub *httptest.Server
			hub = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				entries, next := tt.page(calls.Add(1)-1, r.URL.Query().Get("page"))
				if next != "" {
					w.Header().Set("Link", fmt.Sprintf(`<%s%s?page=%s>; rel="next"`, hub.URL, r.URL.Path, next))
				}
				w.Header().Set("Content-Type", "application/json")
				if entries == nil {
					entries = []map[string]any{}
				}
				_ = json.NewEncoder(w).Encode(entries)
			}))
			defer hub.Close()
			c, err := New(Options{Endpoint: hub.URL, Cache: t.TempDir(), Wait: time.Millisecond, Tries: 1})
			if err != nil {
				t.Fatal(err)
			}
			r, err := ParseModel("hf:acme/endless@" + mainCommit)
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			_, err = c.Model(t.Context(), r)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
			if n := calls.Load(); n > tt.most {
				t.Errorf("%d calls, want at most %d", n, tt.most)
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("it took %v", took)
			}
		})
	}
}
