package local

import "infnet/backends"

// Driver opens language models in this process.
func Driver() backends.Driver {
	return backends.Driver{
		Kind:     backends.Local,
		Model:    func(c backends.Config) (backends.Model, error) { return OpenFS(c.Files, c) },
		Revision: func(c backends.Config) (string, error) { return Revision(c.Files) },
		Inspect:  func(c backends.Config) (backends.Facts, error) { return InspectFS(c.Files) },
	}
}
