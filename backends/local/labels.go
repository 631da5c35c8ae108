package local

import (
	"errors"
	"slices"

	"infnet/backends"
)

// CheckLabels reports labels that this model cannot distinguish after a raw prompt: a label without
// tokens, one that merges with the end of the prompt, or two that begin with the same token. The
// error names them.
func (m *Model) CheckLabels(prompt string, labels []string) error {
	r := m.raw(prompt)
	if _, f := m.labelTokens(r, r.encode(m.tokens), labels); f != nil {
		return errors.New(f.Message)
	}
	return nil
}

// labelTokens returns the first token of each label after the prompt: the
// first of tokens(prompt + label) beyond tokens(prompt).
func (m *Model) labelTokens(r rendered, prompt []int32, labels []string) ([]int32, *backends.Failure) {
	out := make([]int32, len(labels))
	prefix := prompt[len(r.head):]
	for i, label := range labels {
		with := m.tokens.Encode(r.tail + label)
		switch {
		case label == "":
			return nil, badRequest("label %d is empty", i)
		case len(with) < len(prefix) || !slices.Equal(with[:len(prefix)], prefix):
			return nil, badRequest("label %q merges with the end of the prompt into other tokens: end the prompt without a "+
				"blank and begin the label with one", label)
		case len(with) == len(prefix):
			return nil, badRequest("label %q adds no token to the prompt", label)
		}
		out[i] = with[len(prefix)]
		if j := slices.Index(out[:i], out[i]); j >= 0 {
			return nil, badRequest("labels %q and %q both begin with the token %q: choose words that begin differently",
				labels[j], label, m.tokens.Text(out[i]))
		}
	}
	return out, nil
}
