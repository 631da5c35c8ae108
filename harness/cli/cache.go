package cli

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"infnet/harness/regular"
	"infnet/harness/store"
)

// cacheFolder, in a study's folder, holds dear computations by the hash of
// what they depend on. It may be deleted at any time.
const cacheFolder = "cache"

// spareCached is how many files that a run did not use stay in the cache: what
// was worked out with other options is there when they come back, and a folder
// does not grow for ever.
const spareCached = 32

// folderCache is a folder of files named by hash.
type folderCache struct {
	dir   string
	blind bool // finds nothing: everything is computed anew, and kept

	mu   sync.Mutex
	used map[string]bool // keys asked for or kept
}

func (c *folderCache) Get(key string) ([]byte, bool) {
	if c.blind {
		return nil, false
	}
	data, err := regular.ReadFile(c.path(key))
	if err == nil {
		c.use(key)
	}
	return data, err == nil
}

func (c *folderCache) Put(key string, data []byte) error {
	c.use(key)
	return store.WriteFile(c.path(key), append(data, '\n'))
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

// prune deletes all files that were not used but the newest spareCached. A
// cache that cannot be tidied is no reason to fail: what is left is only space.
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

// steps shows long computations on the screen, one after the other. A
// computation that goes on after the command gave it up shows nothing more.
type steps struct {
	screen *screen

	mu    sync.Mutex
	what  string
	total int
	meter *meter
	over  bool
}

func (s *steps) tell(what string, done, total int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	if s.meter == nil || s.what != what || s.total != total || done < s.meter.done {
		s.end()
		s.what, s.total, s.meter = what, total, s.screen.start(what, total, 0)
	}
	s.meter.add(done-s.meter.done, 0)
}

// finish ends the last meter, and all to come.
func (s *steps) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
	s.over = true
}

func (s *steps) end() {
	if s.meter != nil {
		s.meter.finish(context.Background())
		s.meter = nil
	}
}
