package spec

import (
	"fmt"
	"strings"

	"infnet/harness/spec/place"
)

// labels checks the classes.
func (c *labelCheck) labels() {
	r := c.raw
	if !c.out.classification() {
		if r.Labels != nil {
			c.wrong("labels", fmt.Sprintf("a task of %s has no labels", c.out.Task),
				"leave labels out, or set task = \"classification\"")
		}
		return
	}
	if r.Labels == nil {
		if c.builtin == nil {
			c.missing("labels", "labels = [\"negative\", \"positive\"], in the order of their indices in the data")
			return
		}
		for _, b := range c.builtin.Labels {
			c.out.Labels = append(c.out.Labels, Label{Class: b.Class, Word: strings.TrimPrefix(b.Word, " ")})
		}
		return
	}
	if n := len(r.Labels); n < 2 {
		c.wrong("labels", fmt.Sprintf("%d labels leave nothing to choose", n), "a classification needs two or more")
	}
	classes, words := map[string]int{}, map[string]int{}
	for i, raw := range r.Labels {
		at := place.Join(c.at, "labels") + fmt.Sprintf("[%d]", i)
		if raw.Class == nil && !raw.plain {
			c.file.missing(at, "class", "how the label column names it")
			continue
		}
		word := or(raw.Word, or(raw.Class, ""))
		label := Label{Class: or(raw.Class, word), Word: word}
		c.label(at, raw, label)
		if j, again := classes[label.Class]; again {
			c.file.wrong(at, fmt.Sprintf("the class %q twice, here and as labels[%d]", label.Class, j),
				"every class has one label")
		} else if j, again := words[label.Word]; again {
			c.file.wrong(at, fmt.Sprintf("the word %q twice, here and as labels[%d]", label.Word, j),
				"a model must be able to say which class it means: give every class a word of its own")
		}
		classes[label.Class], words[label.Word] = i, i
		c.likeness(at, label)
		c.out.Labels = append(c.out.Labels, label)
	}
	if c.builtin != nil {
		c.builtinLabels()
	}
}

// likeness refuses a word that differs from another label's only in case and blanks: no model can
// distinguish them. Classes that differ only so get a warning: a file may hold both, each with a
// word of its own.
func (c *labelCheck) likeness(at string, label Label) {
	for j, other := range c.out.Labels {
		switch {
		case label.Word != other.Word && folded(label.Word) == folded(other.Word):
			c.file.wrong(at, fmt.Sprintf("the word %q is that of labels[%d], %q, but for case and blanks", label.Word, j,
				other.Word),
				"a model must be able to say which class it means: give every class a word of its own, or make them one class "+
					"in the data")
			return
		case label.Class != other.Class && label.Word != other.Word && folded(label.Class) == folded(other.Class):
			c.file.warn(at, fmt.Sprintf("the class %q is that of labels[%d], %q, but for case and blanks", label.Class, j,
				other.Class),
				"are they two classes, or one that the data write in two ways?")
			return
		}
	}
}

// folded is text without case and blanks.
func folded(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), "")) }

// label checks one label by itself.
func (c *labelCheck) label(at string, raw rawLabel, label Label) {
	if !raw.plain && raw.Word != nil {
		at = place.Join(at, "word")
	}
	switch {
	case strings.TrimSpace(label.Word) == "":
		c.file.wrong(at, "the word is empty", "what the model should say for this class")
	case label.Word != strings.TrimSpace(label.Word):
		c.file.wrong(at, fmt.Sprintf("the word %q has space around it", label.Word),
			"write the word alone: one space joins it to the prompt")
	case strings.ContainsAny(label.Word, "\n\r"):
		c.file.wrong(at, fmt.Sprintf("the word %q has a line break", label.Word), "write one word, or a few on one line")
	}
}

// builtinLabels checks that a study's classes are those of the generator.
func (c *labelCheck) builtinLabels() {
	want := make([]string, len(c.builtin.Labels))
	same := len(want) == len(c.out.Labels)
	for i, b := range c.builtin.Labels {
		want[i] = b.Class
		same = same && c.out.Labels[i].Class == b.Class
	}
	if !same {
		c.wrong("labels", fmt.Sprintf("%s makes the classes %s, in this order", c.out.Source.Text, strings.Join(want, ", ")),
			"name these; the words are yours to choose: { class = \"…\", word = \"…\" }")
	}
}
