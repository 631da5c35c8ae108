// Package local runs language models in this process, in pure Go, from folders in the layout of the
// Hugging Face hub. It owns the families, the schedule of a batch, and the rendering of a prompt to tokens. The
// network, tokenizers, files and arithmetic have packages of their own below runtime.
//
// It runs the text models of Gemma 3, Qwen 3 and Ministral 3. A family is one
// function from config.json to a plan of the network (families.go);
// all that follows is shared. FAMILIES.md lists the layouts and how each
// was tested.
//
// It refuses what it would compute wrongly: other architectures, mixtures of
// experts, quantised weights, tokenizers with steps it does not know,
// checkpoints with missing, superfluous or misshapen tensors.
//
// Its opinion: an answer has the same bits alone, in any batch, with or
// without a shared prefix, on any number of threads and any SIMD width. Every
// row of every product is computed independently and in one order, so the
// runtime never trades that for speed and never needs to.
package local

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"infnet/backends"
	"infnet/backends/runtime/folder"
	"infnet/backends/runtime/safetensors"
	"infnet/backends/runtime/transformer"
	"infnet/backends/runtime/workers"
)

// Model answers requests with a network in memory. It is safe for concurrent
// use; calls share the weights and at most Threads workers.
type Model struct {
	id       backends.ModelID
	shape    backends.Shape
	net      *transformer.Network // nil = inspected alone
	tokens   *vocabulary
	eos      []int32
	turns    *turns // nil = no chat template
	batch    int
	workers  *workers.Pool[worker]
	noPrefix bool // compute shared prefixes anew for every request; for tests
	room     int  // new tokens that a cache has room for at first, for tests; 0 = firstRoom
}

var (
	_ backends.TokenCounter = (*Model)(nil)
	_ backends.Shaped       = (*Model)(nil)
	_ backends.Facts        = (*Model)(nil)
)

// OpenFS opens the model folder at the root of fsys, such as one embedded in
// the binary. The settings' path is not used. The error names the file, tensor or key
// that is wrong.
func OpenFS(fsys fs.FS, cfg backends.Config) (*Model, error) {
	settings, err := backends.SettingsOf[*backends.FolderConfig](cfg)
	if err != nil {
		return nil, err
	}
	m, err := open(fsys, *settings)
	if err != nil {
		return nil, fmt.Errorf("model %q: %w", cfg.Model.ID, err)
	}
	m.id = cfg.Model
	return m, nil
}

func open(fsys fs.FS, cfg backends.FolderConfig) (*Model, error) {
	if cfg.Threads < 0 || cfg.Batch < 0 {
		return nil, fmt.Errorf("threads = %d, batch = %d: want 0 (the default) or more", cfg.Threads, cfg.Batch)
	}
	m, s, err := inspect(fsys)
	if err != nil {
		return nil, err
	}
	if m.batch = cfg.Batch; m.batch == 0 {
		m.batch = 64
	}
	for _, id := range s.eos {
		m.eos = append(m.eos, int32(id))
	}
	if m.turns = s.plan.turns(m.tokens, s.thinks); m.turns != nil {
		m.turns.stops = m.turns.end >= 0 && !slices.Contains(m.eos, m.turns.end)
	}
	weights, err := safetensors.Open(fsys)
	if err != nil {
		return nil, err
	}
	m.net, err = s.plan.build(weights)
	if err := errors.Join(err, weights.Close()); err != nil {
		return nil, err
	}
	m.shape = m.net.Shape
	m.workers = workers.New(cfg.Threads, func() *worker { return newWorker(m.net) })
	return m, nil
}

// InspectFS reads the small files of the model folder at the root of fsys: enough to price a study and to check
// its labels before any model is loaded. Its errors are those of OpenFS, except those about the weights;
// the model answers nothing.
func InspectFS(fsys fs.FS) (*Model, error) {
	m, _, err := inspect(fsys)
	return m, err
}

func inspect(fsys fs.FS) (*Model, *setup, error) {
	s, err := readSetup(fsys)
	if err != nil {
		return nil, nil, err
	}
	tokens, err := readTokens(fsys, s)
	return &Model{shape: s.plan.Shape, tokens: tokens}, s, err
}

func (m *Model) BatchSize() int { return m.batch }

// Shape returns the network's shape, as config.json states it.
func (m *Model) Shape() backends.Shape { return m.shape }

// CountTokens returns the tokens of a raw prompt before truncation, the
// beginning-of-sequence token included.
func (m *Model) CountTokens(prompt string) (int, error) {
	return len(m.raw(prompt).encode(m.tokens)), nil
}

// Shape is the network's shape as the config.json at the root of fsys states it.
func Shape(fsys fs.FS) (backends.Shape, error) {
	var c config
	if err := folder.Read(fsys, configFile, &c); err != nil {
		return backends.Shape{}, err
	}
	p, err := c.plan()
	if err != nil {
		return backends.Shape{}, fmt.Errorf("%s: %w", configFile, err)
	}
	return p.Shape, nil
}

// Driver opens language models in this process.
func Driver() backends.Driver {
	return backends.Driver{
		Kind:     backends.Local,
		Model:    func(c backends.Config) (backends.Model, error) { return OpenFS(c.Files, c) },
		Revision: func(c backends.Config) (string, error) { return Revision(c.Files) },
		Inspect:  func(c backends.Config) (backends.Facts, error) { return InspectFS(c.Files) },
	}
}

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
