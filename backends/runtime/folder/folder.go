// Package folder reads a model's folder as the Hugging Face hub lays it out. It owns the folder's
// content hash and the reading of its JSON files, sizes checked. It refuses to interpret them: that is for
// the package of each network.
package folder

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
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

// Revision returns the content hash of a folder of weights: the SHA-256, in
// hexadecimal, of all its *.safetensors files and their index, of those named in must, and of
// those named in may that are there, names and lengths included. It does not
// depend on where the folder is or when it was written. A folder without
// weights, and a missing file of must, is an error.
func Revision(fsys fs.FS, must, may []string) (string, error) {
	names, err := fs.Glob(fsys, "*.safetensors")
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return "", errors.New("it has no *.safetensors file")
	}
	names = append(names, must...)
	for _, name := range append(may, "model.safetensors.index.json") {
		if _, err := fs.Stat(fsys, name); err == nil {
			names = append(names, name)
		}
	}
	return digests(fsys, names)
}

// digests returns the SHA-256 of all these files, names and lengths included.
func digests(fsys fs.FS, names []string) (string, error) {
	slices.Sort(names)
	sum := sha256.New()
	for _, name := range slices.Compact(names) {
		if err := digest(sum, fsys, name); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func digest(w io.Writer, fsys fs.FS, name string) error {
	f, err := fsys.Open(name)
	if err != nil {
		return err
	}
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	_, err = fmt.Fprintf(w, "%q %d %x\n", name, n, h.Sum(nil))
	return err
}
