// Package experiments holds the studies that come with infnet: the quickstart
// with its models, a study of real text, a simulated one, and the catalogs
// they share. It owns files, and only the code that embeds them in the binary, so
// that the quickstart runs from anywhere. It refuses to hold anything that a study
// cannot name.
//
// Its opinion: an example is a study that runs, not a text about one.
package experiments

import "embed"

// Files are the embedded studies: quickstart.toml, simulated.toml with data/,
// catalog/ and models/, and the numbers published in the paper and in others.
//
//go:embed quickstart.toml simulated.toml catalog data models paper/*.csv public/*.csv
var Files embed.FS

// Quickstart is the path in Files of the study that infnet run quickstart
// runs.
const Quickstart = "quickstart.toml"
