package hub

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the cache holds is seen without a connection, and without reading weights.
func TestLook(t *testing.T) {
	const index = `{"weight_map":{"a":"model-00001-of-00002.safetensors","b":"model-00002-of-00002.safetensors"}}`
	l := serve(t)
	l.add("models/owner/one", "main", mainCommit, map[string]string{"config.json": "{}", "model.safetensors": "weights",
		"consolidated.safetensors": "the same weights"})
	l.add("models/owner/two", "main", mainCommit, map[string]string{"config.json": "{}",
		"model.safetensors.index.json":     index,
		"model-00001-of-00002.safetensors": "one", "model-00002-of-00002.safetensors": "second"})
	c := client(t, l, func(*Options) {})
	look := func(name string) Held {
		t.Helper()
		r, err := ParseModel(name)
		if err != nil {
			t.Fatal(err)
		}
		h, err := c.Look(r)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	for _, name := range []string{"hf:owner/one", "hf:owner/one@" + mainCommit} {
		if h := look(name); h.Lacks != "nothing is in the cache" || h.Weights != 0 {
			t.Errorf("%s before: %+v", name, h)
		}
	}
	if len(l.calls) > 0 {
		t.Errorf("looking asked the hub: %v", l.calls)
	}
	for _, name := range []string{"hf:owner/one", "hf:owner/two"} {
		r, _ := ParseModel(name)
		if _, err := c.Download(t.Context(), r, nil); err != nil {
			t.Fatal(err)
		}
	}
	if h := look("hf:owner/one"); h.Lacks != "" || h.Weights != int64(len("weights")) {
		t.Errorf("complete: %+v", h)
	}
	if h := look("hf:owner/two@" + mainCommit); h.Lacks != "" || h.Weights != int64(len("one")+len("second")) {
		t.Errorf("complete, of two files: %+v", h)
	}
	shard, err := filepath.Glob(filepath.Join(c.o.Cache, "models--owner--two", "snapshots", mainCommit, "model-00002*"))
	if err != nil || len(shard) != 1 {
		t.Fatal(shard, err)
	}
	if err := os.Remove(shard[0]); err != nil {
		t.Fatal(err)
	}
	if h := look("hf:owner/two"); !strings.Contains(h.Lacks,
		"1 files of safetensors weights, and 2") ||
		h.Weights != int64(len("one")) {
		t.Errorf("half: %+v", h)
	}
}

// The hub says how large weights are and who may read them; nothing is downloaded.
func TestSize(t *testing.T) {
	l := serve(t)
	files := map[string]string{"config.json": "{}", "model.safetensors": "weights", "consolidated.safetensors": "again",
		"original/model.safetensors": "elsewhere", "README.md": "# card"}
	l.add("models/owner/open", "main", mainCommit, files)
	l.add("models/owner/gated", "main", mainCommit, files).gated = "hf_right"
	for _, tt := range []struct {
		name, ref, token string
		size             int64
		gated            bool
		want             string
	}{
		{name: "open", ref: "hf:owner/open", size: 7},
		{name: "at a commit", ref: "hf:owner/open@" + mainCommit, size: 7},
		{name: "without a token", ref: "hf:owner/gated", gated: true, want: "accept the conditions, and set HF_TOKEN"},
		{name: "without access", ref: "hf:owner/gated", token: "hf_other", gated: true, want: "has access"},
		{name: "with access", ref: "hf:owner/gated", token: "hf_right", size: 7},
		{name: "unknown", ref: "hf:owner/none", gated: true, want: "no model owner/none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := ParseModel(tt.ref)
			if err != nil {
				t.Fatal(err)
			}
			c := client(t, l, func(o *Options) { o.Token = tt.token })
			size, err := c.Size(t.Context(), r)
			var gated *GatedError
			if errors.As(err, &gated) != tt.gated || size != tt.size {
				t.Errorf("%d bytes, %v", size, err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
			if blobs, _ := filepath.Glob(filepath.Join(c.o.Cache, "models--*", "blobs", "*")); len(blobs) > 0 {
				t.Errorf("downloaded: %v", blobs)
			}
		})
	}
}

// Space is that of the disk, also where the cache's folder is not there yet.
func TestSpace(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{dir, filepath.Join(dir, "a", "b")} {
		c, err := New(Options{Cache: folder})
		if err != nil {
			t.Fatal(err)
		}
		n, known := c.Space()
		if _, can := free(dir); known != can || known && n <= 0 {
			t.Errorf("%s: %d, %v", folder, n, known)
		}
	}
}
