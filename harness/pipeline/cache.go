package pipeline

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"infnet/harness/regular"
	"infnet/harness/store"
)

// spareCached is how many files that a run did not use stay in the cache: results for other options
// remain available, but the folder does not grow for ever.
const spareCached = 256

// computed is where the store's folder keeps expensive computations, by the hash of what they depend on. Studies share
// it; it may be deleted at any time.
const computed = "cache"

// folderCache is a folder of files named by hash.
type folderCache struct {
	dir   string
	blind bool // finds what was kept in this run alone: everything is computed anew

	mu   sync.Mutex
	used map[string]bool // keys asked for or kept
}

func (c *folderCache) Get(key string) ([]byte, bool) {
	c.mu.Lock()
	kept := c.used[key]
	c.mu.Unlock()
	if c.blind && !kept {
		return nil, false
	}
	data, err := regular.ReadFile(c.path(key))
	if err == nil {
		c.use(key)
	}
	return data, err == nil
}

func (c *folderCache) Put(key string, data []byte) error {
	err := store.WriteFile(c.path(key), append(data, '\n'))
	c.use(key)
	return err
}

func (c *folderCache) path(key string) string { return filepath.Join(c.dir, key+".json") }

func (c *folderCache) use(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used == nil {
		c.used = map[string]bool{}
	}
	c.used[key] = true
}

// prune deletes the unused files except for the newest spareCached. Errors are ignored: they only
// cost space.
func (c *folderCache) prune() {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return // none was kept
	}
	type file struct {
		name string
		at   time.Time
	}
	var spare []file
	for _, e := range entries {
		key, ours := strings.CutSuffix(e.Name(), ".json")
		info, err := e.Info()
		if !ours || c.used[key] || err != nil || !info.Mode().IsRegular() {
			continue
		}
		spare = append(spare, file{e.Name(), info.ModTime()})
	}
	slices.SortFunc(spare, func(a, b file) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.name, b.name)) })
	for _, f := range spare[min(len(spare), spareCached):] {
		_ = os.Remove(filepath.Join(c.dir, f.name))
	}
}
