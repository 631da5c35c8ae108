package hub

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pythonVariable names a Python that has the hub's own library. Tried with
// huggingface_hub 2.4.0.
const pythonVariable = "INFNET_HUB_PYTHON"

// python runs a program of the hub's own library against the loopback hub.
func python(t *testing.T, l *loopback, cache string, offline bool, program string) string {
	t.Helper()
	exe := os.Getenv(pythonVariable)
	if exe == "" {
		t.Skipf("set %s to a Python with huggingface_hub to let it witness", pythonVariable)
	}
	cmd := exec.Command(exe, "-c", program)
	cmd.Env = append(os.Environ(), "HF_ENDPOINT="+l.hub.URL, "HF_HUB_CACHE="+cache, "HF_HUB_DISABLE_XET=1",
		"HF_HUB_DISABLE_TELEMETRY=1", "HF_HOME="+t.TempDir())
	if offline {
		cmd.Env = append(cmd.Env, "HF_HUB_OFFLINE=1")
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// What we download, the hub's own library finds, and finds in order.
func TestPythonReadsOurCache(t *testing.T) {
	l := serve(t)
	glue(l)
	c := client(t, l)
	d, err := c.Dataset(t.Context(), reference(t, "hf:nyu-mll/glue/sst2:train"), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := python(t, l, c.o.Cache, true, `
from huggingface_hub import hf_hub_download, scan_cache_dir
print(hf_hub_download("nyu-mll/glue", "sst2/train/0001.parquet", repo_type="dataset", revision="refs/convert/parquet"))
info = scan_cache_dir()
print(len(info.warnings), [(r.repo_id, r.repo_type, r.nb_files) for r in info.repos])
`)
	want := d.Files[1].Path + "\n0 [('nyu-mll/glue', 'dataset', 3)]\n"
	if got != want {
		t.Errorf("the library says\n%s\nwant\n%s", got, want)
	}
}

// What it downloads, we find, offline.
func TestWeReadPythonsCache(t *testing.T) {
	l := serve(t)
	glue(l)
	l.add("models/owner/m", "main", mainCommit,
		map[string]string{"config.json": "{}", "model.safetensors": "w", "tokenizer.model": "p"})
	cache := t.TempDir()
	python(t, l, cache, false, `
from huggingface_hub import snapshot_download
snapshot_download("nyu-mll/glue", repo_type="dataset", allow_patterns=["sst2/*"])
snapshot_download("owner/m")
`)
	c := client(t, l, func(o *Options) { o.Cache = cache; o.Offline = true })
	d, err := c.Dataset(t.Context(), reference(t, "hf:nyu-mll/glue/sst2:train@main"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(contents(t, d), ""); got != body("own train 0", 4000)+body("own train 1", 3000) {
		t.Error("other bytes than the hub's")
	}
	r, err := ParseModel("hf:owner/m")
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Model(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(m.Dir, "model.safetensors")); err != nil || string(b) != "w" {
		t.Errorf("%q, %v", b, err)
	}
	// Online, nothing is downloaded a second time.
	before := l.count("resolve")
	c = client(t, l, func(o *Options) { o.Cache = cache })
	if _, err := c.Model(t.Context(), r); err != nil || l.count("resolve") != before {
		t.Errorf("%d downloads, %v", l.count("resolve")-before, err)
	}
}
