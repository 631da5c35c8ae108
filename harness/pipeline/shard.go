package pipeline

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infnet/harness/fault"
	"infnet/harness/store"
)

// calls reports whether the model is called, or another one only.
func calls(st *Study, model string) bool {
	return st.options.Only == nil || slices.Contains(st.options.Only, model)
}

// called lists the embeddings and scores of the models that are called.
func called(st *Study) []*derived {
	return slices.DeleteFunc(derivedOf(st), func(v *derived) bool { return !calls(st, v.name) })
}

// checkOnly refuses names of what the study does not call: its models, its embedder, and the programs that grade.
func checkOnly(st *Study) error {
	var names []string
	for _, m := range st.everyModel() {
		names = append(names, m.Name)
	}
	if embeds(st.Spec) && st.embedder == nil {
		names = append(names, st.Spec.Embedder.Name())
	}
	for _, d := range st.Spec.Datasets {
		if name := d.Correct.Program(); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range st.options.Only {
		if !slices.Contains(names, name) {
			return fault.Usage.Wrap(fmt.Errorf("the study %s calls no model %q: it calls %s", st.Spec.Name, name,
				strings.Join(names, ", ")))
		}
	}
	return nil
}

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
