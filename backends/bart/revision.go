package bart

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
)

// Revision returns the content hash of a scorer's folder: the SHA-256, in
// hexadecimal, of all that may change a score (the *.safetensors files and
// their index, config.json, tokenizer.json), names and lengths included.
func Revision(fsys fs.FS) (string, error) {
	names, err := fs.Glob(fsys, "*.safetensors")
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return "", errors.New("it has no *.safetensors file")
	}
	names = append(names, configFile, tokenizerFile)
	if _, err := fs.Stat(fsys, indexFile); err == nil {
		names = append(names, indexFile)
	}
	slices.Sort(names)
	sum := sha256.New()
	for _, name := range names {
		if err := digest(sum, fsys, name); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// indexFile lists the files of weights that were split.
const indexFile = "model.safetensors.index.json"

// digest adds one file's name, length and hash.
func digest(w io.Writer, fsys fs.FS, name string) error {
	f, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%q %d %x\n", name, n, h.Sum(nil))
	return err
}
