package store

import "infnet/backends"

// Find looks a request's answer up: under its own key, and where there is none
// under the key it had before keys held the served name (old). ok is false
// where neither is answered; k is the request's own key then.
func (a *Answers) Find(r backends.Request) (k backends.Key, old, ok bool) {
	k = r.Key()
	if a.Has(k) {
		return k, false, true
	}
	if before, was := r.Unrecorded(); was && a.Has(before) {
		return before, true, true
	}
	return k, false, false
}

// FailureOf returns why a request has no answer, under either of its keys; see
// Failure.
func (a *Answers) FailureOf(r backends.Request) (f Failed, ok bool, err error) {
	if !a.anyFailed() {
		return Failed{}, false, nil
	}
	if _, _, answered := a.Find(r); answered {
		return Failed{}, false, nil
	}
	f, ok, err = a.Failure(r.Key())
	if before, was := r.Unrecorded(); err == nil && !ok && was {
		f, ok, err = a.Failure(before)
	}
	return f, ok, err
}
