// Package spec turns TOML files into a Study: checked, complete, and never
// changed afterwards. It owns the schema of a study, its defaults, the merge
// with shared catalogs, and the errors a person reads when a spec is wrong. It
// refuses to open a dataset or a model, and to guess what an author meant.
//
// Its opinion: a spec is wrong until it is known to be right. An unknown key
// is an error, so a misspelt option never silently keeps its default; all
// mistakes of all files are reported at once, each with its place, the nearest
// valid name and the fix, before any model is asked anything.
package spec

//go:generate go test -run TestReference -update .
