package cli

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"infnet/harness/store"
)

// cacheFolder, in a study's folder, holds dear computations by the hash of
// what they depend on. It may be deleted at any time.
const cacheFolder = "cache"

// folderCache is a folder of files named by hash.
type folderCache struct {
	dir   string
	blind bool // finds nothing: everything is computed anew, and kept
}

func (c folderCache) Get(key string) ([]byte, bool) {
	if c.blind {
		return nil, false
	}
	data, err := os.ReadFile(c.path(key))
	return data, err == nil
}

func (c folderCache) Put(key string, data []byte) error {
	return store.WriteFile(c.path(key), append(data, '\n'))
}

func (c folderCache) path(key string) string { return filepath.Join(c.dir, key+".json") }

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
