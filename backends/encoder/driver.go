package encoder

import (
	"fmt"

	"infnet/backends"
)

// Driver opens sentence encoders in this process.
func Driver() backends.Driver {
	return backends.Driver{
		Kind: backends.Encoder,
		Embedder: func(c backends.Config) (backends.Embedder, error) {
			if c.Encoder == nil {
				return nil, fmt.Errorf("embedder %q: it has no settings for backend kind %q", c.Model.ID, backends.Encoder)
			}
			return OpenFS(c.Files, *c.Encoder)
		},
		Revision: func(c backends.Config) (string, error) { return Revision(c.Files) },
	}
}
