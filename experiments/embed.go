// Package experiments holds the studies that come with infnet: the quickstart
// with its models, a study of real text, a simulated one, and the catalogs
// they share. It owns files and no code but the one that carries them into
// the binary, so that the quickstart runs from anywhere.
package experiments

import "embed"

//go:generate go test -run TestAuditPage -update .

// Files are the embedded studies: quickstart.toml, simulated.toml with data/,
// catalog/ and models/, and the numbers published in the paper, as they lie in
// this folder.
//
//go:embed quickstart.toml simulated.toml catalog data models paper/*.csv
var Files embed.FS

// Quickstart is the path in Files of the study that infnet run quickstart
// runs.
const Quickstart = "quickstart.toml"
