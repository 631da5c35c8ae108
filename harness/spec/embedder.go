package spec

import (
	"fmt"

	"infnet/backends"
)

// Embedder turns texts into vectors, for the cosine and for the embeddings of the sufficiency test.
type Embedder struct {
	Kind  backends.Kind // lexical, or the model's; "" in a study with mistakes
	Model *Model        `json:",omitempty"` // nil = the built-in lexical embedder
}

// Name is the embedder's name in tables.
func (e Embedder) Name() string {
	if e.Model != nil {
		return e.Model.Name
	}
	return string(e.Kind)
}

// Measures reports whether the cosine of its vectors measures meaning, so that a correctness rule
// may use it.
func (e Embedder) Measures() bool { return e.Kind != backends.Lexical }

// takeEmbedder sets the model that embeds.
func takeEmbedder(s *Study, main *file, m Model) {
	k := m.Config.Model.Kind
	if k != "" && !k.Traits().Embeds {
		main.wrong("embedder.model", fmt.Sprintf("%s is computed by %s, which embeds nothing", m.Name, k),
			"set backend = \"encoder\" for a sentence encoder in this process, or name a server's model (kind openai) that "+
				"has /v1/embeddings")
		return
	}
	m.Config.Model.Revision += engineVariant(m)
	s.Embedder = Embedder{Kind: k, Model: &m}
}
