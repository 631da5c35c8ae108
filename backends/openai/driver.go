package openai

import "infnet/backends"

// Driver opens models behind servers of the OpenAI protocol.
func Driver() backends.Driver {
	return backends.Driver{
		Kind:     backends.OpenAI,
		Model:    func(c backends.Config) (backends.Model, error) { return Open(c) },
		Embedder: func(c backends.Config) (backends.Embedder, error) { return OpenEmbedder(c) },
		Scorer:   func(c backends.Config) (backends.Scorer, error) { return Open(c) },
		Batch:    func(c backends.Config, l backends.LabelMode) (backends.Batch, error) { return OpenBatch(c, l) },
	}
}
