package local

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

// Revision returns the content hash of a model folder: the SHA-256, in
// hexadecimal, of everything in it that may change an answer (config.json,
// generation_config.json, tokenizer_config.json, tokenizer.model or else
// tokenizer.json, a chat template, and all *.safetensors with their index), names and lengths included. It does not
// depend on where the folder is or when it was written.
func Revision(path string) (string, error) {
	r, err := RevisionFS(os.DirFS(path))
	if err != nil {
		return "", fmt.Errorf("model folder %s: %w", path, err)
	}
	return r, nil
}

// RevisionFS is Revision of the folder at the root of fsys.
func RevisionFS(fsys fs.FS) (string, error) {
	names, err := fs.Glob(fsys, "*.safetensors")
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return "", errors.New("it has no *.safetensors file")
	}
	tokens := sentencePieces
	if _, err := fs.Stat(fsys, tokens); errors.Is(err, fs.ErrNotExist) {
		if _, err := fs.Stat(fsys, tokenizerJSON); errors.Is(err, fs.ErrNotExist) {
			return "", errNoTokenizer
		}
		tokens = tokenizerJSON
	}
	names = append(names, configFile, tokens)
	for _, optional := range []string{generationFile, tokenizerFile, templateFile, "model.safetensors.index.json"} {
		if _, err := fs.Stat(fsys, optional); err == nil {
			names = append(names, optional)
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
