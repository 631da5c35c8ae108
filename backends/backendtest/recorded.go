package backendtest

import "infnet/backends"

// Recorded is backends.Recordings in memory.
type Recorded map[backends.Key]backends.Answer

// Len returns how many there are.
func (m Recorded) Len() int { return len(m) }

// Answer returns one of them.
func (m Recorded) Answer(k backends.Key) (a backends.Answer, ok bool, err error) {
	a, ok = m[k]
	return a, ok, nil
}
