package local

import (
	"errors"
	"io/fs"

	"infnet/backends/runtime/folder"
)

// Revision returns the content hash of a model folder: the SHA-256, in
// hexadecimal, of everything in it that may change an answer (config.json,
// generation_config.json, tokenizer_config.json, tokenizer.model or else
// tokenizer.json, a chat template, and all *.safetensors with their index),
// names and lengths included. It does not depend on where the folder is or when it was written.
func Revision(fsys fs.FS) (string, error) {
	tokens := sentencePieces
	if _, err := fs.Stat(fsys, tokens); errors.Is(err, fs.ErrNotExist) {
		if _, err := fs.Stat(fsys, tokenizerJSON); errors.Is(err, fs.ErrNotExist) {
			return "", errNoTokenizer
		}
		tokens = tokenizerJSON
	}
	return folder.Revision(fsys, []string{configFile, tokens},
		[]string{generationFile, tokenizerFile, templateFile})
}
