package nights

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"infnet/harness/regular"
	"infnet/harness/store"
)

// History is a history file as it was read.
type History struct {
	Path  string
	Looks []Look

	raw []byte // the file's bytes
}

// Read reads a history. A file that is not there is a history without looks.
func Read(path string) (*History, error) {
	h := &History{Path: path}
	raw, err := regular.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	h.raw = raw
	for line := range bytes.Lines(raw) {
		var l Look
		if err = json.Unmarshal(line, &l); err == nil && l.Version != Version {
			err = fmt.Errorf("version %d, and this infnet reads %d: begin another history", l.Version, Version)
		}
		if sum := l.Sum; err == nil {
			if h.sum(&l); l.Sum != sum || !bytes.HasSuffix(line, []byte("\n")) {
				err = errors.New("it is not as it was written, or the line before it is not: restore the file from a copy; " +
					"two histories cannot be put together, because each used the level")
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w: %w", path, len(h.Looks)+1, err, ErrHistory)
		}
		h.Looks = append(h.Looks, l)
	}
	return h, nil
}

// sum fills in the checksum of a line that follows those of the history: of the checksum before, and the line without
// its own.
func (h *History) sum(l *Look) {
	before := ""
	if n := len(h.Looks); n > 0 {
		before = h.Looks[n-1].Sum
	}
	l.Sum = ""
	line, err := json.Marshal(l)
	if err != nil {
		panic("nights: a look that is no JSON: " + err.Error()) // its numbers are finite
	}
	sum := sha256.Sum256(append([]byte(before+"\n"), line...))
	l.Sum = hex.EncodeToString(sum[:8])
}

// Append adds a look to the history and to its file, all of its line or nothing. It fails, and writes nothing, if
// another process has written to the file since it was read.
func (h *History) Append(l Look) error {
	l.Version = Version
	h.sum(&l)
	line, err := json.Marshal(&l)
	if err != nil {
		return err
	}
	unlock, err := lock(h.Path, patience)
	if err != nil {
		return hinted(err)
	}
	defer unlock()
	now, err := regular.ReadFile(h.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the history: %w", err)
	}
	if !bytes.Equal(now, h.raw) {
		return fmt.Errorf("%s was written to by another process since it was read: nothing is added; compare again", h.Path)
	}
	grown := append(bytes.Clone(h.raw), append(line, '\n')...)
	if err := store.WriteFile(h.Path, grown); err != nil {
		return hinted(err)
	}
	h.raw, h.Looks = grown, append(h.Looks, l)
	return nil
}

// patience is how long to wait for another process that appends. That takes milliseconds, unless the disk is slow.
const patience = 10 * time.Second

// lock keeps other processes from appending at the same time, and waits for one that does. A process that is killed
// leaves no lock behind.
func lock(path string, patience time.Duration) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("append to the history: %w", err)
	}
	return store.Lock(path, patience)
}

// hinted gives an error of the store the flag of the history.
func hinted(err error) error {
	var held *store.InUseError
	if errors.As(err, &held) {
		return fmt.Errorf("%s: %s is appending to the history: wait for it to end, and compare again", held.Path, held.Who())
	}
	var w *store.WriteError
	if errors.As(err, &w) {
		w.Hint = "make room there or allow writing, or name another file with --history, on a file system that has locks"
	}
	return err
}
