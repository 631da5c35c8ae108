package spec

import "infnet/backends"

// The defaults of a study; a dataset's task has its own (task.DefaultsOf). The schema's comments
// state them too, and a test compares the two.
const (
	defaultFit      = 0.8 // paper §5: the first 80 % fit
	defaultP        = 0.5
	defaultDraws    = 1000
	defaultServed   = 16 // calls in flight of a server's model
	defaultCurrency = "USD"
	defaultLabel    = "label"

	defaultBuiltinRows = 1000 // generators have no last row
)

const (
	defaultMode     = backends.Raw
	defaultOrder    = Shuffle
	defaultTruncate = TruncateAllow
)

// or returns *p, or the default if the key is missing.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
