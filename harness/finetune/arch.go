package finetune

import (
	"encoding/json"
	"fmt"
	"io/fs"

	"infnet/backends/encoder"
)

// labels is the number of classes of the head: 0 and 1.
const labels = 2

// arch is the shape of an encoder and how it is trained.
type arch struct {
	encoder.Config
	sd float64 // standard deviation of weights that start at random

	// Shares of numbers that are dropped while training.
	dropHidden, dropAttention, dropHead float64
}

// readArch takes the shape from a folder and from its config.json what only
// training needs.
func readArch(c encoder.Config, fsys fs.FS) (arch, error) {
	a := arch{Config: c}
	if c.Architecture != encoder.BERT && c.Architecture != encoder.DistilBERT {
		return a, fmt.Errorf("config.json: model_type %q: only encoders of the types %q and %q can be fine-tuned",
			c.Architecture, encoder.BERT, encoder.DistilBERT)
	}
	if c.Activation != encoder.Gelu {
		return a, fmt.Errorf("config.json: the activation %q cannot be fine-tuned: want %q", c.Activation, encoder.Gelu)
	}
	text, err := fs.ReadFile(fsys, "config.json")
	if err != nil {
		return a, err
	}
	raw := struct {
		SD        float64  `json:"initializer_range"`
		Hidden    float64  `json:"hidden_dropout_prob"`
		Attention float64  `json:"attention_probs_dropout_prob"`
		Head      *float64 `json:"classifier_dropout"`
		// DistilBERT's names for the same.
		Dropout    float64 `json:"dropout"`
		Attention2 float64 `json:"attention_dropout"`
		Head2      float64 `json:"seq_classif_dropout"`
	}{SD: 0.02, Hidden: 0.1, Attention: 0.1, Dropout: 0.1, Attention2: 0.1, Head2: 0.2}
	if err := json.Unmarshal(text, &raw); err != nil {
		return a, fmt.Errorf("config.json: %w", err)
	}
	a.sd, a.dropHidden, a.dropAttention, a.dropHead = raw.SD, raw.Hidden, raw.Attention, raw.Hidden
	if raw.Head != nil {
		a.dropHead = *raw.Head
	}
	if c.Architecture == encoder.DistilBERT {
		a.dropHidden, a.dropAttention, a.dropHead = raw.Dropout, raw.Attention2, raw.Head2
	}
	for _, p := range []float64{a.dropHidden, a.dropAttention, a.dropHead} {
		if !(p >= 0 && p < 1) {
			return a, fmt.Errorf("config.json: a dropout of %v: want 0 ≤ dropout < 1", p)
		}
	}
	if !(a.sd > 0 && a.sd < 1) {
		return a, fmt.Errorf("config.json: initializer_range %v: want a number between 0 and 1", a.sd)
	}
	return a, nil
}

// slot is one weight: what it is called and its shape.
type slot struct {
	name  string
	shape []int
	head  bool // of the classifier: it starts at random where the folder lacks it
}

// size is how many numbers it has.
func (s slot) size() int {
	n := 1
	for _, d := range s.shape {
		n *= d
	}
	return n
}

// bias says whether a slot is a bias or of a layer norm, which decay spares.
func (s slot) bias() bool { return len(s.shape) == 1 }

// pooler is the layer between the first token and the classifier.
func (a arch) pooler() string {
	if a.Architecture == encoder.DistilBERT {
		return "pre_classifier"
	}
	return "pooler.dense"
}

// slots lists every weight in the order they are kept in.
func (a arch) slots() []slot {
	d, f := a.Hidden, a.FeedForward
	var out []slot
	linear := func(name string, n, k int, head bool) {
		out = append(out, slot{name + ".weight", []int{n, k}, head}, slot{name + ".bias", []int{n}, head})
	}
	norm := func(name string) {
		out = append(out, slot{name + ".weight", []int{d}, false}, slot{name + ".bias", []int{d}, false})
	}
	out = append(out, slot{"embeddings.word_embeddings.weight", []int{a.Vocabulary, d}, false},
		slot{"embeddings.position_embeddings.weight", []int{a.Positions, d}, false})
	if a.Types > 0 {
		out = append(out, slot{"embeddings.token_type_embeddings.weight", []int{a.Types, d}, false})
	}
	norm("embeddings.LayerNorm")
	for i := range a.Layers {
		l := a.Names(i)
		for _, name := range []string{l.Query, l.Key, l.Value, l.Out} {
			linear(name, d, d, false)
		}
		norm(l.AttentionNorm)
		linear(l.Up, f, d, false)
		linear(l.Down, d, f, false)
		norm(l.OutNorm)
	}
	linear(a.pooler(), d, d, true)
	linear("classifier", labels, d, true)
	return out
}
