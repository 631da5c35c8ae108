package hub

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestFromEnvironment(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "token"), "hf_file\n")
	for _, tt := range []struct {
		name string
		env  map[string]string
		want Options
	}{
		{"nothing but a home", map[string]string{"HOME": "/h"}, Options{Cache: "/h/.cache/huggingface/hub"}},
		{"XDG", map[string]string{"HOME": "/h", "XDG_CACHE_HOME": "/x"}, Options{Cache: "/x/huggingface/hub"}},
		{"HF_HOME", map[string]string{"HOME": "/h", "HF_HOME": "/hf"}, Options{Cache: "/hf/hub"}},
		{"endpoint, token, offline", map[string]string{"HF_HOME": "/hf", "HF_ENDPOINT": "https://m", "HF_TOKEN": " hf_x\n",
			"HF_HUB_OFFLINE": "true"},
			Options{Cache: "/hf/hub", Endpoint: "https://m", Token: "hf_x", Offline: true}},
		{"a token file", map[string]string{"HF_HOME": dir}, Options{Cache: filepath.Join(dir, "hub"), Token: "hf_file"}},
		{"not offline", map[string]string{"HF_HOME": "/hf", "HF_HUB_OFFLINE": "0"}, Options{Cache: "/hf/hub"}},
	} {
		got, err := FromEnvironment(func(name string) string { return tt.env[name] })
		if err != nil || got.Cache != tt.want.Cache || got.Endpoint != tt.want.Endpoint || got.Token != tt.want.Token ||
			got.Offline != tt.want.Offline {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
	if _, err := FromEnvironment(func(string) string { return "" }); err == nil {
		t.Error("no home at all: no error")
	}
}

func TestNew(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    Options
		want string
	}{
		{"the hub", Options{Cache: "/c"}, ""},
		{"a mirror in a folder", Options{Cache: "/c", Endpoint: "https://mirror.example/hf/"}, ""},
		{"no URL", Options{Cache: "/c", Endpoint: "mirror"}, "no plain URL"},
		{"a password", Options{Cache: "/c", Endpoint: "https://u:hunter2@mirror"}, "no plain URL"},
		{"no cache", Options{}, "HF_HOME"},
		{"a broken token", Options{Cache: "/c", Token: "hf_a\nb"}, "HF_TOKEN"},
	} {
		_, err := New(tt.o)
		if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if err != nil && (strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "hf_a")) {
			t.Errorf("%s: a secret is in %q", tt.name, err)
		}
	}
}

// FuzzParse: what is accepted is written as it was read, and stays inside the
// cache.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"hf:nyu-mll/glue/sst2:train@main", "hf:a", "hf:a/b/c", "hf:a/b@refs/convert/parquet",
		"hf:../x", "hf:a/b/\x00:x", "hf:::@@"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, parse := range []func(string) (Ref, error){ParseDataset, ParseModel} {
			r, err := parse(s)
			if err != nil {
				continue
			}
			if r.String() != s {
				t.Errorf("%q is written %q", s, r.String())
			}
			again, err := parse(r.String())
			if err != nil || again != r {
				t.Errorf("%q read twice: %+v, %+v, %v", s, r, again, err)
			}
			st := cache{root: "/cache", ref: r}
			for _, p := range []string{st.at(), st.refFile(r.At()), st.listFile(mainCommit)} {
				if p != filepath.Clean(p) || !strings.HasPrefix(p, "/cache/") {
					t.Errorf("%q leads to %q", s, p)
				}
			}
			if !strings.HasPrefix(st.refFile(r.At()), st.at("refs")+"/") {
				t.Errorf("%q keeps its revision at %q", s, st.refFile(r.At()))
			}
		}
	})
}
