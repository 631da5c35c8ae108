package hub

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"infnet/harness/regular"
)

// cache is one repository's part of the hub's cache, laid out as the hub's "local cache" page describes:
//
//	.locks/datasets--owner--name/DIGEST.lock
//	datasets--owner--name/
//	  refs/REVISION            the commit it was at last
//	  blobs/DIGEST             content; DIGEST.incomplete while it comes
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

func (s cache) blob(digest string) string     { return s.at("blobs", digest) }
func (s cache) snapshot(commit string) string { return s.at("snapshots", commit) }
func (s cache) pointer(commit, name string) string {
	return s.at("snapshots", commit, filepath.FromSlash(name))
}
func (s cache) refFile(revision string) string { return s.at("refs", filepath.FromSlash(revision)) }

// listFile is where the listing of a reference at a commit is kept.
func (s cache) listFile(commit string) string {
	sum := sha256.Sum256([]byte(s.ref.Config + "\x00" + s.ref.Split))
	return s.at(".infnet", commit, hex.EncodeToString(sum[:8])+".json")
}

// listing is which files a reference is.
type listing struct {
	Version int     `json:"version"` // listVersion
	Config  string  `json:"config,omitempty"`
	Split   string  `json:"split,omitempty"`
	Partial bool    `json:"partial,omitempty"`
	Files   []entry `json:"files"`
}

// entry is a file of a repository.
type entry struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	Digest string `json:"digest"` // "" = found in the cache, where nothing says
}

const listVersion = 1

// readListing returns a stored listing; false where there is none to be used.
func (s cache) readListing(commit string) (listing, bool) {
	b, err := regular.ReadFile(s.listFile(commit))
	if err != nil {
		return listing{}, false
	}
	var l listing
	if json.Unmarshal(b, &l) != nil || l.Version != listVersion || len(l.Files) == 0 {
		return listing{}, false
	}
	for _, e := range l.Files {
		if e.check() != nil {
			return listing{}, false
		}
	}
	return l, true
}

// readRef returns the commit a revision was at last.
func (s cache) readRef(revision string) (string, bool) {
	b, err := regular.ReadFile(s.refFile(revision))
	commit := strings.TrimSpace(string(b))
	return commit, err == nil && commitSHA.MatchString(commit)
}

// write replaces a file whole or not at all.
func (s cache) write(path string, b []byte) error {
	if old, err := regular.ReadFile(path); err == nil && string(old) == string(b) {
		return nil
	}
	return s.fill(path, bytes.NewReader(b))
}

// fill replaces a file with what in gives, whole or not at all.
func (s cache) fill(path string, in io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return s.diagnose(err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return s.diagnose(err)
	}
	_, err = io.Copy(f, in)
	if err = errors.Join(err, f.Sync(), f.Chmod(readable), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return s.diagnose(err)
}

// readable is the mode of small files; os.CreateTemp makes them private.
const readable = 0o644

// link makes the snapshot's name for a blob: a relative symbolic link, else a
// hard link, else a copy (file systems without links).
func (s cache) link(commit string, e entry) (string, error) {
	pointer, blob := s.pointer(commit, e.Path), s.blob(e.Digest)
	if have, err := os.Stat(pointer); err == nil && have.Size() == e.Size {
		return pointer, nil
	}
	if err := os.MkdirAll(filepath.Dir(pointer), 0o777); err != nil {
		return "", s.diagnose(err)
	}
	target, err := filepath.Rel(filepath.Dir(pointer), blob)
	if err != nil {
		return "", err
	}
	// What is there, a link to nothing, is replaced in one step: another client may be reading.
	fresh := filepath.Join(filepath.Dir(pointer), ".tmp-"+rand.Text())
	if os.Symlink(target, fresh) == nil || os.Link(blob, fresh) == nil {
		err := os.Rename(fresh, pointer)
		if err == nil {
			return pointer, nil
		}
		os.Remove(fresh)
		return "", s.diagnose(err)
	}
	in, err := regular.Open(blob)
	if err != nil {
		return "", err
	}
	defer in.Close()
	return pointer, s.fill(pointer, in)
}

// diagnose adds to an error of the disk what can be done about it.
func (s cache) diagnose(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return &CacheError{s.root, fmt.Sprintf("no room left on the disk of the hub's cache %s: free some, or set HF_HOME "+
			"to a folder on a larger disk; what has come so far is kept: %v", s.root, err), err}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &CacheError{s.root, fmt.Sprintf("the hub's cache %s cannot be written: set HF_HOME to a folder of yours: %v",
			s.root, err), err}
	}
	return err
}

// lockPoll is how often a taken lock is tried again.
const lockPoll = 50 * time.Millisecond

// lock waits until no other process or goroutine holds the lock of a digest.
// The lock is the one that the hub's Python library takes.
func (s cache) lock(ctx context.Context, digest string) (unlock func(), err error) {
	path := filepath.Join(s.root, ".locks", s.folder(), digest+".lock")
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
			return nil, fmt.Errorf("while waiting for another download of the same file (%s): %w", path, context.Cause(ctx))
		case <-time.After(lockPoll):
		}
	}
}

// cached lists what a snapshot of the cache holds.
func (s cache) cached(commit string) ([]entry, error) {
	var out []entry
	root := s.snapshot(commit)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := os.Stat(path) // what the link points to
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		out = append(out, entry{Path: filepath.ToSlash(name), Size: info.Size(), Digest: digestOf(path)})
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return out, err
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
	Folder string // of the cache
	what   string
	err    error
}

func (e *CacheError) Error() string { return e.what }
func (e *CacheError) Unwrap() error { return e.err }
