// Package folder reads a model's folder as the Hugging Face hub lays it out. It owns the folder's
// content hash and the reading of its JSON files, sizes checked. It refuses to interpret them: that is for
// the package of each network.
package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// Config is the file that describes the network.
const Config = "config.json"

// Read reads a JSON file, which must be there.
func Read(fsys fs.FS, name string, into any) error {
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// ReadOptional reads a JSON file if it is there.
func ReadOptional(fsys fs.FS, name string, into any) error {
	if err := Read(fsys, name, into); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// MostLayers bounds the layers of a network.
const MostLayers = 4096

// Positive checks a size in a configuration; nil = missing.
func Positive(name string, v *int) error {
	switch {
	case v == nil:
		return fmt.Errorf("%s is missing", name)
	case *v <= 0 || *v > 1<<24:
		return fmt.Errorf("%s = %d: want a positive number below 2^24", name, *v)
	}
	return nil
}
