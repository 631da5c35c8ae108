package spec

import (
	"fmt"
	"slices"

	"infnet/backends"
	"infnet/harness/spec/place"
)

// Embedder is what turns texts into vectors, for the cosine and for the
// embeddings of the sufficiency test.
type Embedder struct {
	Kind  backends.Kind // lexical, or the model's; "" in a study with mistakes
	Model *Model        `json:",omitempty"` // nil = the built-in lexical embedder
}

// Name is what tables call the embedder.
func (e Embedder) Name() string {
	if e.Model != nil {
		return e.Model.Name
	}
	return string(e.Kind)
}

// Measures reports whether a cosine of its vectors is a measure of meaning,
// on which a correctness rule may rest.
func (e Embedder) Measures() bool { return e.Kind != backends.Lexical }

// embedderKinds are the backends that make vectors without a model's entry.
func embedderKinds() []rawEmbedderKind { return []rawEmbedderKind{rawEmbedderKind(backends.Lexical)} }

// embeds finds the model that [embedder] names, and marks it; the model itself
// is checked with the others. It returns nil where there is none.
func (l *loader) embeds(s *Study, models []*definition, cascades []Cascade, whole bool) *definition {
	f := l.files[0]
	r := or(f.raw.Embedder, rawEmbedder{})
	s.Embedder = Embedder{Kind: backends.Kind(or(r.Kind, rawEmbedderKind(backends.Lexical)))}
	if r.Model = l.embedsInstead(s, r, models); r.Model == nil {
		return nil
	}
	const key = "embedder.model"
	s.Embedder.Kind = "" // until the model says
	if r.Kind != nil && f.raw.Embedder.Model != nil {
		l.bad(f, key, "kind names an embedder already", "leave kind out, or model")
		return nil
	}
	i := slices.IndexFunc(models, func(d *definition) bool { return d.name != "" && d.name == *r.Model })
	switch {
	case i < 0 && whole:
		var known []string
		for _, d := range models {
			known = append(known, d.name)
		}
		l.bad(f, key, fmt.Sprintf("no model is named %q", *r.Model), place.Suggest(*r.Model, known))
		return nil
	case i < 0:
		return nil
	case slices.ContainsFunc(cascades, func(c Cascade) bool { return slices.Contains(c.Models, *r.Model) }):
		l.bad(f, key, fmt.Sprintf("%s stands in a cascade: it answers, and embeds nothing", *r.Model), "write a [[models]] entry of its own for the embedder")
		return nil
	}
	models[i].embeds = true
	return models[i]
}

// embedder takes over the model that embeds.
func (l *loader) embedder(s *Study, m Model) {
	k := m.Config.Model.Kind
	if k != "" && k != backends.Encoder && k != backends.OpenAI {
		l.bad(l.files[0], "embedder.model", fmt.Sprintf("%s is computed by %s, which embeds nothing", m.Name, k),
			"set backend = \"encoder\" for a sentence encoder in this process, or name a server's model (kind openai) that has /v1/embeddings")
		return
	}
	s.Embedder = Embedder{Kind: k, Model: &m}
}

// answering refuses encoders in cascades.
func (l *loader) answering(s *Study) {
	main := l.files[0]
	for i, c := range s.Cascades {
		for _, name := range c.Models {
			m, ok := s.Model(name)
			if !ok || m.Config.Model.Kind != backends.Encoder && m.Config.Model.Kind != backends.BART {
				continue
			}
			at := place.Element("cascades", i) + ".models"
			if j := slices.Index(main.raw.Cascades[i].Models, name); j >= 0 { // else it stands in for another
				at = place.Element(at, j)
			}
			if m.Config.Model.Kind == backends.BART {
				l.bad(main, at, fmt.Sprintf("%s is a scorer: it scores pairs of texts and answers nothing", name), "name it as the model of [scorer], and here a model that answers")
				continue
			}
			l.bad(main, at, fmt.Sprintf("%s is an encoder: it embeds texts and answers nothing", name), "name it as the model of [embedder], and here a model that answers")
		}
	}
}

// encoder checks a sentence encoder in this process: a local model's folder,
// that only embeds.
func (l *loader) encoder(d *definition, r *rawModel, m *Model, b *backend, s *Study) {
	l.local(d, r, m, b, s)
	if c := m.Config.Local; c != nil {
		m.Config.Encoder, m.Config.Local = &backends.EncoderConfig{Path: c.Path, Threads: c.Threads}, nil
	}
}
