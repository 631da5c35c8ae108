package open

import (
	"io/fs"
	"path/filepath"

	"infnet/backends"
	"infnet/backends/local"
	"infnet/backends/runtime/folder"
	"infnet/harness/regular"
)

// content is the revision of weights of this machine that an engine reads, where the spec states none:
// their content hash. What the settings of the backend added to the revision stays behind it.
func content(l *backends.Launch, added string) (string, error) {
	where, err := filepath.Abs(l.Weights)
	if err != nil {
		return "", err
	}
	found, err := folder.Content(regular.DirFS(filepath.Dir(where)), filepath.Base(where))
	return found + added, err
}

// Shape reads the network's shape off a folder's config.json, for the families of backends/local.
func Shape(files fs.FS) (backends.Shape, error) { return local.Shape(files) }
