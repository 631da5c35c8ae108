package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"infnet/backends"
)

// about is a file about one model: MODEL.FORMAT-HASH.jsonl.
type about struct {
	store  *Store
	format string // in the header, the file's name and its hash
	model  backends.ModelID
	line   string // what its lines are, for people
}

func (a about) hash() string {
	return hash(a.format, a.model.ID, a.model.Revision, string(a.model.Kind))
}

// open opens the files; for writing, the caller holds the lock of the main one, unless it is a shard.
func (a about) open(write bool) (*files, error) {
	at, err := a.place()
	if err != nil {
		return nil, err
	}
	return a.store.openFiles(kept{at: at, write: write, every: a.store.opt.SyncEvery,
		want: header{Format: a.format, Version: version, Model: modelOf(a.model), Line: a.line}})
}

func (a about) place() (place, error) {
	at, _, err := a.store.find(slug(a.model.ID)+"."+a.format, a.hash())
	return at, err
}

// acquire takes the main file's lock and opens the files for writing. A shard takes none.
func (a about) acquire() (*files, *lock, error) {
	if err := a.store.make(); err != nil {
		return nil, nil, err
	}
	if a.store.opt.Shard != "" {
		f, err := a.open(true)
		return f, nil, err
	}
	at, err := a.place()
	if err != nil {
		return nil, nil, err
	}
	lock, err := acquire(filepath.Join(a.store.root, a.hash()+".lock"), at.main)
	if err != nil {
		return nil, nil, err
	}
	f, err := a.open(true)
	if err != nil {
		lock.release()
		return nil, nil, err
	}
	return f, lock, nil
}

// note appends one line. While another process writes the file, it waits up to
// two seconds.
func (a about) note(what any, key backends.Key) error {
	object, err := json.Marshal(what)
	if err != nil {
		return fmt.Errorf("encode a line about %s: %w", a.model.ID, err)
	}
	object = append(fmt.Appendf(nil, `{"key":"%s",`, key), object[1:]...)
	once := func() (err error) {
		l, lock, err := a.acquire()
		if err != nil {
			return err
		}
		if lock != nil {
			defer lock.release()
		}
		defer func() {
			if cerr := l.close(); err == nil {
				err = cerr
			}
		}()
		_, err = l.append([]entry{line(key, object)})
		return err
	}
	var inUse *InUseError
	for range 100 {
		if err = once(); !errors.As(err, &inUse) {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

// notes reads the lines that note wrote, oldest first.
func notes[T any](a about) (out []T, err error) {
	l, err := a.open(false)
	if err != nil {
		return nil, err
	}
	defer l.close()
	for at, err := range l.all() {
		if err != nil {
			return nil, err
		}
		var one T
		if err := json.Unmarshal(at.line, &one); err != nil {
			return nil, at.damaged(err.Error())
		}
		out = append(out, one)
	}
	return out, nil
}
