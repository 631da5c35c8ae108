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
	Server      string                               `json:"server"`      // vllm, ollama, …; "" where it does not say
	Version     string                               `json:"version"`     // as it says; may be empty
	Fingerprint string                               `json:"fingerprint"` // of all that decides how answers come about
	Labels      map[backends.Mode]backends.LabelMode `json:"labels"`      // how classifications are asked by default
}

type wireServed struct {
	Key backends.Key `json:"key"`
	Served
}

const servedLine = "one finding about the model's servers: key, server, version, fingerprint, labels = how classifications are asked in each mode, crc"

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
		var w wireServed
		if err := json.Unmarshal(at.line, &w); err != nil {
			return nil, &CorruptError{Path: l.path, Line: at.number, Reason: err.Error()}
		}
		out = append(out, w.Served)
	}
	return out, nil
}

// AddServed writes a finding down, unless it is there, and returns all there
// are. Where another process writes one, it waits a little.
func (s *Store) AddServed(id backends.ModelID, found Served) (all []Served, err error) {
	if all, err = s.Served(id); err != nil {
		return nil, err
	}
	for _, f := range all {
		if f.Fingerprint == found.Fingerprint {
			return all, nil
		}
	}
	if err := s.make(); err != nil {
		return nil, err
	}
	var inUse *InUseError
	for range 100 {
		if all, err = s.addServed(id, found); !errors.As(err, &inUse) {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return all, err
}

func (s *Store) addServed(id backends.ModelID, found Served) (all []Served, err error) {
	_, sum, err := s.servedPath(id)
	if err != nil {
		return nil, err
	}
	lock, err := acquire(filepath.Join(s.root, sum+".lock"), "")
	if err != nil {
		return nil, err
	}
	defer lock.release()
	l, _, err := s.servedLog(id, true)
	if err != nil {
		return nil, err
	}
	defer func() {
		if cerr := l.close(); err == nil {
			err = cerr
		}
	}()
	key := backends.Key(sha256.Sum256([]byte(found.Fingerprint)))
	object, err := json.Marshal(wireServed{key, found})
	if err != nil {
		return nil, fmt.Errorf("encode a finding for %s: %w", l.path, err)
	}
	if _, err := l.append([]entry{{key, object}}); err != nil {
		return nil, err
	}
	return readServed(l)
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
