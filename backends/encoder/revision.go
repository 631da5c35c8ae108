package encoder

import (
	"io/fs"
	"path"

	"infnet/backends/runtime/folder"
)

// Revision returns the content hash of an encoder's folder: of everything in it
// that may change a vector (the *.safetensors files and their index, the JSON
// files of the network, the tokenizer and sentence-transformers, vocab.txt).
// See folder.Revision.
func Revision(fsys fs.FS) (string, error) {
	optional := []string{"model.safetensors.index.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt",
		modulesFile, promptsFile}
	for _, pattern := range []string{"sentence_*_config.json", path.Join("*_Pooling", configFile)} {
		more, err := fs.Glob(fsys, pattern)
		if err != nil {
			return "", err
		}
		optional = append(optional, more...)
	}
	return folder.Revision(fsys, []string{configFile}, optional)
}
