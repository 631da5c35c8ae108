package hub

import (
	"context"
	"crypto/sha1" // git names its objects by it
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"infnet/harness/regular"
)

// cache is one repository's part of the hub's cache, laid out as the hub's "local cache" page describes:
//
//	.locks/datasets--owner--name/infnet.lock
//	datasets--owner--name/
//	  refs/REVISION            the commit it was at last
//	  blobs/DIGEST             content; DIGEST.infnet while it comes
//	  snapshots/COMMIT/PATH    links into blobs
//	  .infnet/COMMIT/HASH.json ours: which files a reference is (a commit never changes)
type cache struct {
	root string
	ref  Ref
}

func (s cache) folder() string {
	return string(s.ref.Kind) + "s--" + strings.ReplaceAll(s.ref.Repo, "/", "--")
}

func (s cache) at(parts ...string) string {
	return filepath.Join(append([]string{s.root, s.folder()}, parts...)...)
}

func (s cache) blob(digest string) string      { return s.at("blobs", digest) }
func (s cache) snapshot(commit string) string  { return s.at("snapshots", commit) }
func (s cache) refFile(revision string) string { return s.at("refs", filepath.FromSlash(revision)) }

// listFile is where the listing of a reference at a commit is kept.
func (s cache) listFile(commit string) string {
	sum := sha256.Sum256([]byte(s.ref.Config + "\x00" + s.ref.Split))
	return s.at(".infnet", commit, hex.EncodeToString(sum[:8])+".json")
}

// listing is which files a reference is.
type listing struct {
	Config  string  `json:"config,omitempty"`
	Split   string  `json:"split,omitempty"`
	Partial bool    `json:"partial,omitempty"`
	Files   []entry `json:"files"`
}

// entry is a file of a repository.
type entry struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	Digest string `json:"digest"`
}

var digestForm = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// check refuses what could lead out of the cache's folder.
func (e entry) check() error {
	if !fs.ValidPath(e.Path) || e.Path == "." || strings.ContainsAny(e.Path, "\\:\x00") || e.Size < 0 ||
		!digestForm.MatchString(e.Digest) {
		return fmt.Errorf("the hub lists an impossible file: %q, size %d, digest %.80q", e.Path, e.Size, e.Digest)
	}
	return nil
}

// newHash returns what the digest of a file of this size is computed with:
// SHA-256, or git's SHA-1 of a header and the content.
func (e entry) newHash() hash.Hash {
	if len(e.Digest) == sha256.Size*2 {
		return sha256.New()
	}
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", e.Size)
	return h
}

// readListing returns a stored listing; false where there is none to be used.
func (s cache) readListing(commit string) (l listing, ok bool) {
	b, err := regular.ReadFile(s.listFile(commit))
	if err != nil || json.Unmarshal(b, &l) != nil || len(l.Files) == 0 {
		return listing{}, false
	}
	for _, e := range l.Files {
		if e.check() != nil {
			return listing{}, false
		}
	}
	return l, true
}

func (s cache) writeListing(commit string, l listing) error {
	b, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	return s.write(s.listFile(commit), append(b, '\n'))
}

// readRef returns the commit a revision was at last.
func (s cache) readRef(revision string) (string, bool) {
	b, err := regular.ReadFile(s.refFile(revision))
	commit := strings.TrimSpace(string(b))
	return commit, err == nil && commitSHA.MatchString(commit)
}

