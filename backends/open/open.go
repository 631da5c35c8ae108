// Package open opens models, embedders and scorers, and identifies them. It owns the only list of
// backends: a new one adds one line. It refuses configurations without the settings of their kind,
// and abilities that a kind lacks. Its opinion: no other package switches on a kind.
package open

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"infnet/backends"
	"infnet/backends/bart"
	"infnet/backends/decisions"
	"infnet/backends/encoder"
	"infnet/backends/hosted"
	"infnet/backends/huggingface"
	"infnet/backends/lexical"
	"infnet/backends/local"
	"infnet/backends/openai"
	"infnet/backends/replay"
	"infnet/backends/runtime/folder"
	"infnet/backends/simulated"
	"infnet/harness/regular"
)

func drivers() []backends.Driver {
	return []backends.Driver{
		local.Driver(),
		simulated.Driver(),
		lexical.Driver(),
		encoder.Driver(),
		openai.Driver(),
		huggingface.Driver(),
		hosted.Driver(),
		decisions.Driver(),
		replay.Driver(),
		bart.Driver(),
	}
}

// kinds lists the kinds whose drivers have something.
func kinds(has func(backends.Driver) bool) []backends.Kind {
	var out []backends.Kind
	for _, d := range drivers() {
		if has(d) {
			out = append(out, d.Kind)
		}
	}
	return out
}

// Model opens the model that cfg describes.
func Model(cfg backends.Config) (backends.Model, error) {
	return open(cfg, "model", "answers no requests",
		func(d backends.Driver) func(backends.Config) (backends.Model, error) { return d.Model })
}

// Embedder opens the embedder that cfg describes.
func Embedder(cfg backends.Config) (backends.Embedder, error) {
	return open(cfg, "embedder", "embeds no texts",
		func(d backends.Driver) func(backends.Config) (backends.Embedder, error) { return d.Embedder })
}

// Scorer opens the scorer that cfg describes.
func Scorer(cfg backends.Config) (backends.Scorer, error) {
	return open(cfg, "scorer", "scores no pairs of texts",
		func(d backends.Driver) func(backends.Config) (backends.Scorer, error) { return d.Scorer })
}

// Batch opens the model that cfg describes for batch files, with classifications that are asked in this way.
func Batch(cfg backends.Config, labels backends.LabelMode) (backends.Batch, error) {
	return open(cfg, "model", "has no batch files",
		func(d backends.Driver) func(backends.Config) (backends.Batch, error) {
			if d.Batch == nil {
				return nil
			}
			return func(c backends.Config) (backends.Batch, error) { return d.Batch(c, labels) }
		})
}

// Batches reports whether models of a kind have batch files.
func Batches(k backends.Kind) bool {
	return slices.Contains(kinds(func(d backends.Driver) bool { return d.Batch != nil }), k)
}

func open[T any](cfg backends.Config, what, cannot string,
	function func(backends.Driver) func(backends.Config) (T, error)) (T, error) {
	var none T
	d, err := driver(cfg, what)
	if err != nil {
		return none, err
	}
	with := func(d backends.Driver) bool { return function(d) != nil }
	if !with(d) {
		return none, fmt.Errorf("%s %q: backend kind %q %s: want one of %v", what, cfg.Model.ID, d.Kind, cannot, kinds(with))
	}
	opened, err := function(d)(rooted(cfg))
	if err != nil {
		return none, err // not opened, which may be a nil pointer inside an interface
	}
	return opened, nil
}

// Revision returns the revision of the model that cfg describes: the hash of
// what decides its answers where its kind can tell, else the one that cfg
// states.
func Revision(cfg backends.Config) (string, error) {
	d, err := driver(cfg, "model")
	if err != nil {
		return "", err
	}
	if r, _ := cfg.Remote(); r.Launch != nil && r.Launch.Content {
		return content(r.Launch, cfg.Model.Revision)
	}
	if d.Revision == nil {
		return cfg.Model.Revision, nil
	}
	return d.Revision(rooted(cfg))
}

// Inspect returns what a model's folder says about it apart from its weights;
// nil where its kind has none.
func Inspect(cfg backends.Config) (backends.Facts, error) {
	d, err := driver(cfg, "model")
	if err != nil || d.Inspect == nil {
		return nil, err
	}
	facts, err := d.Inspect(rooted(cfg))
	if err != nil {
		return nil, err
	}
	return facts, nil
}

func driver(cfg backends.Config, what string) (backends.Driver, error) {
	list := drivers()
	i := slices.IndexFunc(list, func(d backends.Driver) bool { return d.Kind == cfg.Model.Kind })
	if i < 0 {
		all := kinds(func(backends.Driver) bool { return true })
		return backends.Driver{}, fmt.Errorf("%s %q: unknown backend kind %q: want one of %v", what, cfg.Model.ID,
			cfg.Model.Kind, all)
	}
	return list[i], nil
}

// rooted fills in where the folder of the weights is.
func rooted(cfg backends.Config) backends.Config {
	if folder := cfg.Folder(); cfg.Files == nil && folder != "" {
		cfg.Files = regular.DirFS(folder)
	}
	return cfg
}

// content is the revision of weights of this machine that an engine reads, where the spec states none:
// their content hash. What the settings of the backend added to the revision stays behind it.
func content(l *backends.Launch, added string) (string, error) {
	where, err := filepath.Abs(l.Weights)
	if err != nil {
		return "", err
	}
	found, err := folder.Content(regular.DirFS(filepath.Dir(where)), filepath.Base(where))
	return found + added, err
}

// Shape reads the network's shape off a folder's config.json, for the families of backends/local.
func Shape(files fs.FS) (backends.Shape, error) { return local.Shape(files) }
