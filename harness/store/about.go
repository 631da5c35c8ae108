package store

import (
	"crypto/sha256"
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

// open opens the file; for writing, the caller holds its lock.
func (a about) open(write bool, every time.Duration) (*log, error) {
	path, err := a.path()
	if err != nil {
		return nil, err
	}
	h := header{Format: a.format, Version: version, Model: modelOf(a.model), Line: a.line}
	return a.store.open(path, h, write, false, every)
}

func (a about) path() (string, error) {
	return a.store.find(slug(a.model.ID)+"."+a.format, a.hash())
}

// acquire takes the file's lock and opens it for writing.
func (a about) acquire(every time.Duration) (*log, *lock, error) {
	if err := a.store.make(); err != nil {
		return nil, nil, err
	}
	path, err := a.path()
	if err != nil {
		return nil, nil, err
	}
	lock, err := acquire(filepath.Join(a.store.root, a.hash()+".lock"), path)
	if err != nil {
		return nil, nil, err
	}
	l, err := a.open(true, every)
	if err != nil {
		lock.release()
		return nil, nil, err
	}
	return l, lock, nil
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
		l, lock, err := a.acquire(0)
		if err != nil {
			return err
		}
		defer lock.release()
		defer func() {
			if cerr := l.close(); err == nil {
				err = cerr
			}
		}()
		_, err = l.append([]entry{{key, object}})
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

// derived is a file of what one model computed from texts.
type derived struct {
	log    *log
	lock   *lock  // nil = open for reading
	served string // the name by which servers know the model; "" = no server does
}

// derived opens such a file.
func (a about) derived(write bool) (d derived, err error) {
	if write {
		d.log, d.lock, err = a.acquire(a.store.opt.SyncEvery)
	} else {
		d.log, err = a.open(false, a.store.opt.SyncEvery)
	}
	return d, err
}

// Path returns the file; it may not exist yet.
func (d *derived) Path() string { return d.log.path }

// Close flushes pending writes and releases the lock.
func (d *derived) Close() error {
	err := d.log.close()
	if d.lock != nil {
		d.lock.release()
		d.lock = nil
	}
	return err
}

// key adds the served name to the key of a text or pair.
func (d *derived) key(k backends.Key) backends.Key {
	if d.served == "" {
		return k
	}
	return sha256.Sum256(append(k[:], "served "+d.served...))
}
