package hub

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A download that is interrupted in any way begins anew, and ends with the right bytes.
func TestDisturbed(t *testing.T) {
	const ref, file = "hf:nyu-mll/glue/sst2:train", "train/0000.parquet/"
	for _, tt := range []struct {
		name   string
		faults []fault
		want   string // "" = it succeeds
	}{
		{name: "cut twice", faults: []fault{{path: file, cut: 100_000}, {path: file, cut: 50_000}}},
		{name: "429 with Retry-After", faults: []fault{{path: "revision", status: 429, header: "Retry-After: 0.001"}}},
		{name: "500 and 503", faults: []fault{{path: "tree", status: 500}, {path: file, status: 503}}},
		{name: "403 for ever", faults: slices.Repeat([]fault{{path: file, status: 403}}, 9),
			want: "HTTP 403: from the server of large files"},
		{name: "a spoilt byte", faults: []fault{{path: file, flip: true}}},
		{name: "a web page in the place of JSON", faults: []fault{{path: "tree", garbage: true}}},
		{name: "a stall", faults: []fault{{path: file, stall: true}}},
		{name: "spoilt for ever", faults: slices.Repeat([]fault{{path: file, flip: true}}, 9),
			want: "digest is not the one"},
		{name: "500 for ever", faults: slices.Repeat([]fault{{path: file, status: 500}}, 9), want: "HTTP 500"},
		{name: "web pages for ever", faults: slices.Repeat([]fault{{path: "tree", garbage: true}}, 9),
			want: "is HF_ENDPOINT the hub?"},
		{name: "too many bytes", faults: []fault{{path: file, extra: true}}},
		{name: "404 of a listed file", faults: []fault{{path: file, status: 404}}, want: "HTTP 404"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := serve(t)
			glue(l)
			l.wrong(tt.faults...)
			const token = "hf_secret"
			c := client(t, l, func(o *Options) {
				o.Token = token
				if o.Stall = time.Minute; slices.ContainsFunc(tt.faults, func(f fault) bool { return f.stall }) {
					o.Stall = 300 * time.Millisecond
				}
			})
			d, err := c.Download(t.Context(), reference(t, ref), nil)
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Fatalf("error %v, want %q in it", err, tt.want)
				}
				if strings.Contains(err.Error(), token) || strings.Contains(err.Error(), "signed") {
					t.Errorf("a secret is in the error %q", err)
				}
				l.mu.Lock()
				l.faults = nil
				l.mu.Unlock()
				d, err = c.Download(t.Context(), reference(t, ref), nil) // the next run mends it
			}
			if err != nil {
				t.Fatal(err)
			}
			want := []string{body("train 0", 300_000), body("train 1", 200_000), body("train 2", 100_000)}
			if got := contents(t, d); !slices.Equal(got, want) {
				t.Error("other bytes than the hub's")
			}
			if left, _ := filepath.Glob(filepath.Join(c.o.Cache, "*", "blobs", "*.infnet")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// What a killed process left is replaced, and enough files are enough.
func TestKilledBefore(t *testing.T) {
	whole := body("train 0", 300_000)
	l := serve(t)
	glue(l)
	c := client(t, l)
	s := cache{root: c.o.Cache, ref: reference(t, "hf:nyu-mll/glue/sst2:train")}
	blob := s.blob(lfsDigest(whole))
	if err := os.MkdirAll(filepath.Dir(blob), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, blob, whole[:100_000])
	write(t, blob+".infnet", whole+"more")
	d, err := c.Download(t.Context(), s.ref, func([]File) (bool, error) { return true, nil })
	if err != nil {
		t.Fatal(err)
	}
	if got := contents(t, d); !slices.Equal(got, []string{whole}) || d.Of != 3 {
		t.Errorf("other bytes than the hub's, or %d files instead of 3", d.Of)
	}
}

// A full disk is an error that says so. /dev/full is a real one.
func TestDiskFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	l := serve(t)
	glue(l)
	c := client(t, l)
	s := cache{root: c.o.Cache, ref: reference(t, "hf:nyu-mll/glue/sst2:train")}
	partial := s.blob(lfsDigest(body("train 0", 300_000))) + ".infnet"
	if err := os.MkdirAll(filepath.Dir(partial), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/full", partial); err != nil {
		t.Fatal(err)
	}
	_, err := c.Download(t.Context(), s.ref, nil)
	if err == nil || !strings.Contains(err.Error(), "no room left on the disk") ||
		!strings.Contains(err.Error(), "HF_HOME") {
		t.Errorf("error %v", err)
	}
	if n := l.count("GET /sst2/train/0000"); n != 1 {
		t.Errorf("a full disk was tried %d times", n)
	}
}
