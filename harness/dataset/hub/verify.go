package hub

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"infnet/harness/regular"
)

// verify computes the digest of a file in the cache and compares it with the one it is known by. A file that passed is
// not read again for as long as its size and its time of modification stay: they are noted next to the
// listings, by digest. A note that cannot be written (a read-only cache) costs time only: the next start reads the
// file again.
func (s cache) verify(path string, e entry) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	stamp := fmt.Sprintf("%d bytes, modified %d\n", info.Size(), info.ModTime().UnixNano())
	note := s.at(".infnet", "verified", e.Digest)
	if have, err := regular.ReadFile(note); err == nil && string(have) == stamp {
		return nil
	}
	f, err := regular.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	h := e.newHash()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != e.Digest {
		real, _ := filepath.EvalSymlinks(path)
		return &CacheError{s.root, fmt.Sprintf("%s is damaged: its digest is %s, and the hub lists %s; delete %s, and a "+
			"run fetches it again", path, got, e.Digest, real), errDigest}
	}
	var cache *CacheError
	if err := s.write(note, []byte(stamp)); err != nil && !errors.As(err, &cache) {
		return err
	}
	return nil
}

// digestOf reads off a link of a snapshot which blob it is: blobs are named by
// their digests. "" = the file is no such link, and nothing says.
func digestOf(path string) string {
	to, err := os.Readlink(path)
	if name := filepath.Base(to); err == nil && digestForm.MatchString(name) &&
		strings.HasSuffix(filepath.Dir(to), "blobs") {
		return name
	}
	return ""
}
