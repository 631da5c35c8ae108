// Package pieces owns what tokenizers share: the tokens that are found in a text before it is split, the merging
// of a word's neighbouring pieces, and the words whose pieces are remembered. It refuses to know a file's format
// and a vocabulary.
package pieces

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Added is a token that is looked for in a text before it is split, as tokenizer.json lists it.
type Added struct {
	Content    string `json:"content"`
	ID         int32  `json:"id"`
	SingleWord bool   `json:"single_word"` // not inside a word: refused
	Left       bool   `json:"lstrip"`      // takes the blanks before it
	Right      bool   `json:"rstrip"`      // takes the blanks after it: refused
	Normalized *bool  `json:"normalized"`  // looked for in the normalised text; nil = unless it is special
	Special    bool   `json:"special"`     // vanishes when decoding
}

// Vocabulary is the tokens of a tokenizer.json by their ids, with those that are added and those around every text.
type Vocabulary struct {
	ByID          []string // "" where no token has the id
	Added         map[int32]Added
	Before, After []int32

	normalize   func(string) string
	raw, cooked matcher // added tokens looked for in the text as it stands, and in the normalised one
}

const maxID = 1 << 21

// Place gives a token its id.
func (v *Vocabulary) Place(id int32, token string) error {
	if id < 0 || id >= maxID {
		return fmt.Errorf("token %q has id %d: want 0 to %d", token, id, maxID-1)
	}
	if token == "" {
		return fmt.Errorf("token %d is empty", id)
	}
	for int(id) >= len(v.ByID) {
		v.ByID = append(v.ByID, make([]string, int(id)+1-len(v.ByID))...)
	}
	if was := v.ByID[id]; was != "" && was != token {
		return fmt.Errorf("tokens %q and %q both have id %d", min(was, token), max(was, token), id)
	}
	v.ByID[id] = token
	return nil
}

// Add takes the tokens that a file adds to those of its model, normalize, and what its post-processor says.
func (v *Vocabulary) Add(list []Added, model map[string]int32, normalize func(string) string, s *Surround) (err error) {
	v.Added, v.normalize = map[int32]Added{}, normalize
	for _, a := range list {
		if a.SingleWord || a.Right {
			return fmt.Errorf("added token %q: single_word and rstrip are not supported", a.Content)
		}
		if id, ok := model[a.Content]; ok && id != a.ID {
			return fmt.Errorf("added token %q has id %d, and %d in the vocabulary", a.Content, a.ID, id)
		}
		if err := v.Place(a.ID, a.Content); err != nil {
			return err
		}
		v.Added[a.ID] = a
		if a.Normalized == nil && a.Special || a.Normalized != nil && !*a.Normalized {
			v.raw.add(a)
			continue
		}
		if a.Content = normalize(a.Content); a.Content == "" {
			return fmt.Errorf("added token %q is empty once normalised", v.ByID[a.ID])
		}
		v.cooked.add(a)
	}
	v.Before, v.After, err = s.Around(func(id int32) bool {
		return id >= 0 && int(id) < v.Len() && v.ByID[id] != ""
	})
	return err
}

// Len returns one more than the highest id.
func (v *Vocabulary) Len() int { return len(v.ByID) }

// Special returns the id of an added token, such as "<|im_end|>".
func (v *Vocabulary) Special(text string) (int, bool) {
	for _, m := range []*matcher{&v.raw, &v.cooked} {
		if a := m.at(text); a != nil && a.Content == text {
			return int(a.ID), true
		}
	}
	return 0, false
}

// Append appends the ids of a text: the added tokens in it, and what between appends for the normalised stretches
// between them.
func (v *Vocabulary) Append(ids []int32, text string, between func(ids []int32, part string) []int32) []int32 {
	return v.raw.append(ids, text, func(ids []int32, part string) []int32 {
		return v.cooked.append(ids, v.normalize(part), between)
	})
}

// matcher finds added tokens in a text: the leftmost, of those that begin there the longest.
type matcher struct {
	byFirst [256][]Added // longest first
}

func (m *matcher) add(a Added) {
	list := append(m.byFirst[a.Content[0]], a)
	slices.SortStableFunc(list, func(x, y Added) int { return len(y.Content) - len(x.Content) })
	m.byFirst[a.Content[0]] = list
}

// at returns the longest token that begins at the start of text.
func (m *matcher) at(text string) *Added {
	if text == "" {
		return nil
	}
	list := m.byFirst[text[0]]
	if i := slices.IndexFunc(list, func(a Added) bool { return strings.HasPrefix(text, a.Content) }); i >= 0 {
		return &list[i]
	}
	return nil
}

func (m *matcher) append(ids []int32, text string, between func(ids []int32, part string) []int32) []int32 {
	done := 0
	for i := 0; i < len(text); {
		a := m.at(text[i:])
		if a == nil {
			i++
			continue
		}
		begin, end := i, i+len(a.Content)
		i = end
		if a.Left {
			begin = len(strings.TrimRightFunc(text[:begin], unicode.IsSpace))
		}
		if done < begin {
			ids = between(ids, text[done:begin])
		}
		ids = append(ids, a.ID)
		done = max(done, end)
	}
	if done < len(text) {
		ids = between(ids, text[done:])
	}
	return ids
}

// ValidUTF8 puts U+FFFD for every byte that is not part of a character.
func ValidUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s { // U+FFFD for each such byte
		b.WriteRune(r)
	}
	return b.String()
}
