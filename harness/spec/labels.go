package spec

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/spec/place"
)

func (c *labelCheck) labels() {
	d := &c.out
	switch {
	case !d.classification():
		return
	case c.builtin != nil && d.Words == nil:
		for _, b := range c.builtin.Labels {
			d.Labels = append(d.Labels, Label{Class: b.Class, Word: strings.TrimPrefix(b.Word, " ")})
		}
		return
	case d.Words == nil:
		c.missing("labels", "labels = [\"negative\", \"positive\"], in the order of their indices in the data")
		return
	case len(d.Words) < 2:
		c.wrong("labels", fmt.Sprintf("%d labels leave nothing to choose", len(d.Words)),
			"a classification needs two or more")
	}
	for i, raw := range d.Words {
		at := place.Element(place.Join(c.at, "labels"), i)
		label := Label{Class: raw.Class, Word: raw.Word}
		if word := place.Join(at, "word"); c.file.text.Has(word) {
			c.word(word, label.Word)
		} else {
			label.Word = raw.Class
			c.word(at, label.Word)
		}
		c.likeness(at, label)
		d.Labels = append(d.Labels, label)
	}
	var want []string
	if c.builtin != nil {
		for _, b := range c.builtin.Labels {
			want = append(want, b.Class)
		}
	}
	same := func(class string, l Label) bool { return class == l.Class }
	if c.builtin != nil && !slices.EqualFunc(want, d.Labels, same) {
		c.wrong("labels", fmt.Sprintf("%s makes the classes %s, in this order", d.Source.Text, strings.Join(want, ", ")),
			"name these; the words are yours to choose: { class = \"…\", word = \"…\" }")
	}
}

func (c *labelCheck) word(at, word string) {
	switch {
	case strings.TrimSpace(word) == "":
		c.file.wrong(at, "the word is empty", "what the model should say for this class")
	case word != strings.TrimSpace(word):
		c.file.wrong(at, fmt.Sprintf("the word %q has space around it", word),
			"write the word alone: one space joins it to the prompt")
	case strings.ContainsAny(word, "\n\r"):
		c.file.wrong(at, fmt.Sprintf("the word %q has a line break", word), "write one word, or a few on one line")
	}
}

// likeness refuses a class that is there already, and a word that differs from another label's only in case and
// blanks: no model can distinguish them. Classes that differ only so get a warning: a file may hold both, each with a
// word of its own.
func (c *labelCheck) likeness(at string, label Label) {
	const tellApart = "a model must be able to say which class it means: give every class a word of its own"
	for j, other := range c.out.Labels {
		switch {
		case label.Class == "":
		case label.Class == other.Class:
			c.file.wrong(at, fmt.Sprintf("the class %q twice, here and as labels[%d]", label.Class, j),
				"every class has one label")
		case label.Word == other.Word:
			c.file.wrong(at, fmt.Sprintf("the word %q twice, here and as labels[%d]", label.Word, j), tellApart)
		case folded(label.Word) == folded(other.Word):
			c.file.wrong(at, fmt.Sprintf("the word %q is that of labels[%d], %q, but for case and blanks", label.Word, j,
				other.Word), tellApart+", or make them one class in the data")
		case folded(label.Class) == folded(other.Class):
			c.file.warn(at, fmt.Sprintf("the class %q is that of labels[%d], %q, but for case and blanks", label.Class, j,
				other.Class), "are they two classes, or one that the data write in two ways?")
		default:
			continue
		}
		return
	}
}

func folded(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), "")) }

func (c *labelCheck) other() {
	name, d := c.out.Other, &c.out
	if !c.has("other") || !d.classification() {
		return
	}
	if !(*datasetCheck)(c).graded() {
		c.wrong("other", "an answer that is none of the labels has no grade", "leave it out; it is for "+
			"correct = { rule = \"recorded\" }")
	} else if strings.TrimSpace(name) != name || name == "" {
		c.wrong("other", fmt.Sprintf("%q is no name of a class", name), "a word, such as other = \"other\"")
	}
	for _, l := range d.Labels {
		if folded(l.Class) == folded(name) || folded(l.Word) == folded(name) {
			c.wrong("other", fmt.Sprintf("%q is one of the labels", name), "give the other answers a name of their own")
			return
		}
	}
	d.Labels = append(d.Labels, Label{Class: name, Word: name, Other: true})
}
