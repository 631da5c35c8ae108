package bart

import (
	"io/fs"

	"infnet/backends/runtime/folder"
)

// Revision returns the content hash of a scorer's folder: of all that may
// change a score (the *.safetensors files and their index, config.json,
// tokenizer.json). See folder.Revision.
func Revision(fsys fs.FS) (string, error) {
	return folder.Revision(fsys, []string{configFile, tokenizerFile}, []string{"model.safetensors.index.json"})
}
