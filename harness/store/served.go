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

// Served is what was found behind a model's servers when they were asked what
// they offer.
type Served struct {
	Name        string                               `json:"served,omitempty"` // the model's name there; "" = written before it was
	Server      string                               `json:"server"`           // vllm, ollama, …; "" where it does not say
	Version     string                               `json:"version"`          // as it says; may be empty
	Fingerprint string                               `json:"fingerprint"`      // of all that decides how answers come about
	Labels      map[backends.Mode]backends.LabelMode `json:"labels"`           // how classifications are asked by default
}

const servedLine = "one finding about the model's servers: key, server, version, fingerprint, labels = how classifications are asked in each mode, served = the model's name there, crc"

// Served returns what was found behind a model's servers, the first finding
// first: it decides how classifications are asked.
func (s *Store) Served(id backends.ModelID) ([]Served, error) {
	l, _, err := s.servedLog(id, false)
	if err != nil {
		return nil, err
	}
	defer l.close()
	return readServed(l)
}

func readServed(l *log) (out []Served, err error) {
	for at, err := range l.all() {
		if err != nil {
			return nil, err
		}
		var w Served
		if err := json.Unmarshal(at.line, &w); err != nil {
			return nil, &CorruptError{Path: l.path, Line: at.number, Reason: err.Error()}
		}
		out = append(out, w)
	}
	return out, nil
}

// ServedFor picks the findings about a model of this name on its servers, one
// per fingerprint. Where older, those written before names were count too,
// after the others.
func ServedFor(all []Served, name string, older bool) (out []Served) {
	known := map[string]bool{}
	for _, named := range []bool{true, false} {
		for _, f := range all {
			if (f.Name == name) == named && (named || older && f.Name == "") && !known[f.Fingerprint] {
				known[f.Fingerprint] = true
				out = append(out, f)
			}
		}
	}
	return out
}

// AddServed writes a finding down, unless it is there, and returns all there
// are.
func (s *Store) AddServed(id backends.ModelID, found Served) (all []Served, err error) {
	if all, err = s.Served(id); err != nil {
		return nil, err
	}
	for _, f := range all {
		if f.Fingerprint == found.Fingerprint && f.Name == found.Name {
			return all, nil
		}
	}
	key := backends.Key(sha256.Sum256([]byte(found.Fingerprint)))
	if found.Name != "" {
		key = sha256.Sum256(append(key[:], found.Name...))
	}
	if err := s.note(id, found, key, s.servedLog); err != nil {
		return nil, err
	}
	return s.Served(id)
}

// note appends one line to a log about a model. Where another process writes
// one, it waits a little.
func (s *Store) note(id backends.ModelID, what any, key backends.Key, open func(backends.ModelID, bool) (*log, string, error)) error {
	if err := s.make(); err != nil {
		return err
	}
	object, err := json.Marshal(what)
	if err != nil {
		return fmt.Errorf("encode a finding about %s: %w", id.ID, err)
	}
	object = append(fmt.Appendf(nil, `{"key":"%s",`, key), object[1:]...)
	once := func() (err error) {
		l, sum, err := open(id, false)
		if err != nil {
			return err
		}
		l.close()
		lock, err := acquire(filepath.Join(s.root, sum+".lock"), "")
		if err != nil {
			return err
		}
		defer lock.release()
		if l, _, err = open(id, true); err != nil {
			return err
		}
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

func (s *Store) servedPath(id backends.ModelID) (path, sum string, err error) {
	sum = hash("servers", id.ID, id.Revision, string(id.Kind))
	path, err = s.find(slug(id.ID)+".servers", sum)
	return path, sum, err
}

func (s *Store) servedLog(id backends.ModelID, write bool) (*log, string, error) {
	path, sum, err := s.servedPath(id)
	if err != nil {
		return nil, "", err
	}
	l, err := s.open(path, header{Format: "servers", Version: version, Model: modelOf(id), Line: servedLine}, write, false, 0)
	return l, sum, err
}
