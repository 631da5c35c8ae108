package store

import (
	"fmt"

	"infnet/backends"
	"infnet/harness/spool"
)

// Tape holds answers and failures that are wanted again later, in any order and by number. Only the
// first megabytes are in memory; the others are in a temporary file, in the form of the store's
// lines. It is made for a file of recorded answers that is larger than memory.
type Tape struct {
	lines  spool.Spool
	at     []int64
	size   []int32
	key    map[short]int32 // the number of the answer to a request
	buffer []byte
}

// Add keeps an answer or failure, and returns its number, from 0.
func (t *Tape) Add(a backends.Answer) (n int, err error) {
	t.buffer = t.buffer[:0]
	if a.Failure != nil {
		line, err := encodeFailure(Failed{Key: a.Key, Failure: *a.Failure})
		if err != nil {
			return 0, err
		}
		t.buffer = append(append(t.buffer, '-'), line...)
	} else if t.buffer, err = appendAnswer(append(t.buffer, '+'), Record{Answer: a}); err != nil {
		return 0, err
	}
	at, err := t.lines.Add(t.buffer)
	t.at, t.size = append(t.at, at), append(t.size, int32(len(t.buffer)))
	return len(t.at) - 1, err
}

// At returns what was kept under a number.
func (t *Tape) At(n int) (backends.Answer, error) {
	line := make([]byte, t.size[n])
	if err := t.lines.Read(line, t.at[n]); err != nil {
		return backends.Answer{}, err
	}
	if line[0] == '-' {
		f, err := decodeFailure(line[1:])
		return backends.Answer{Key: f.Key, Failure: &f.Failure}, err
	}
	r, err := decodeAnswer(line[1:])
	return r.Answer, err
}

// Serve makes number n the answer to the request with this key, in place of any other.
func (t *Tape) Serve(k backends.Key, n int) {
	if t.key == nil {
		t.key = make(map[short]int32, len(t.at))
	}
	t.key[short(k[:16])] = int32(n)
}

// Served returns the number of the answer to the request with this key.
func (t *Tape) Served(k backends.Key) (n int, ok bool) {
	at, ok := t.key[short(k[:16])]
	return int(at), ok
}

// Len returns the number of requests that are served.
func (t *Tape) Len() int { return len(t.key) }

// Answer returns the answer to the request with this key.
func (t *Tape) Answer(k backends.Key) (a backends.Answer, ok bool, err error) {
	n, ok := t.Served(k)
	if !ok {
		return a, false, nil
	}
	if a, err = t.At(n); err != nil {
		return a, false, fmt.Errorf("a recorded answer that was put aside: %w", err)
	}
	return a, a.Key == k, nil
}

var _ backends.Recordings = (*Tape)(nil)
