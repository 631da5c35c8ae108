package store

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"infnet/backends"
	"infnet/backends/redact"
)

// Record is one stored answer. Answer.Key identifies it; Answer.Failure is nil, since failures are stored separately.
type Record struct {
	Example string // id of the dataset's example it was asked for
	Answer  backends.Answer
}

// Failed is a request without an answer, and the reason.
type Failed struct {
	Key     backends.Key     `json:"key"` // first, as in an answer's line
	Example string           `json:"id"`
	Failure backends.Failure `json:",inline"`
}

// Answers are the answers of one model to one dataset, with the recorded failures. Only keys and offsets are held in
// memory. It is safe for concurrent use.
type Answers struct {
	id    ID
	store *Store
	ok    *files

	mu     sync.Mutex
	failed *files
	write  bool
	lock   *lock // nil = open for reading, or by a shard
}

const (
	answerLine = "one answer: key of the request, id of the example, text, tokens and labels with natural " +
		"log-probabilities, usage in tokens, latency in nanoseconds, crc"
	failureLine = "one failed request: key, id of the example, cause, status, message, crc; of one key the last " +
		"line counts"
)

// about describes the answers' file.
func (s *Store) about(id ID) about {
	return about{store: s, format: "answers", model: id.Model, line: answerLine, dataset: id.Dataset, name: id.Name}
}

// Answers opens the answers of a model to a dataset for reading. A file that does not exist reads as empty. Reading
// takes no lock: a line another process is still writing is not seen. A damaged line is a *CorruptError.
func (s *Store) Answers(id ID) (*Answers, error) { return s.answers(id, false, nil) }

// WriteAnswers opens the same for writing, and makes the files where they are
// missing. It holds the file's lock until Close; a second writer gets an
// *InUseError. A torn last line is cut off: its answer is asked for again. With Options.Shard it
// appends to new files instead, made for the first line, and holds no lock.
func (s *Store) WriteAnswers(id ID) (*Answers, error) {
	lock, err := s.about(id).acquire()
	if err != nil {
		return nil, err
	}
	a, err := s.answers(id, true, lock)
	if err != nil {
		lock.release()
	}
	return a, err
}

func (s *Store) answers(id ID, write bool, lock *lock) (*Answers, error) {
	about := s.about(id)
	at, failures, err := about.find()
	if err != nil {
		return nil, err
	}
	a := &Answers{id: id, store: s, write: write, lock: lock}
	if a.ok, err = s.openFiles(kept{at: at, want: about.header(), write: write}); err != nil {
		return nil, err
	}
	// The failures' file is made when something fails first.
	want := about.header()
	want.Format, want.Line = "failures", failureLine
	if a.failed, err = s.openFiles(kept{at: failures, want: want, lastWins: true, write: write, late: true}); err != nil {
		a.ok.close()
		return nil, err
	}
	return a, nil
}

// failuresPath is the file that goes with an answers file: X.failures.jsonl.
func failuresPath(answers string) string {
	return strings.TrimSuffix(answers, ".jsonl") + failuresMark
}

// Path returns the file of the answers; it may not exist yet.
func (a *Answers) Path() string { return a.ok.path }

// Len returns the number of different requests answered.
func (a *Answers) Len() int { return a.ok.len() }

// Lost reports whether a torn last line was the answer to this request.
func (a *Answers) Lost(k backends.Key) bool {
	return slices.ContainsFunc(a.ok.list(), func(l *log) bool { return l.torn > 0 && l.lost == k })
}

// Has reports whether the request with this key is answered.
func (a *Answers) Has(k backends.Key) bool { return a.ok.has(k) }

// Get reads the answer to the request with this key. ok is false where there is none.
func (a *Answers) Get(k backends.Key) (r Record, ok bool, err error) {
	at, ok, err := a.ok.get(k)
	if err != nil || !ok {
		return Record{}, false, err
	}
	r, err = decodeAnswer(at.line)
	if err != nil {
		return Record{}, false, at.damaged(err.Error())
	}
	return r, true, nil
}

// All yields every answer in the order of the file, which is the order in
// which they arrived and means nothing. It stops at the first error.
func (a *Answers) All() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for at, err := range a.ok.all() {
			if err != nil {
				yield(Record{}, err)
				return
			}
			r, err := decodeAnswer(at.line)
			if err != nil {
				yield(Record{}, at.damaged(err.Error()))
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Append writes answers and returns once they are on the disk. Requests that are answered already are skipped: of two
// answers to one request the first counts, in the file and in a batch. It returns how many were written. After an
// error (*WriteError) earlier answers are intact, none of the batch counts, and further calls return the same error. A
// file that was deleted, moved, replaced or changed by someone else is such an error.
func (a *Answers) Append(rs []Record) (int, error) {
	entries := make([]entry, len(rs))
	for i, r := range rs {
		if r.Answer.Failure != nil {
			return 0, fmt.Errorf("append to %s: the request %s failed (%w): failures are no answers",
				a.ok.path, r.Answer.Key, r.Answer.Failure)
		}
		object, err := appendAnswer(nil, r)
		if err != nil {
			return 0, fmt.Errorf("encode the answer to example %q for %s: %w", r.Example, a.ok.path, err)
		}
		clean, altered := redact.Line(object)
		if altered {
			return 0, fmt.Errorf("append to %s: the answer to example %q holds a key, and was not refused (backends.Pass)",
				a.ok.path, r.Example)
		}
		entries[i] = entry{r.Answer.Key, clean}
	}
	return a.ok.append(entries)
}

// Fail records requests that could not be answered. Of one request the last failure counts, and none once it is
// answered. One that is recorded already is not written again.
func (a *Answers) Fail(fs []Failed) error {
	if len(fs) == 0 {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.write {
		return fmt.Errorf("%s is open for reading only", a.ok.path)
	}
	entries := make([]entry, 0, len(fs))
	for _, f := range fs {
		object, err := encodeFailure(f)
		if err != nil {
			return fmt.Errorf("encode the failure of example %q for %s: %w", f.Example, a.failed.path, err)
		}
		if before, ok, err := a.failed.get(f.Key); err == nil && ok && bytes.HasPrefix(before.line, object[:len(object)-1]) {
			continue // it failed in the same way before
		}
		entries = append(entries, line(f.Key, object))
	}
	if len(entries) == 0 {
		return nil
	}
	_, err := a.failed.append(entries)
	return err
}

// Failure returns why the request with this key has no answer. ok is false
// where nothing is recorded, or where it was answered since.
func (a *Answers) Failure(k backends.Key) (f Failed, ok bool, err error) {
	if a.Has(k) {
		return Failed{}, false, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	at, ok, err := a.failed.get(k)
	if err != nil || !ok {
		return Failed{}, false, err
	}
	f, err = decodeFailure(at.line)
	if err != nil {
		return Failed{}, false, at.damaged(err.Error())
	}
	return f, true, nil
}

// Close flushes pending writes and releases the lock.
func (a *Answers) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.write = false
	err := a.ok.close()
	if ferr := a.failed.close(); err == nil {
		err = ferr
	}
	a.lock.release()
	a.lock = nil
	return err
}
