package hub

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/dataset/hub/ref"
)

// client is one on a fresh cache, quick to try again.
func client(t *testing.T, l *loopback, change ...func(*Options)) *Client {
	t.Helper()
	o := Options{Endpoint: l.hub.URL, Cache: t.TempDir(), Wait: time.Millisecond, Stall: time.Minute, Tries: 3}
	for _, f := range change {
		f(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func reference(t *testing.T, s string) Ref {
	t.Helper()
	r, err := ParseDataset(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// body is content of some length that differs from file to file.
func body(name string, n int) string {
	return (strings.Repeat(name+"\x00\xff|", n/len(name)+1))[:n]
}

// glue is a dataset with two configurations, its own Parquet files on main,
// and the hub's export with a long split in three files.
func glue(l *loopback) *repo {
	l.add("datasets/nyu-mll/glue", "main", mainCommit, map[string]string{
		"README.md":                              "# glue",
		"sst2/train-00000-of-00002.parquet":      body("own train 0", 4000),
		"sst2/train-00001-of-00002.parquet":      body("own train 1", 3000),
		"sst2/validation-00000-of-00001.parquet": body("own validation", 500),
		"mrpc/train-00000-of-00001.parquet":      body("own mrpc", 500),
	})
	return l.add("datasets/nyu-mll/glue", ref.ParquetExport, exportCommit, map[string]string{
		".gitattributes":               "*.parquet filter=lfs",
		"sst2/train/0000.parquet":      body("train 0", 300_000),
		"sst2/train/0001.parquet":      body("train 1", 200_000),
		"sst2/train/0002.parquet":      body("train 2", 100_000),
		"sst2/validation/0000.parquet": body("validation", 1000),
		"mrpc/train/0000.parquet":      body("mrpc", 1000),
	})
}

// contents reads what a download hands out.
func contents(t *testing.T, d *Download) []string {
	t.Helper()
	var out []string
	for _, f := range d.Files {
		b, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(b))
	}
	return out
}

func names(d *Download) []string {
	var out []string
	for _, f := range d.Files {
		out = append(out, f.Name)
	}
	return out
}

func TestDataset(t *testing.T) {
	l := serve(t)
	glue(l)
	l.add("datasets/owner/single", ref.ParquetExport, exportCommit, map[string]string{"default/train/0000.parquet": "x"})
	l.add("datasets/owner/huge", ref.ParquetExport, exportCommit, map[string]string{
		"default/partial-train/0000.parquet": "x", "default/partial-train/0001.parquet": "y",
		"default/test/0000.parquet": "z"})
	l.add("datasets/owner/old", "x", mainCommit, nil).moved = "nyu-mll/glue"
	l.add("datasets/owner/uploaded", "main", mainCommit, map[string]string{
		"data/train-00000-of-00002-0123456789abcdef.parquet": "0", "data/train-00001-of-00002-fedcba9876543210.parquet": "1",
		"data/test.parquet": "t", "notes.csv": "n"})
	for _, tt := range []struct {
		ref, pinned string
		files       []string
		partial     bool
	}{
		{"hf:nyu-mll/glue/sst2:train", "hf:nyu-mll/glue/sst2:train@" + exportCommit,
			[]string{"sst2/train/0000.parquet", "sst2/train/0001.parquet", "sst2/train/0002.parquet"}, false},
		{"hf:nyu-mll/glue/mrpc", "hf:nyu-mll/glue/mrpc:train@" + exportCommit, []string{"mrpc/train/0000.parquet"}, false},
		{"hf:nyu-mll/glue/sst2:train@main", "hf:nyu-mll/glue/sst2:train@" + mainCommit,
			[]string{"sst2/train-00000-of-00002.parquet", "sst2/train-00001-of-00002.parquet"}, false},
		{"hf:nyu-mll/glue/sst2:validation@" + mainCommit, "hf:nyu-mll/glue/sst2:validation@" + mainCommit,
			[]string{"sst2/validation-00000-of-00001.parquet"}, false},
		{"hf:owner/single", "hf:owner/single/default:train@" + exportCommit, []string{"default/train/0000.parquet"}, false},
		{"hf:owner/huge:train", "hf:owner/huge/default:train@" + exportCommit,
			[]string{"default/partial-train/0000.parquet", "default/partial-train/0001.parquet"}, true},
		{"hf:owner/old/mrpc:train", "hf:owner/old/mrpc:train@" + exportCommit, []string{"mrpc/train/0000.parquet"}, false},
		{"hf:owner/uploaded/default:train@main", "hf:owner/uploaded/default:train@" + mainCommit,
			[]string{"data/train-00000-of-00002-0123456789abcdef.parquet",
				"data/train-00001-of-00002-fedcba9876543210.parquet"}, false},
		{"hf:owner/uploaded:test@main", "hf:owner/uploaded/default:test@" + mainCommit, []string{"data/test.parquet"}, false},
	} {
		t.Run(tt.ref, func(t *testing.T) {
			c := client(t, l)
			d, err := c.Download(t.Context(), reference(t, tt.ref), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.files, names(d)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if d.Ref.String() != tt.pinned || d.Partial != tt.partial || d.Of != len(tt.files) {
				t.Errorf("pinned %s, partial %t, of %d; want %s, %t, %d", d.Ref, d.Partial, d.Of, tt.pinned, tt.partial,
					len(tt.files))
			}
			for i, content := range contents(t, d) {
				if f := d.Files[i]; lfsDigest(content) != f.Digest || int64(len(content)) != f.Size {
					t.Errorf("%s is not what its digest says", f.Name)
				}
			}
			// The pinned reference gives the same files.
			again, err := c.Download(t.Context(), reference(t, d.Ref.String()), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(d.Files, again.Files); diff != "" {
				t.Errorf("the pinned reference's files (-first +second):\n%s", diff)
			}
			// Listed once under its whole name, it costs no further call.
			before := l.count("")
			if _, err := c.Download(t.Context(), d.Ref, nil); err != nil || l.count("") != before {
				t.Errorf("a pinned reference in the cache: %d calls, %v", l.count("")-before, err)
			}
		})
	}
}

func TestDatasetErrors(t *testing.T) {
	l := serve(t)
	glue(l)
	l.add("datasets/owner/csv", "main", mainCommit, map[string]string{"train.csv": "a,b"})
	l.add("datasets/owner/hole", ref.ParquetExport, exportCommit,
		map[string]string{"default/train/0000.parquet": "a", "default/train/0002.parquet": "b"})
	l.add("datasets/owner/lost", "main", mainCommit, map[string]string{"data/train-00000-of-00002.parquet": "a"})
	l.add("datasets/owner/both", "main", mainCommit,
		map[string]string{"default/train/0000.parquet": "a", "data/train.parquet": "b"})
	l.add("datasets/owner/gated", ref.ParquetExport, exportCommit,
		map[string]string{"default/train/0000.parquet": "a"}).gated = "hf_right"
	l.add("datasets/owner/secret", ref.ParquetExport, exportCommit, nil).private = true
	for _, tt := range []struct {
		name, ref, token string
		want             []string // all in the error
	}{
		{"which configuration", "hf:nyu-mll/glue:train", "", []string{"which configuration", "mrpc, sst2", "/mrpc"}},
		{"which split", "hf:nyu-mll/glue/sst2", "", []string{"which split", "train, validation"}},
		{"no such configuration", "hf:nyu-mll/glue/cola:train", "", []string{`no configuration "cola"`, "mrpc, sst2"}},
		{"no such split", "hf:nyu-mll/glue/sst2:dev", "", []string{`no split "dev"`, "train, validation"}},
		{"no such revision", "hf:nyu-mll/glue/sst2:train@v9", "", []string{`no revision "v9"`}},
		{"a commit that is gone", "hf:nyu-mll/glue/sst2:train@" + strings.Repeat("0", 40), "",
			[]string{"no revision", "pin a commit of main"}},
		{"no export", "hf:owner/csv:train", "", []string{"no Parquet export", "@main"}},
		{"no Parquet", "hf:owner/csv:train@main", "", []string{"none of the 1 files is Parquet"}},
		{"a hole", "hf:owner/hole:train", "", []string{"not complete"}},
		{"a lost file", "hf:owner/lost:train@main", "", []string{"not complete"}},
		{"two layouts", "hf:owner/both:train@main", "", []string{"different kinds"}},
		{"gated, no token", "hf:owner/gated:train", "", []string{"is gated", "/datasets/owner/gated", "set HF_TOKEN"}},
		{"gated, wrong token", "hf:owner/gated:train", "hf_wrong",
			[]string{"is gated", "accept the conditions"}},
		{"private or missing", "hf:owner/secret:train", "", []string{"no dataset owner/secret", "set HF_TOKEN"}},
		{"private or missing, with a token", "hf:owner/nothing:train", "hf_wrong",
			[]string{"no dataset owner/nothing", "may read it"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := client(t, l, func(o *Options) { o.Token = tt.token })
			_, err := c.Download(t.Context(), reference(t, tt.ref), nil)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q, want %q in it", err, want)
				}
			}
			if tt.token != "" && strings.Contains(err.Error(), tt.token) {
				t.Errorf("the token is in the error %q", err)
			}
			if strings.Count(err.Error(), "hf:owner") > 1 {
				t.Errorf("the error %q says it twice", err)
			}
		})
	}
	c := client(t, l, func(o *Options) { o.Token = "hf_right" })
	if _, err := c.Download(t.Context(), reference(t, "hf:owner/gated:train"), nil); err != nil {
		t.Errorf("gated, with the right token: %v", err)
	}
}

func TestOffline(t *testing.T) {
	l := serve(t)
	glue(l)
	ref := reference(t, "hf:nyu-mll/glue/sst2:train")
	online := client(t, l)
	want, err := online.Download(t.Context(), ref, nil)
	if err != nil {
		t.Fatal(err)
	}
	off := client(t, l, func(o *Options) { o.Offline = true; o.Cache = online.o.Cache })
	before := l.count("")
	got, err := off.Download(t.Context(), ref, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("online and offline (-online +offline):\n%s", diff)
	}
	for _, tt := range []struct{ name, ref, want string }{
		{"never seen", "hf:owner/other:train", "run once without it"},
		{"another revision", "hf:nyu-mll/glue/sst2:train@main", "run once without it"},
		{"another commit", "hf:nyu-mll/glue/sst2:train@" + mainCommit, "run once without it"},
		{"another split", "hf:nyu-mll/glue/sst2:validation", "run once without it"},
	} {
		if _, err := off.Download(t.Context(), reference(t, tt.ref), nil); err == nil ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q in it", tt.name, err, tt.want)
		}
	}
	if n := l.count("") - before; n > 0 {
		t.Errorf("offline made %d calls", n)
	}
}

// Many clients on one cache fetch each file once.
func TestConcurrent(t *testing.T) {
	l := serve(t)
	glue(l)
	first := client(t, l)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			c, err := New(first.o) // as another process has it
			if err != nil {
				t.Error(err)
				return
			}
			d, err := c.Download(context.Background(), reference(t, "hf:nyu-mll/glue/sst2:train"), nil)
			if err != nil || len(d.Files) != 3 {
				t.Errorf("%v, %v", d, err)
			}
		})
	}
	wg.Wait()
	if n := l.count("GET /sst2/train/"); n != 3 {
		t.Errorf("%d downloads of 3 files", n)
	}
}

