// Package all opens models by their configuration. It owns the one list of
// implementations and nothing else: a new backend is one more case here.
package all

import (
	"fmt"

	"infnet/backends"
	"infnet/backends/simulated"
)

// Open opens the model that cfg describes. The kind is cfg.Model.Kind.
func Open(cfg backends.Config) (backends.Model, error) {
	missing := func() error {
		return fmt.Errorf("model %q: it has no settings for backend kind %q", cfg.Model.ID, cfg.Model.Kind)
	}
	switch cfg.Model.Kind {
	case backends.Simulated:
		if cfg.Simulated == nil {
			return nil, missing()
		}
		return opened(simulated.Open(cfg))
	case backends.Lexical:
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
