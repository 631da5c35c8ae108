package replay

import "infnet/backends"

// Driver replays recorded answers.
func Driver() backends.Driver {
	return backends.Driver{
		Kind:  backends.Replay,
		Model: func(c backends.Config) (backends.Model, error) { return Open(c) },
	}
}
