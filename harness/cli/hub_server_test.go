package cli

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

const (
	rowsCommit    = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	weightsCommit = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
)

// fakeHub answers as the Hugging Face hub does, to whoever has the token: a
// dataset of two Parquet files of 60 rows, and a tiny model. What it holds is
// small enough to be kept in git, where a file's digest is git's own.
type fakeHub struct {
	token string
	repos map[string]fakeRepo // "datasets/owner/name", "models/owner/name"

	mu    sync.Mutex
	calls []string
}

type fakeRepo struct {
	revision, commit string
	files            map[string][]byte
}

// takeCalls returns the paths asked for since the last call, and forgets them.
func (h *fakeHub) takeCalls() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := h.calls
	h.calls = nil
	return out
}

func (h *fakeHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	h.calls = append(h.calls, r.URL.Path)
	h.mu.Unlock()
	refuse := func(status int, code, message string) {
		w.Header().Set("X-Error-Code", code)
		w.Header().Set("X-Error-Message", message)
		w.WriteHeader(status)
	}
	path, api := strings.CutPrefix(r.URL.Path, "/api/")
	if path = strings.TrimPrefix(path, "/"); !strings.HasPrefix(path, "datasets/") && !strings.HasPrefix(path, "models/") {
		path = "models/" + path
	}
	parts := strings.SplitN(path, "/", 5) // kind, owner, name, verb, rest
	if len(parts) < 5 {
		refuse(404, "EntryNotFound", "no such route")
		return
	}
	repo, ok := h.repos[strings.Join(parts[:3], "/")]
	verb, rest := parts[3], parts[4]
	switch {
	case !ok:
		refuse(401, "RepoNotFound", "Repository not found")
	case r.Header.Get("Authorization") != "Bearer "+h.token: // it repeats the token, as no server should
		refuse(403, "GatedRepo", "no access with "+r.Header.Get("Authorization"))
	case api && verb == "revision" && (rest == repo.revision || rest == repo.commit):
		_ = json.NewEncoder(w).Encode(map[string]any{"sha": repo.commit})
	case api && verb == "tree":
		_, folder, _ := strings.Cut(rest, "/")
		list := []map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(repo.files)) {
			if folder == "" || strings.HasPrefix(name, folder+"/") {
				list = append(list, map[string]any{"type": "file", "path": name, "size": len(repo.files[name]),
					"oid": gitDigest(repo.files[name])})
			}
		}
		if len(list) == 0 {
			refuse(404, "EntryNotFound", folder+" does not exist")
			return
		}
		_ = json.NewEncoder(w).Encode(list)
	case !api && verb == "resolve" && strings.HasPrefix(rest, repo.commit+"/"):
		content, ok := repo.files[strings.TrimPrefix(rest, repo.commit+"/")]
		if !ok {
			refuse(404, "EntryNotFound", "Entry not found")
			return
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	default:
		refuse(404, "RevisionNotFound", "Invalid rev id")
	}
}

func gitDigest(b []byte) string {
	sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(b)), b...))
	return hex.EncodeToString(sum[:])
}

// shard is a Parquet file of n rows, numbered from the given one.
func shard(t *testing.T, from, n int) []byte {
	t.Helper()
	type row struct {
		Sentence string `parquet:"sentence"`
		Label    int64  `parquet:"label"`
		Index    int64  `parquet:"idx"`
	}
	rows := make([]row, n)
	for i := range rows {
		k := from + i
		rows[i] = row{Sentence: fmt.Sprintf("item %d is %s", k, []string{"bad", "good"}[k*k%3%2]),
			Label: int64(k * k % 3 % 2), Index: int64(k)}
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// serveHub starts the hub and sets the environment to it. The cache is a
// folder of the current one, where the helper infnet looks for the token.
func serveHub(t *testing.T) *fakeHub {
	t.Helper()
	weights := map[string][]byte{}
	tiny := os.DirFS(filepath.Join(root, "backends/local/testdata/tiny"))
	for _, name := range []string{"config.json", "generation_config.json", "model.safetensors", "tokenizer.model",
		"tokenizer_config.json"} {
		b := must(fs.ReadFile(tiny, name))
		weights[name] = b
	}
	h := &fakeHub{token: hushed, repos: map[string]fakeRepo{
		"datasets/acme/phrases": {revision: "refs/convert/parquet", commit: rowsCommit, files: map[string][]byte{
			"sst2/train/0000.parquet": shard(t, 1, 60), "sst2/train/0001.parquet": shard(t, 61, 60)}},
		"models/acme/tiny": {revision: "main", commit: weightsCommit, files: weights},
	}}
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	t.Chdir(t.TempDir())
	for name, value := range map[string]string{
		"HF_ENDPOINT": srv.URL, "HF_HOME": "cache", "HF_TOKEN": hushed, "HF_HUB_CACHE": "", "HUGGINGFACE_HUB_CACHE": "",
		"HF_HUB_OFFLINE":       "",
		"TRANSFORMERS_OFFLINE": "", "HUGGING_FACE_HUB_TOKEN": "", "HF_TOKEN_PATH": "", "HF_HUB_DISABLE_IMPLICIT_TOKEN": "",
	} {
		t.Setenv(name, value)
	}
	writeHubStudy(t, hubStudy)
	return h
}

func writeHubStudy(t *testing.T, text string) {
	t.Helper()
	save(t, "study.toml", text)
}

const hubStudy = `study = "hub"
report.page = false
split = { limit = 50, order = "file" }
cost  = { model = "tokens" }

[[models]]
name    = "small"
backend = "local"
path    = "hf:acme/tiny"

[[models]]
name      = "large"
backend   = "simulated"
simulated = { alpha = 5, beta = 1, intercept = 0.08 }

[[datasets]]
name   = "phrases"
source = "hf:acme/phrases/sst2:train"
task   = "classification"
fields = { text = "sentence" }
id     = "idx"
labels = [{ class = "0", word = "red" }, { class = "1", word = "negative" }]
prompt = "negative: {text}\ncolour:"

[[cascades]]
models = ["small", "large"]
`
