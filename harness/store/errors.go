package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// InUseError says that another process writes the same file. Callers may branch on it to choose an exit code.
type InUseError struct {
	Path string // the file that is locked
	PID  int    // of the process that holds it; 0 = unknown
	Host string // its machine; "" = this one, or unknown
	Lock string // the lock file, where a killed process leaves it behind; "" = the system releases the lock
}

// Who names the process that holds the file, as far as it is known.
func (e *InUseError) Who() string {
	who := fmt.Sprintf("pid %d", e.PID)
	if e.PID == 0 {
		who = "another process"
	}
	if e.Host != "" {
		who += " on " + e.Host
	}
	if e.Lock != "" {
		who += fmt.Sprintf(" (if that process is gone, delete %s)", e.Lock)
	}
	return who
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("%s: in use by %s: wait for it to end, name another folder with --store, or let processes write "+
		"at once with --shard", e.Path, e.Who())
}

// CorruptError says that a line of a store file was damaged. Callers may branch on it to choose an exit code.
type CorruptError struct {
	Path   string
	Line   int // from 1
	Bytes  int // its length; 0 = not known
	Reason string
}

func (e *CorruptError) Error() string {
	fix := "restore the file from a copy, or delete this line and run again to ask for its answer anew"
	if e.Line == 1 {
		fix = "restore the file from a copy, or move it away and run again to ask for all its answers anew"
	}
	size := ""
	if e.Bytes > 0 {
		size = fmt.Sprintf(" of %d bytes", e.Bytes)
	}
	return fmt.Sprintf("%s:%d: damaged line%s: %s: %s", e.Path, e.Line, size, e.Reason, fix)
}

// WriteError says that a write failed: the disk is full, read-only or not writable by this user.
// Nothing that was counted before is lost. Callers may branch on it to choose an exit code.
type WriteError struct {
	Op   string // what was being done
	Path string
	Hint string // the fix
	Err  error
}

func (e *WriteError) Error() string {
	err := e.Err // without the operation and path that an os error repeats
	var p *fs.PathError
	var l *os.LinkError
	if errors.As(err, &p) {
		err = p.Err
	} else if errors.As(err, &l) {
		err = l.Err
	}
	return fmt.Sprintf("cannot %s: %s: %v: %s", e.Op, e.Path, err, e.Hint)
}

func (e *WriteError) Unwrap() error { return e.Err }

// Unusable reports whether the store is what failed: it is in use or damaged, or cannot be written.
func Unusable(err error) bool {
	return errors.As(err, new(*InUseError)) || errors.As(err, new(*CorruptError)) || errors.As(err, new(*WriteError))
}

// diagnose wraps an operating system error with the path and the fix. flag
// is the command-line flag that names another place.
func diagnose(op, path, flag string, err error) error {
	hint := "check the folder, or name another one with " + flag
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		hint = "free some space or name another folder with " + flag +
			", then run the same command again: what was written before is kept"
	case errors.Is(err, syscall.EROFS):
		hint = "the file system is read-only: name another folder with " + flag
	case errors.Is(err, fs.ErrPermission):
		hint = "grant write permission, or name another folder with " + flag
	case errors.Is(err, syscall.ENOLCK), op == "lock" && errors.Is(err, errors.ErrUnsupported):
		hint = "this file system has no locks, as a network file system may be mounted: --shard 1/1 writes without one"
	}
	return &WriteError{Op: op, Path: path, Hint: hint, Err: err}
}

// Torn is an incomplete last line, left by a killed process, a power cut or a damaged disk. Readers
// skip it and the next writer truncates it, so its content is missing.
type Torn struct {
	Path  string
	Holds string // what the file holds: the header's format: "answers", "failures", "embeddings", …
	Line  int    // from 1
	Bytes int64  // that are there of it
}

func (t Torn) String() string {
	return fmt.Sprintf("%s:%d: damaged end of file: the last line breaks off after %d bytes (a process was killed "+
		"while it wrote, is still writing, or the disk lost the rest): what it was to hold does not count, and collect and "+
		"run ask for it again", t.Path, t.Line, t.Bytes)
}

// report passes the torn line of a file to Options.Notice, once.
func (s *Store) report(l *log, holds string) {
	if l.torn == 0 {
		return
	}
	t := Torn{Path: l.path, Holds: holds, Line: l.tornLine, Bytes: l.torn}
	s.mu.Lock()
	known := s.reported[t]
	if s.reported == nil {
		s.reported = map[Torn]bool{}
	}
	s.reported[t] = true
	s.mu.Unlock()
	if !known && s.opt.Notice != nil {
		s.opt.Notice(t)
	}
}
