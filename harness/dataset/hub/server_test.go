package hub

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	mainCommit   = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	exportCommit = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// loopback answers as the hub does: the API and small files from one server, large files by a redirect to another one,
// with the hub's headers and error codes.
type loopback struct {
	t   *testing.T
	hub *httptest.Server
	cdn *httptest.Server

	mu     sync.Mutex
	repos  map[string]*repo  // "datasets/owner/name"; filled before the first call
	blobs  map[string]string // large files by digest
	calls  []string          // method and path of every call, in order
	faults []fault           // of calls whose path contains fault.path; each is used up in turn
}

// repo is one repository: revision → commit → path → content.
type repo struct {
	refs    map[string]string
	commits map[string]map[string]string
	gated   string // the token that opens the files; "" = all may
	private bool
	moved   string // redirect to this repository
}

// fault is something that goes wrong with one call.
type fault struct {
	path    string
	status  int    // answer this status
	header  string // "Name: value"
	cut     int    // close the connection after this many bytes
	flip    bool   // spoil the first byte
	stall   bool   // send nothing until the client leaves
	extra   bool   // send one byte too many
	garbage bool   // answer a web page
}

// pageSize is the entries of a page of a listing: fewer than some listings have.
const pageSize = 3

func serve(t *testing.T) *loopback {
	t.Helper()
	l := &loopback{t: t, repos: map[string]*repo{}, blobs: map[string]string{}}
	l.hub = httptest.NewServer(http.HandlerFunc(l.handleHub))
	l.cdn = httptest.NewServer(http.HandlerFunc(l.handleCDN))
	t.Cleanup(l.hub.Close)
	t.Cleanup(l.cdn.Close)
	return l
}

// add adds a commit and the revision that points to it.
func (l *loopback) add(name, revision, commit string, files map[string]string) *repo {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.repos[name]
	if r == nil {
		r = &repo{refs: map[string]string{}, commits: map[string]map[string]string{}}
		l.repos[name] = r
	}
	r.refs[revision] = commit
	r.commits[commit] = files
	return r
}

func (l *loopback) wrong(f ...fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faults = append(l.faults, f...)
}

func (l *loopback) fault(path string) fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, f := range l.faults {
		if strings.Contains(path, f.path) {
			l.faults = slices.Delete(l.faults, i, i+1)
			return f
		}
	}
	return fault{}
}

// count returns the number of calls whose line contains s.
func (l *loopback) count(s string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, c := range l.calls {
		if strings.Contains(c, s) {
			n++
		}
	}
	return n
}

func (l *loopback) note(r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, r.Method+" "+r.URL.Path)
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("X-Error-Code", code)
	w.Header().Set("X-Error-Message", message)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"error": message})
}

func (l *loopback) handleHub(w http.ResponseWriter, r *http.Request) {
	l.note(r)
	f := l.fault(r.URL.Path)
	if f.header != "" {
		name, value, _ := strings.Cut(f.header, ": ")
		w.Header().Set(name, value)
	}
	switch {
	case f.garbage:
		fmt.Fprint(w, "<html>a captive portal</html>")
		return
	case f.status != 0:
		w.WriteHeader(f.status)
		fmt.Fprintf(w, `{"error":"fault for %s"}`, r.Header.Get("Authorization"))
		return
	}
	path, api := strings.CutPrefix(r.URL.EscapedPath(), "/api/")
	path = strings.TrimPrefix(path, "/")
	kind, rest, ok := strings.Cut(path, "/")
	if !ok || kind != "datasets" && kind != "models" {
		kind, rest = "models", path
	}
	for name, repo := range maps.All(l.repos) {
		tail, ok := strings.CutPrefix(kind+"/"+rest, name+"/")
		if !ok {
			continue
		}
		if repo.moved != "" {
			to := strings.Replace(r.URL.EscapedPath(), strings.TrimPrefix(name, kind+"/"), repo.moved, 1)
			http.Redirect(w, r, to+"?"+r.URL.RawQuery, http.StatusTemporaryRedirect)
			return
		}
		if repo.private {
			break
		}
		l.repo(w, r, repo, api, tail, f)
		return
	}
	refuse(w, http.StatusUnauthorized, "RepoNotFound", "Repository not found")
}

func unescape(s string) string {
	u, err := http.NewRequest("GET", "/"+s, nil)
	if err != nil {
		return s
	}
	return strings.TrimPrefix(u.URL.Path, "/")
}

