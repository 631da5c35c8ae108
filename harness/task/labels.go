package task

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"infnet/harness/dataset"
)

// Labels are the classes of a dataset in index order. A word has no leading
// space; Continuations adds it.
type Labels []dataset.Label

// LabelsOf makes labels of plain words in index order, as a spec's plain list
// means it: the data write the word, or the index from 0.
func LabelsOf(words ...string) Labels {
	l := make(Labels, len(words))
	for i, w := range words {
		l[i] = dataset.Label{Class: w, Word: w}
	}
	return l
}

// Continuations returns what models are asked to choose among: each word
// behind one space, in class order.
func (l Labels) Continuations() []string {
	out := make([]string, len(l))
	for i, x := range l {
		out[i] = " " + x.Word
	}
	return out
}

// Words returns the words in class order.
func (l Labels) Words() []string {
	out := make([]string, len(l))
	for i, x := range l {
		out[i] = x.Word
	}
	return out
}

// Check reports every mistake that shows without a tokenizer: fewer than two
// labels; a class or word that is empty, repeated, or not valid UTF-8; a word
// with space around it. (Two words with the same first token are found by
// whoever has the model's tokenizer.)
func (l Labels) Check() error {
	var errs []error
	if len(l) < 2 {
		errs = append(errs, fmt.Errorf("%d labels: a classification needs two or more", len(l)))
	}
	classes, words := map[string]int{}, map[string]int{}
	for i, x := range l {
		switch first, again := words[x.Word]; {
		case strings.TrimSpace(x.Word) == "":
			errs = append(errs, fmt.Errorf("label %d has no word", i+1))
		case !utf8.ValidString(x.Word) || !utf8.ValidString(x.Class):
			errs = append(errs, fmt.Errorf("label %d is not valid UTF-8", i+1))
		case strings.TrimSpace(x.Word) != x.Word:
			errs = append(errs, fmt.Errorf("label %d: the word %q has space around it: write %q, the space before it is added", i+1, x.Word, strings.TrimSpace(x.Word)))
		case again:
			errs = append(errs, fmt.Errorf("labels %d and %d have the same word %q", first+1, i+1, x.Word))
		default:
			words[x.Word] = i
		}
		switch first, again := classes[x.Class]; {
		case x.Class == "":
			errs = append(errs, fmt.Errorf("label %d (%s) has no class: write how the data name it", i+1, x.Word))
		case again:
			errs = append(errs, fmt.Errorf("labels %d and %d have the same class %q", first+1, i+1, x.Class))
		default:
			classes[x.Class] = i
		}
	}
	return errors.Join(errs...)
}
