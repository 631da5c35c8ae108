package hub

import (
	"context"
	"crypto/sha1" // git names its objects by it
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var digestForm = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// check refuses what could lead out of the cache's folder.
func (e entry) check() error {
	if !fs.ValidPath(e.Path) || e.Path == "." || strings.ContainsAny(e.Path, "\\:\x00") {
		return fmt.Errorf("the hub lists a file with the impossible name %q", e.Path)
	}
	if e.Size < 0 || !digestForm.MatchString(e.Digest) {
		return fmt.Errorf("the hub lists %s with size %d and digest %.80q", e.Path, e.Size, e.Digest)
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

// errDigest is a file that came whole and is another one.
var errDigest = errors.New("its digest is not the one that the hub lists")

// fetch makes sure that a file is in the cache and linked into its snapshot.
func (c *Client) fetch(ctx context.Context, s cache, commit string, e entry, at, of int) (File, error) {
	if e.Digest == "" { // found offline, where nothing can be checked
		return File{Path: s.pointer(commit, e.Path), Name: e.Path, Size: e.Size}, nil
	}
	if !s.whole(e) {
		if c.o.Offline {
			return File{}, c.missing(s.ref, fmt.Sprintf("%s: %s is not in the cache %s", s.ref, e.Path, c.o.Cache))
		}
		unlock, err := s.lock(ctx, e.Digest)
		if err != nil {
			return File{}, err
		}
		defer unlock()
	}
	if !s.whole(e) { // no other process fetched it while this one waited
		p := Progress{Name: e.Path, At: at, Of: of, Size: e.Size}
		if err := c.bring(ctx, s, commit, e, p); err != nil {
			return File{}, fmt.Errorf("%s: %w", e.Path, err)
		}
	}
	path, err := s.link(commit, e)
	if err == nil {
		err = s.verify(path, e)
	}
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", e.Path, err)
	}
	return File{Path: path, Name: e.Path, Size: e.Size, Digest: e.Digest}, nil
}

// whole reports whether a blob is there, by its name and size; verify looks at its content.
func (s cache) whole(e entry) bool {
	info, err := os.Stat(s.blob(e.Digest))
	return err == nil && info.Size() == e.Size
}

// bring downloads a blob, going on where an earlier try stopped. A file that comes out wrong, which a disk or proxy
// may have spoilt, is fetched once more from its first byte.
func (c *Client) bring(ctx context.Context, s cache, commit string, e entry, p Progress) error {
	blob := s.blob(e.Digest)
	if err := os.MkdirAll(filepath.Dir(blob), 0o777); err != nil {
		return s.diagnose(err)
	}
	partial := blob + ".incomplete"
	f, err := os.OpenFile(partial, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return s.diagnose(err)
	}
	defer f.Close()
	err = c.into(ctx, f, s.ref, commit, e, p)
	if errors.Is(err, errDigest) {
		if err = f.Truncate(0); err == nil {
			err = c.into(ctx, f, s.ref, commit, e, p)
		}
	}
	if errors.Is(err, errDigest) {
		f.Truncate(0) // the next run begins anew
	}
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err == nil {
		err = os.Rename(partial, blob)
	}
	return s.diagnose(err)
}

// into fills f with a file and checks its digest.
func (c *Client) into(ctx context.Context, f *os.File, r Ref, commit string, e entry, p Progress) error {
	h := e.newHash()
	have, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if have > e.Size { // of something else
		if have, err = 0, f.Truncate(0); err != nil {
			return err
		}
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.CopyN(h, f, have); err != nil {
		return err
	}
	d := &sink{f: f, h: h, p: p, report: c.o.Progress}
	d.p.Done = have
	for d.p.Done < e.Size {
		err := c.again(ctx, func() (bool, error) {
			before := d.p.Done
			err := c.stretch(ctx, d, r, commit, e)
			return d.p.Done > before, err
		})
		if a := answered(err); !a.foreign && (a.status == http.StatusUnauthorized || a.status == http.StatusForbidden) {
			return c.explain(r, err) // the words for gated repositories
		}
		if err != nil {
			return err
		}
	}
	d.progress(true)
	if got := hex.EncodeToString(h.Sum(nil)); got != e.Digest {
		return fmt.Errorf("%w (%s, not %s)", errDigest, got, e.Digest)
	}
	return nil
}

// errStalled ends a try whose bytes stopped coming.
var errStalled = errors.New("no byte came for too long")

// stretch reads from where the file ends to the end of one response.
func (c *Client) stretch(ctx context.Context, d *sink, r Ref, commit string, e entry) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(c.o.Stall, func() { cancel(errStalled) })
	defer timer.Stop()
	resp, err := c.get(ctx, c.base.file(r, commit, e.Path), d.p.Done)
	if err != nil {
		return stalled(ctx, err)
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK: // the server does not resume
		if err := d.restart(e); err != nil {
			return err
		}
	case http.StatusPartialContent:
		if at, ok := rangeStart(resp.Header.Get("Content-Range")); !ok || at != d.p.Done {
			return fmt.Errorf("%s answers with another part (%.60q) than was asked for (from byte %d)", c.base.Host,
				resp.Header.Get("Content-Range"), d.p.Done)
		}
	}
	buf := make([]byte, 256<<10)
	for {
		n, err := resp.Body.Read(buf)
		timer.Reset(c.o.Stall)
		if d.p.Done+int64(n) > e.Size {
			return &permanent{fmt.Errorf("%s sends more than the %d bytes that it lists", c.base.Host, e.Size)}
		}
		n, werr := d.f.Write(buf[:n])
		d.h.Write(buf[:n])
		d.p.Done += int64(n)
		d.progress(false)
		if werr != nil {
			return &permanent{werr}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return stalled(ctx, c.unsent(err))
		}
	}
	if d.p.Done < e.Size {
		return fmt.Errorf("%s sent %d of %d bytes: %w", c.base.Host, d.p.Done, e.Size, io.ErrUnexpectedEOF)
	}
	return nil
}

// stalled puts the reason that we ended a try in the place of its symptom.
func stalled(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errStalled) {
		return errStalled
	}
	return err
}

// rangeStart reads the first byte's number in "bytes 10-99/100".
func rangeStart(s string) (int64, bool) {
	rest, ok := strings.CutPrefix(s, "bytes ")
	from, _, dash := strings.Cut(rest, "-")
	n, err := strconv.ParseInt(from, 10, 64)
	return n, ok && dash && err == nil
}

// sink takes the bytes of a download: into the file, the hash, the progress.
type sink struct {
	f        *os.File
	h        hash.Hash
	p        Progress
	report   func(Progress)
	reported int64 // bytes, at the last report
}

// restart empties the file.
func (d *sink) restart(e entry) error {
	if d.p.Done == 0 {
		return nil
	}
	d.p.Done, d.reported = 0, 0
	d.h = e.newHash()
	_, err := d.f.Seek(0, io.SeekStart)
	if err = errors.Join(err, d.f.Truncate(0)); err != nil {
		return &permanent{err}
	}
	return nil
}

// progress reports every megabyte, and the end.
func (d *sink) progress(end bool) {
	const every = 1 << 20
	if d.report == nil || !end && d.p.Done-d.reported < every {
		return
	}
	d.reported = d.p.Done
	d.report(d.p)
}
