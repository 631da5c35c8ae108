package hub

import (
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"infnet/harness/dataset/hub/ref"
)

func TestVerifyNoticesDamageOfTheRightSize(t *testing.T) {
	content := []byte("weights")
	for _, c := range []struct{ name, digest string }{
		{"large file, SHA-256", fmt.Sprintf("%x", sha256.Sum256(content))},
		{"small file, git's SHA-1", fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(content), content)))},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := cache{root: t.TempDir(), ref: Ref{Kind: ref.Model, Repo: "a/b"}}
			e := entry{Path: "model.safetensors", Size: int64(len(content)), Digest: c.digest}
			blob := s.blob(c.digest)
			if err := os.MkdirAll(filepath.Dir(blob), 0o777); err != nil {
				t.Fatal(err)
			}
			put := func(b string, at time.Time) {
				if err := errors.Join(os.WriteFile(blob, []byte(b), 0o644), os.Chtimes(blob, at, at)); err != nil {
					t.Fatal(err)
				}
			}
			first := time.Unix(1e9, 0)
			put("weights", first)
			for range 2 { // computed, then by its note
				if err := s.verify(blob, e); err != nil {
					t.Fatal(err)
				}
			}
			put("wEights", first.Add(time.Second))
			err := s.verify(blob, e)
			if err == nil || !errors.Is(err, errDigest) || !strings.Contains(err.Error(), c.digest) ||
				!strings.Contains(err.Error(), "delete "+blob) {
				t.Errorf("error %v", err)
			}
			// The rule: the same size, time and inode is the same file, unread.
			put("wEights", first)
			if err := s.verify(blob, e); err != nil {
				t.Errorf("read again although nothing says that it changed: %v", err)
			}
		})
	}
}
