package encoder

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
)

// Revision returns the content hash of an encoder's folder: the SHA-256, in
// hexadecimal, of everything in it that may change a vector (the *.safetensors
// files and their index, the JSON files of the network, the tokenizer and
// sentence-transformers, vocab.txt), names and lengths included. It does not
// depend on where the folder is or when it was written.
func Revision(fsys fs.FS) (string, error) {
	names, err := fs.Glob(fsys, "*.safetensors")
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return "", errors.New("it has no *.safetensors file")
	}
	names = append(names, configFile)
	optional := []string{"model.safetensors.index.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt", modulesFile, promptsFile}
	for _, pattern := range []string{"sentence_*_config.json", path.Join("*_Pooling", configFile)} {
		more, err := fs.Glob(fsys, pattern)
		if err != nil {
			return "", err
		}
		optional = append(optional, more...)
	}
	for _, name := range optional {
		if _, err := fs.Stat(fsys, name); err == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	sum := sha256.New()
	for _, name := range names {
		f, err := fsys.Open(name)
		if err != nil {
			return "", err
		}
		h := sha256.New()
		n, err := io.Copy(h, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(sum, "%q %d %x\n", name, n, h.Sum(nil))
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