func (l *loopback) repo(w http.ResponseWriter, r *http.Request, repo *repo, api bool, tail string, f fault) {
	verb, tail, _ := strings.Cut(tail, "/")
	revision, path, _ := strings.Cut(tail, "/")
	revision, path = unescape(revision), unescape(path)
	commit := revision
	if c, ok := repo.refs[revision]; ok {
		commit = c
	}
	files, ok := repo.commits[commit]
	if !ok {
		refuse(w, http.StatusNotFound, "RevisionNotFound", "Invalid rev id: "+revision)
		return
	}
	switch {
	case api && verb == "revision":
		json.NewEncoder(w).Encode(map[string]any{"id": "owner/name", "sha": commit, "private": false})
	case api && verb == "tree":
		l.tree(w, r, files, path)
	case !api && verb == "resolve":
		if repo.gated != "" && r.Header.Get("Authorization") != "Bearer "+repo.gated {
			status := http.StatusUnauthorized
			if r.Header.Get("Authorization") != "" {
				status = http.StatusForbidden
			}
			refuse(w, status, "GatedRepo", "Access to this repository is restricted")
			return
		}
		l.resolve(w, r, files, commit, path, f)
	default:
		http.NotFound(w, r)
	}
}

// large tells what is kept outside git.
func large(name string) bool {
	return strings.HasSuffix(name, ".parquet") || strings.HasSuffix(name, ".safetensors") ||
		strings.HasSuffix(name, "tokenizer.model")
}

func gitDigest(s string) string {
	sum := sha1.Sum([]byte(fmt.Sprintf("blob %d\x00%s", len(s), s)))
	return hex.EncodeToString(sum[:])
}

func lfsDigest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func (l *loopback) tree(w http.ResponseWriter, r *http.Request, files map[string]string, folder string) {
	recursive := r.URL.Query().Get("recursive") == "true"
	var out []map[string]any
	dirs := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		rest, ok := strings.CutPrefix(name, folder+"/")
		if folder == "" {
			rest, ok = name, true
		}
		if !ok {
			continue
		}
		if dir, _, deep := strings.Cut(rest, "/"); deep {
			if !dirs[dir] {
				out = append(out, map[string]any{"type": "directory", "oid": gitDigest(dir), "size": 0,
					"path": strings.TrimPrefix(folder+"/"+dir, "/")})
				dirs[dir] = true
			}
			if !recursive {
				continue
			}
		}
		content := files[name]
		e := map[string]any{"type": "file", "oid": gitDigest(content), "size": len(content), "path": name}
		if large(name) {
			e["oid"] = gitDigest("pointer to " + content)
			e["lfs"] = map[string]any{"oid": lfsDigest(content), "size": len(content), "pointerSize": 130}
			e["xetHash"] = strings.Repeat("c", 64)
		}
		out = append(out, e)
	}
	if folder != "" && len(out) == 0 {
		refuse(w, http.StatusNotFound, "EntryNotFound", folder+" does not exist")
		return
	}
	from, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
	to := min(from+pageSize, len(out))
	if to < len(out) && w.Header().Get("Link") == "" { // a fault may have set it
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?recursive=%t&cursor=%d>; rel="next"`, l.hub.URL, r.URL.EscapedPath(),
			recursive, to))
	}
	json.NewEncoder(w).Encode(append([]map[string]any{}, out[from:to]...))
}

func (l *loopback) resolve(w http.ResponseWriter, r *http.Request, files map[string]string, commit, path string,
	f fault) {
	content, ok := files[path]
	if !ok {
		refuse(w, http.StatusNotFound, "EntryNotFound", "Entry not found")
		return
	}
	w.Header().Set("X-Repo-Commit", commit)
	if !large(path) {
		w.Header().Set("ETag", `"`+gitDigest(content)+`"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(content))
		return
	}
	w.Header().Set("X-Linked-ETag", `"`+lfsDigest(content)+`"`)
	w.Header().Set("X-Linked-Size", strconv.Itoa(len(content)))
	l.mu.Lock()
	l.blobs[lfsDigest(content)] = content
	l.mu.Unlock()
	w.Header().Set("Location", l.cdn.URL+"/"+path+"/"+lfsDigest(content)+"?X-Amz-Signature=signed")
	w.WriteHeader(http.StatusFound)
}

// handleCDN serves what is kept outside git, to anybody with the address.
func (l *loopback) handleCDN(w http.ResponseWriter, r *http.Request) {
	l.note(r)
	if a := r.Header.Get("Authorization"); a != "" {
		l.t.Errorf("the server of large files was sent the token")
	}
	f := l.fault(r.URL.Path)
	digest := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	l.mu.Lock()
	content, ok := l.blobs[digest]
	l.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	if f.header != "" {
		name, value, _ := strings.Cut(f.header, ": ")
		w.Header().Set(name, value)
	}
	switch {
	case f.status != 0:
		http.Error(w, "<Error>fault</Error>", f.status)
		return
	case f.stall:
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return
	case f.flip:
		content = "\x00" + content[1:]
	case f.extra:
		fmt.Fprint(w, content+"!")
		return
	}
	if f.cut > 0 {
		w = &cutter{ResponseWriter: w, left: f.cut}
	}
	w.Header().Set("ETag", `"`+digest+`"`)
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(content))
}

// cutter breaks the connection after some bytes.
type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Write(b []byte) (int, error) {
	if len(b) < c.left {
		c.left -= len(b)
		return c.ResponseWriter.Write(b)
	}
	c.ResponseWriter.Write(b[:c.left])
	c.ResponseWriter.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}
