package lexical

import (
	"fmt"

	"infnet/backends"
)

// Driver opens the built-in embedder.
func Driver() backends.Driver {
	return backends.Driver{Kind: backends.Lexical, Embedder: func(c backends.Config) (backends.Embedder, error) {
		if c.Model != ID() {
			return nil, fmt.Errorf("embedder %q revision %q: this program has %q revision %q", c.Model.ID, c.Model.Revision,
				Name, Revision)
		}
		return Embedder{}, nil
	}}
}
