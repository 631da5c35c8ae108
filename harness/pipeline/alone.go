package pipeline

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"infnet/harness/fault"
	"infnet/harness/store"
)

// alone keeps two processes of this machine from collecting one shard at once, which would ask, and pay, twice.
// Shards lock nothing in the store, since it may be on a network file system: the lock is in this machine's
// temporary folder, and a machine that offers none goes without.
func alone(st *Study) (release func(), err error) {
	if st.options.Shard.N == 0 {
		return func() {}, nil
	}
	return lock(st, fmt.Sprintf("shard %v of the study %s is being collected", st.options.Shard, st.Spec.Name),
		"give this one another shard")
}

// lock takes the study's lock on this machine. taken and instead word the error where another process holds it.
func lock(st *Study, taken, instead string) (release func(), err error) {
	root, err := filepath.Abs(st.Store())
	if err != nil {
		return func() {}, nil
	}
	what := sha256.Sum256(fmt.Appendf(nil, "%q %q %v %q", root, st.Spec.Name, st.options.Shard, st.options.Only))
	release, err = store.Lock(filepath.Join(os.TempDir(), fmt.Sprintf("infnet-%d-%x", os.Getuid(), what[:12])), 0)
	var held *store.InUseError
	switch {
	case errors.As(err, &held):
		return nil, fault.Store.Wrap(fmt.Errorf("%s on this machine by %s, and a second process would ask the same "+
			"requests: wait for it to end, or %s", taken, held.Who(), instead))
	case err != nil:
		return func() {}, nil
	}
	return release, nil
}
