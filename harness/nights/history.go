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
	Path   string
	Nights []Night

	raw []byte // the file's bytes
}

// Read reads a history. A file that is not there is a history without nights.
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
	at := 0
	for line := range bytes.Lines(raw) {
		at++
		if !bytes.HasSuffix(line, []byte("\n")) {
			return nil, h.bad(at, "ends in the middle, so it was not written to its end: restore the file from a copy, or "+
				"delete this line if the copies end before it")
		}
		n, err := h.line(at, bytes.TrimRight(line, "\r\n"))
		if err != nil {
			return nil, err
		}
		h.Nights = append(h.Nights, n)
	}
	return h, nil
}

// bad is the error of a line.
func (h *History) bad(line int, format string, args ...any) error {
	return fmt.Errorf("%s: line %d %s: %w", h.Path, line, fmt.Sprintf(format, args...), ErrHistory)
}

// line reads a line, and checks that it is as it was written, and follows those before it.
func (h *History) line(at int, line []byte) (n Night, err error) {
	for _, mark := range []string{"<<<<<<<", "=======", ">>>>>>>"} {
		if bytes.HasPrefix(line, []byte(mark)) {
			return n, h.bad(at, "is the mark of a merge that is not finished: take one of the two versions; two histories "+
				"cannot be put together, because each used the level")
		}
	}
	if err := json.Unmarshal(line, &n); err != nil {
		return n, h.bad(at, "is damaged (%v): restore the file from a copy", err)
	}
	if n.Version != Version {
		return n, h.bad(at, "has version %d, and this infnet reads %d: go on with the infnet that wrote it, or begin "+
			"another history", n.Version, Version)
	}
	if want := len(h.Nights) + 1; n.Number > want {
		missing := fmt.Sprintf("night %d is", want)
		if n.Number > want+1 {
			missing = fmt.Sprintf("nights %d to %d are", want, n.Number-1)
		}
		return n, h.bad(at, "is night %d, and %s before it missing: restore the file from a copy; without it the looks that "+
			"were taken are not known", n.Number, missing)
	} else if n.Number < want {
		return n, h.bad(at, "is night %d, which line %d is already: delete one of them, or restore the file from a copy",
			n.Number, n.Number)
	}
	before := n
	h.sum(&n)
	if same, err := json.Marshal(&n); err != nil || n.Sum != before.Sum || !bytes.Equal(same, line) {
		return n, h.bad(at, "is not as it was written (its checksum is another one), or the line before it is not: "+
			"restore the file from a copy")
	}
	return n, nil
}

// sum fills in the checksum of a line that follows those of the history: of the checksum before, and the line without
// its own.
func (h *History) sum(n *Night) {
	before := ""
	if n.Number > 1 {
		before = h.Nights[n.Number-2].Sum
	}
	n.Sum = ""
	line, err := json.Marshal(n)
	if err != nil {
		panic("nights: a night that is no JSON: " + err.Error()) // its numbers are finite
	}
	sum := sha256.Sum256(append([]byte(before+"\n"), line...))
	n.Sum = hex.EncodeToString(sum[:8])
}

// Append adds a night to the history and to its file, all of its line or nothing. It fills in the line's version,
// number and checksum. It fails, and writes nothing, if another process has written to the file since it was read.
func (h *History) Append(n Night) error {
	n.Version, n.Number = Version, len(h.Nights)+1
	h.sum(&n)
	line, err := json.Marshal(&n)
	if err != nil {
		return err
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

// Of returns the night at a place of Nights, or the earlier one with the same inputs, which has the quantities.
func (h *History) Of(at int) *Night {
	if like := h.Nights[at].Like; like > 0 {
		return &h.Nights[like-1]
	}
	return &h.Nights[at]
}
