package bart

import (
	"fmt"

	"infnet/backends"
)

// Driver opens scorers in this process.
func Driver() backends.Driver {
	return backends.Driver{
		Kind: backends.BART,
		Scorer: func(c backends.Config) (backends.Scorer, error) {
			if c.Scorer == nil {
				return nil, fmt.Errorf("scorer %q: it has no settings for backend kind %q", c.Model.ID, backends.BART)
			}
			return OpenFS(c.Files, c.Scorer.Threads)
		},
		Revision: func(c backends.Config) (string, error) { return Revision(c.Files) },
	}
}
