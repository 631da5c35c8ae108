package store

import (
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"infnet/backends"
)

// files are all files that hold the same lines, such as the answers of a model to a dataset: the
// main file, and one for each time that a shard wrote. Of a key, the line of the main file counts;
// without one, that of the oldest file of a shard (of the newest, if the last line counts).
type files struct {
	store    *Store
	path     string // of the main file
	want     header
	lastWins bool
	write    bool // lines may be appended

	mu   sync.RWMutex
	logs []*log // the one that counts first
	own  *log   // the one that is appended to; nil = none yet
}

// kept says which files are opened, and how.
type kept struct {
	at       place
	want     header
	lastWins bool // of lines with one key, the last counts; else the first
	write    bool // the caller holds the lock of the main file, unless the store is a shard's
	late     bool // the file that is appended to is made for the first line; those of shards always are
}

// openFiles opens the files of one kind. Those that do not exist read as empty. Options.Notice gets
// torn lines; of a shard's file, which nobody truncates, only while what was lost is missing.
func (s *Store) openFiles(k kept) (f *files, err error) {
	f = &files{store: s, path: k.at.main, want: k.want, lastWins: k.lastWins, write: k.write}
	defer func() {
		if err != nil {
			f.close()
		}
	}()
	eager := k.write && !k.late && s.opt.Shard == ""
	main, err := s.open(k.at.main, k.want, eager, k.lastWins)
	if err != nil {
		return f, err
	}
	if f.logs = append(f.logs, main); eager {
		f.own = main
	}
	s.report(main, k.want.Format)
	parts := slices.Clone(k.at.shards)
	if k.lastWins {
		slices.Reverse(parts)
	}
	for _, path := range parts {
		part, err := s.openShard(path, k)
		if err != nil {
			return f, err
		}
		f.logs = append(f.logs, part)
	}
	for _, part := range f.logs[1:] {
		if part.lost == (backends.Key{}) || !f.has(part.lost) {
			s.report(part, k.want.Format)
		}
	}
	return f, nil
}

// openShard opens a shard's file for reading. A client of NFS may show the pages of a line that another
// machine is writing in any order, so a damaged line is looked at again before it is an error.
func (s *Store) openShard(path string, k kept) (part *log, err error) {
	for _, wait := range []time.Duration{100 * time.Millisecond, 400 * time.Millisecond, time.Second, 0} {
		part, err = s.open(path, k.want, false, k.lastWins)
		if !errors.As(err, new(*CorruptError)) {
			break
		}
		time.Sleep(wait)
	}
	return part, err
}

// list returns the files that are open.
func (f *files) list() []*log {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.logs
}

// holding returns the number of the file whose line with this key counts; -1 = there is none.
func holding(logs []*log, k backends.Key) int {
	return slices.IndexFunc(logs, func(l *log) bool { return l.has(k) })
}

// has reports whether a line with this key exists.
func (f *files) has(k backends.Key) bool { return holding(f.list(), k) >= 0 }

// get returns the line of a key.
func (f *files) get(k backends.Key) (at numbered, ok bool, err error) {
	for _, l := range f.list() {
		if at, ok, err = l.get(k); ok || err != nil {
			break
		}
	}
	return at, ok, err
}

// len returns the number of different keys.
func (f *files) len() int {
	logs := f.list()
	if len(logs) == 1 {
		return logs[0].len()
	}
	most := 0
	for _, l := range logs {
		most += l.len()
	}
	all := make(map[short]struct{}, most) // which is faster than a look into every file for every key
	for _, l := range logs {
		l.mu.RLock()
		for k := range l.index {
			all[k] = struct{}{}
		}
		l.mu.RUnlock()
	}
	return len(all)
}

// all yields the lines that count, file by file, and stops at the first error.
func (f *files) all() iter.Seq2[numbered, error] {
	return func(yield func(numbered, error) bool) {
		logs := f.list()
		for i, l := range logs {
			for at, err := range l.all() {
				if err == nil && i > 0 {
					if k, err := lineKey(at.line); err == nil && holding(logs[:i], k) >= 0 {
						continue
					}
				}
				if !yield(at, err) || err != nil {
					return
				}
			}
		}
	}
}

// append writes the entries to the file of this process; see log.append. Keys that another file
// has are left out, unless the last line wins.
func (f *files) append(entries []entry) (int, error) {
	if !f.write {
		return f.logs[0].append(entries) // the error
	}
	if !f.lastWins && (len(f.list()) > 1 || f.store.opt.Shard != "") {
		entries = slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return f.has(e.key) })
	}
	if len(entries) == 0 {
		return 0, nil
	}
	own, err := f.begin()
	if err != nil {
		return 0, err
	}
	return own.append(entries)
}

// begin returns the file that is appended to, and makes it if there is none yet.
func (f *files) begin() (own *log, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.own != nil {
		return f.own, nil
	}
	path := f.path
	if f.store.opt.Shard != "" {
		if path, err = f.store.makeShard(f.path, f.want.Format == "failures"); err != nil {
			return nil, err
		}
	}
	if own, err = f.store.open(path, f.want, true, f.lastWins); err != nil {
		return nil, err
	}
	logs := slices.Clone(f.logs)
	switch {
	case path == f.path:
		logs[0].close()
		logs[0] = own
	case f.lastWins: // after the main file, the newest
		logs = slices.Insert(logs, 1, own)
	default:
		logs = append(logs, own)
	}
	f.logs, f.own = logs, own
	return own, nil
}

// close flushes and closes the files.
func (f *files) close() (err error) {
	for _, l := range f.list() {
		if cerr := l.close(); err == nil {
			err = cerr
		}
	}
	return err
}
