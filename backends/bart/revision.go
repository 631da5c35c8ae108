package bart

import (
	"io/fs"

	"infnet/backends/runtime/safetensors"
)

// Revision returns the content hash of a scorer's folder: of all that may
// change a score (the *.safetensors files and their index, config.json,
// tokenizer.json). See safetensors.Revision.
func Revision(fsys fs.FS) (string, error) {
	return safetensors.Revision(fsys, []string{configFile, tokenizerFile}, []string{"model.safetensors.index.json"})
}
