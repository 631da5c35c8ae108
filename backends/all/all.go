// Package all opens models by their configuration. It owns the one list of
// implementations and nothing else: a new backend is one more case here.
package all

import (
	"fmt"

	"infnet/backends"
	"infnet/backends/encoder"
	"infnet/backends/huggingface"
	"infnet/backends/lexical"
	"infnet/backends/local"
	"infnet/backends/openai"
	"infnet/backends/replay"
	"infnet/backends/simulated"
)

// Open opens the model that cfg describes. The kind is cfg.Model.Kind.
func Open(cfg backends.Config) (backends.Model, error) {
	missing := func() error {
		return fmt.Errorf("model %q: it has no settings for backend kind %q", cfg.Model.ID, cfg.Model.Kind)
	}
	switch cfg.Model.Kind {
	case backends.Local:
		if cfg.Local == nil {
			return nil, missing()
		}
		return opened(local.Open(cfg))
	case backends.Simulated:
		if cfg.Simulated == nil {
			return nil, missing()
		}
		return opened(simulated.Open(cfg))
	case backends.OpenAI:
		if cfg.OpenAI == nil {
			return nil, missing()
		}
		return opened(openai.Open(cfg))
	case backends.HuggingFace:
		return opened(huggingface.Open(cfg)) // reports missing settings itself
	case backends.Replay:
		if cfg.Replay == nil {
			return nil, missing()
		}
		return opened(replay.Open(cfg))
	case backends.BART:
		return nil, fmt.Errorf("model %q: backend kind %q scores pairs of texts and answers nothing", cfg.Model.ID, cfg.Model.Kind)
	case backends.Lexical, backends.Encoder:
		return nil, fmt.Errorf("model %q: backend kind %q embeds texts and answers nothing", cfg.Model.ID, cfg.Model.Kind)
	}
	return nil, fmt.Errorf("model %q: unknown backend kind %q: want one of %v", cfg.Model.ID, cfg.Model.Kind, backends.Kinds())
}

// opened turns a nil pointer beside an error into a nil interface.
func opened[M backends.Model](m M, err error) (backends.Model, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// OpenEmbedder opens the embedder that cfg describes.
func OpenEmbedder(cfg backends.Config) (backends.Embedder, error) {
	switch cfg.Model.Kind {
	case backends.Lexical:
		if cfg.Model != lexical.ID() {
			return nil, fmt.Errorf("embedder %q revision %q: this program has %q revision %q", cfg.Model.ID, cfg.Model.Revision, lexical.Name, lexical.Revision)
		}
		return lexical.Embedder{}, nil
	case backends.Encoder:
		e, err := encoder.Open(cfg) // reports missing settings itself
		if err != nil {
			return nil, err
		}
		return e, nil
	case backends.Local, backends.Simulated, backends.OpenAI, backends.HuggingFace, backends.Replay, backends.BART:
		return nil, fmt.Errorf("embedder %q: backend kind %q answers requests and embeds nothing: want %q", cfg.Model.ID, cfg.Model.Kind, backends.Lexical)
	}
	return nil, fmt.Errorf("embedder %q: unknown backend kind %q: want %q", cfg.Model.ID, cfg.Model.Kind, backends.Lexical)
}
