package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What a run used stays, and of the rest the newest; files of others stay too.
func TestCacheIsPruned(t *testing.T) {
	dir := t.TempDir()
	old := &folderCache{dir: dir}
	for i := range spareCached + 5 {
		key := fmt.Sprintf("old%02d", i)
		if err := old.Put(key, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(int64(1000+i), 0)
		if err := os.Chtimes(old.path(key), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "note.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	c := &folderCache{dir: dir}
	if _, ok := c.Get("old00"); !ok {
		t.Fatal("what was put is not found")
	}
	if err := c.Put("new", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	c.prune()
	for name, want := range map[string]bool{
		"old00.json": true, "new.json": true, "note.txt": true, // used, kept, of others
		"old01.json": false, "old04.json": false, "old05.json": true, "old36.json": true, // 36 spare, 4 too many
	} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: there %v, want %v", name, err == nil, want)
		}
	}
	(&folderCache{dir: filepath.Join(dir, "none")}).prune()
}