// write replaces a small file whole or not at all.
func (s cache) write(path string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return s.diagnose(err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return s.diagnose(err)
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Chmod(0o644), f.Close()); err == nil { // a temporary file is private
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return s.diagnose(err)
}

// fetch makes sure that a file is in the cache and linked into its snapshot.
func (c *Client) fetch(ctx context.Context, s cache, commit string, e entry, p Progress) (File, error) {
	f := File{Path: filepath.Join(s.snapshot(commit), filepath.FromSlash(e.Path)), Name: e.Path, Size: e.Size,
		Digest: e.Digest}
	if e.at(f.Path) {
		return f, nil
	}
	if c.o.Offline {
		return File{}, c.missing(s.ref, fmt.Sprintf("%s: %s", s.ref, e.Path))
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return File{}, err
	}
	defer unlock()
	if !e.at(s.blob(e.Digest)) { // no other process fetched it while this one waited
		if err := c.bring(ctx, s, commit, e, p); err != nil {
			return File{}, c.explain(s.ref, s.diagnose(fmt.Errorf("%s: %w", e.Path, err)))
		}
	}
	return f, s.diagnose(link(s.blob(e.Digest), f.Path))
}

// at reports whether the file is there, by its size: its digest was checked when it came.
func (e entry) at(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() == e.Size
}

// link makes the snapshot's name for a blob: a relative symbolic link, else a hard link.
func link(blob, name string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	target, err := filepath.Rel(filepath.Dir(name), blob)
	if err != nil {
		return err
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) { // it leads to nothing
		return err
	}
	if os.Symlink(target, name) == nil {
		return nil
	}
	return os.Link(blob, name)
}

// errDigest is a file that came whole and is another one.
var errDigest = errors.New("its digest is not the one that the hub lists")

// bring downloads a blob. A try that breaks off is followed by one from the first byte.
func (c *Client) bring(ctx context.Context, s cache, commit string, e entry, p Progress) error {
	blob := s.blob(e.Digest)
	if err := os.MkdirAll(filepath.Dir(blob), 0o777); err != nil {
		return err
	}
	partial := blob + ".infnet"
	err := c.get(ctx, c.file(s.ref, commit, e.Path), func(resp *http.Response) error {
		f, err := os.Create(partial)
		if err != nil {
			return &permanent{err}
		}
		defer f.Close()
		d := &sink{h: e.newHash(), p: p, report: c.o.Progress}
		_, err = io.Copy(io.MultiWriter(f, d), io.LimitReader(resp.Body, e.Size+1))
		if errors.As(err, new(*fs.PathError)) {
			return &permanent{err}
		}
		if err == nil && d.p.Done < e.Size {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return fmt.Errorf("%s sent %d of %d bytes: %w", c.base.Host, d.p.Done, e.Size, err)
		}
		if got := hex.EncodeToString(d.h.Sum(nil)); got != e.Digest {
			return fmt.Errorf("%w (%s, not %s)", errDigest, got, e.Digest)
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return &permanent{err}
		}
		return nil
	})
	if err != nil {
		os.Remove(partial)
		return err
	}
	return os.Rename(partial, blob)
}

// sink hashes the bytes of a download, and reports every megabyte and the end.
type sink struct {
	h      hash.Hash
	p      Progress
	report func(Progress)
}

func (d *sink) Write(b []byte) (int, error) {
	before := d.p.Done
	d.p.Done += int64(len(b))
	if d.report != nil && (before>>20 != d.p.Done>>20 || d.p.Done == d.p.Size) {
		d.report(d.p)
	}
	return d.h.Write(b)
}

// lock waits until no other process or goroutine downloads a file of this repository.
func (s cache) lock(ctx context.Context) (unlock func(), err error) {
	path := filepath.Join(s.root, ".locks", s.folder(), "infnet.lock")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, s.diagnose(err)
	}
	for {
		f, free, err := regular.TryLock(path)
		if err != nil {
			return nil, s.diagnose(fmt.Errorf("cannot lock %s: %w", path, err))
		}
		if free {
			return func() {
				if f.Close(); regular.Orphans {
					os.Remove(path)
				}
			}, nil
		}
		f.Close()
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("while waiting for another download (%s): %w", path, context.Cause(ctx))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// diagnose adds to an error of the disk what can be done about it.
func (s cache) diagnose(err error) error {
	fix := ""
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		fix = "no room left on the disk of the hub's cache %s: free some, or set HF_HOME to a folder on a larger disk"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		fix = "the hub's cache %s cannot be written: set HF_HOME to a folder of yours"
	default:
		return err
	}
	return &CacheError{fmt.Sprintf(fix+": %v", s.root, err), err}
}

// OfflineError says that something is not in the cache where no connection may be opened. It wraps fs.ErrNotExist.
type OfflineError struct {
	Ref  Ref
	what string
}

func (e *OfflineError) Error() string { return e.what }
func (e *OfflineError) Unwrap() error { return fs.ErrNotExist }

// CacheError says that the cache's disk is full or cannot be written.
type CacheError struct {
	what string
	err  error
}

func (e *CacheError) Error() string { return e.what }
func (e *CacheError) Unwrap() error { return e.err }