// A hostile hub cannot write outside the cache or get the token elsewhere.
func TestHostileListing(t *testing.T) {
	for _, name := range []string{"../../../etc/x.parquet", "/etc/x.parquet", "a//0.parquet",
		`default\train/0000.parquet`} {
		if err := (entry{Path: name, Digest: strings.Repeat("a", 64)}).check(); err == nil {
			t.Errorf("%q is accepted", name)
		}
	}
	if err := (entry{Path: "a.parquet", Digest: "../../x"}).check(); err == nil {
		t.Error("a digest with a path is accepted")
	}
	l := serve(t)
	glue(l)
	l.wrong(fault{path: "tree", header: `Link: <http://example.invalid/next>; rel="next"`})
	_, err := client(t, l).Download(t.Context(), reference(t, "hf:nyu-mll/glue/sst2:train"), nil)
	if err != nil && !strings.Contains(err.Error(), "not the hub") {
		t.Errorf("error %v", err)
	}
	if err == nil {
		t.Error("the listing went on at another host")
	}
	l.add("datasets/owner/odd", ref.ParquetExport, "../../x", map[string]string{"default/train/0000.parquet": "x"})
	if _, err := client(t, l).Download(t.Context(), reference(t, "hf:owner/odd:train"), nil); err == nil ||
		!strings.Contains(err.Error(), "names no commit") {
		t.Errorf("a commit with a path: %v", err)
	}
}
