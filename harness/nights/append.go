package nights

import (
	"bytes"
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

// Append adds a night to the history and to its file, all of its line or nothing. It fills in the
// line's version, number and checksum. It fails, and writes nothing, if another process has written
// to the file since it was read.
func (h *History) Append(n Night) error {
	n.Version, n.Number = Version, len(h.Nights)+1
	before := ""
	if n.Number > 1 {
		before = h.Nights[n.Number-2].Sum
	}
	if _, err := json.Marshal(&n); err != nil {
		return fmt.Errorf("night of %s for %s: %w", n.Date, h.Path, err)
	}
	n.Sum = n.sum(before)
	line, err := json.Marshal(&n)
	if err != nil {
		return fmt.Errorf("night of %s for %s: %w", n.Date, h.Path, err)
	}
	if err := h.check(n.Number, &n); err != nil {
		return fmt.Errorf("this night does not fit: %w", err)
	}
	unlock, err := lock(h.Path, patience)
	if err != nil {
		return err
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
	h.raw, h.Nights = grown, append(h.Nights, n)
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
	unlock, err = store.Lock(path, patience)
	var held *store.InUseError
	if errors.As(err, &held) {
		return nil, fmt.Errorf("%s: %s has been appending to the history for %v or more: wait for it to end, or end it, "+
			"and compare again", path, held.Who(), patience)
	}
	return unlock, hinted(err)
}

// hinted gives an error of the store the flag of the history.
func hinted(err error) error {
	var w *store.WriteError
	if errors.As(err, &w) {
		w.Hint = "make room there or allow writing, or name another file with --history"
		if w.Op == "lock" {
			w.Hint = "allow writing there, or name another file with --history, on a file system that has locks"
		}
	}
	return err
}
