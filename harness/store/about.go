package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"infnet/backends"
)

// about is a file about one model: MODEL.FORMAT-HASH.jsonl, or MODEL.DATASET-HASH.jsonl.
type about struct {
	store  *Store
	format string // in the header, the file's name and its hash
	model  backends.ModelID
	line   string // what its lines are, for people

	dataset, name string // of answers to one: the content hash, and its name for people
}

func (a about) hash() string {
	parts := []string{a.format, a.model.ID, a.model.Revision, string(a.model.Kind)}
	if a.format == "answers" {
		parts = append(parts, a.dataset)
	}
	return hash(parts...)
}

func (a about) header() header {
	return header{Format: a.format, Version: version, Model: model{a.model.ID, a.model.Revision,
		string(a.model.Kind)}, Dataset: a.dataset, Name: a.name,
		Line: a.line}
}

// find returns the files, and those of the failures that go with answers.
func (a about) find() (at, failures place, err error) {
	readable := slug(a.model.ID) + "." + a.format
	if a.format == "answers" {
		readable = slug(a.model.ID) + "." + slug(a.name)
	}
	return a.store.find(readable, a.hash())
}

// open opens the files; for writing, the caller holds the lock of the main one, unless it is a shard.
func (a about) open(write bool) (*files, error) {
	at, _, err := a.find()
	if err != nil {
		return nil, err
	}
	return a.store.openFiles(kept{at: at, write: write, want: a.header()})
}

// acquire makes the store's folder and takes the main file's lock. A shard takes none.
func (a about) acquire() (*lock, error) {
	if err := a.store.make(); err != nil || a.store.opt.Shard != "" {
		return nil, err
	}
	at, _, err := a.find()
	if err != nil {
		return nil, err
	}
	return acquire(filepath.Join(a.store.root, a.hash()+".lock"), at.main)
}

// openLocked takes the lock and opens the files for writing.
func (a about) openLocked() (*files, *lock, error) {
	lock, err := a.acquire()
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

// note appends one line. While another process writes the file, it waits up to two seconds.
func (a about) note(what any, key backends.Key) error {
	object, err := json.Marshal(what)
	if err != nil {
		return fmt.Errorf("encode a line about %s: %w", a.model.ID, err)
	}
	object = append(fmt.Appendf(nil, `{"key":"%s",`, key), object[1:]...)
	once := func() (err error) {
		l, lock, err := a.openLocked()
		if err != nil {
			return err
		}
		defer lock.release()
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
