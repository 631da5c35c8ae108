// Package builtin generates the quickstart's data: four tasks of natural English sentences, written for this project
// and composed by rules from a seed. It owns the generators, their word lists (words/*.json, embedded, with labels and
// default prompts), and the partition of every task into a study and a train stream that share no text. It refuses to
// open files or sockets and to know models.
//
// Its opinion: difficulty should be graded and honest. Each task has depths; a depth adds one thing to keep in mind (a
// negation, a contrast, a second matter, a hop, a case). A small, stated share of rows is ambiguous, so that no model
// can always be right.
package builtin

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"unicode"
	"unicode/utf8"

	"infnet/harness/choice"
	"infnet/harness/dataset"
	"infnet/harness/seed"
)

// Stream selects one of the two parts of a task's texts. A text belongs to exactly one stream, by a
// hash of its normalised form, whatever the seed.
type Stream string

const (
	Study Stream = "study" // what studies measure on: a quarter of all texts
	Train Stream = "train" // what models may be trained on: the other three quarters
)

// MaxRows is the longest draw, in rows.
const MaxRows = 1_000_000

// maxTries bounds the search for a text that is new and of the right stream. A try fails three times in four at most
// by the stream alone, so 4,000 tries without a hit mean that nearly every text of that depth has been used.
const maxTries = 4000

// Label is one class of a classification task.
type Label struct {
	Class string // the name in tables and files
	Word  string // how a model says it after the prompt, with its leading space
}

// Source is one built-in task.
type Source struct {
	Name        string
	Task        string   // "classification", "qa" or "translation"
	Labels      []Label  // in class order; empty where the task has no classes
	Prompt      string   // default prompt; {field} names a field
	Fields      []string // the fields that prompts may name
	MaxTokens   int      // tokens a right answer needs at most, with its end
	Description string   // one line
	Depths      []int    // relative weight of each depth, from 0

	write func(r *rand.Rand, class, depth int) composite // one text of this class and depth
}

// composite is a text before it has a row number.
type composite struct {
	fields     map[string]string
	key        string   // what must be new, and what decides the stream
	references []string // accepted answers, primary first
}

// Sources returns the four tasks in the order tables show them.
func Sources() []Source {
	list := []Source{reviews.Source, tickets.Source, lookup.Source, phrasebook.Source}
	for i, write := range []func(*rand.Rand, int, int) composite{writeReview, writeTicket, writeLookup, writePhrase} {
		list[i].write = write
	}
	return list
}

// Names returns the names that Lookup knows, in the order of Sources.
func Names() []string {
	var names []string
	for _, s := range Sources() {
		names = append(names, s.Name)
	}
	return names
}

// Lookup returns the task with this name. The error of an unknown name says which one was probably meant.
func Lookup(name string) (Source, error) {
	for _, s := range Sources() {
		if s.Name == name {
			return s, nil
		}
	}
	if n := choice.Nearest(name, Names()); n != "" {
		return Source{}, fmt.Errorf("no built-in dataset %q: did you mean %q? (there are %s)", name, n, choice.List(Names()))
	}
	return Source{}, fmt.Errorf("no built-in dataset %q: there are %s", name, choice.List(Names()))
}

// Examples returns rows 1 to n of a stream. Row i depends on the source, the stream, the seed and i alone, so a longer
// draw begins with the shorter one; no text occurs twice in a draw, and none occurs in both streams under any two
// seeds. n is at most MaxRows. Class is -1 where the task has no classes. Fields holds the fields of the prompt and
// "depth": how many things the row asks a reader to keep in mind, from "0".
func (s Source) Examples(stream Stream, sd uint64, n int) ([]dataset.Example, error) {
	if stream != Study && stream != Train {
		return nil, fmt.Errorf("built-in dataset %s: no stream %q: it is %q or %q", s.Name, stream, Study, Train)
	}
	if n < 0 || n > MaxRows {
		return nil, fmt.Errorf("built-in dataset %s: %d rows asked for: it is 0 to %d", s.Name, n, MaxRows)
	}
	used := make(map[uint64]struct{}, n)
	out := make([]dataset.Example, 0, n)
	for row := 1; row <= n; row++ {
		e, ok := s.example(stream, sd, row, used)
		if !ok {
			return nil, fmt.Errorf("built-in dataset %s: the %s stream of seed %d has no new text left after %d rows: ask "+
				"for fewer rows", s.Name, stream, sd, row-1)
		}
		out = append(out, e)
	}
	return out, nil
}

// example writes one row. Class and depth are drawn once, before the first
// try, so that neither the stream nor texts already used shift their shares.
func (s Source) example(stream Stream, sd uint64, row int, used map[uint64]struct{}) (dataset.Example, bool) {
	r := seed.Stream(sd, "builtin", s.Name, string(stream), strconv.Itoa(row))
	class := -1
	if len(s.Labels) > 0 {
		class = r.IntN(len(s.Labels))
	}
	depth := weighted(r, s.Depths)
	for range maxTries {
		c := s.write(r, class, depth)
		h := seed.Hash(0, "builtin partition", s.Name, normal(c.key))
		if streamOf(h) != stream {
			continue
		}
		if _, old := used[h]; old {
			continue
		}
		used[h] = struct{}{}
		c.fields["depth"] = strconv.Itoa(depth)
		return dataset.Example{ID: fmt.Sprintf("%s-%07d", s.Name, row), Row: row, Fields: c.fields, Class: class,
			References: c.references}, true
	}
	return dataset.Example{}, false
}

// streamOf is the partition: one text in four is a study text.
func streamOf(h uint64) Stream {
	if h%4 == 0 {
		return Study
	}
	return Train
}

// normal is the form in which two texts count as the same: letters and digits
// in lower case, everything else one space.
func normal(text string) string {
	b := make([]byte, 0, len(text))
	space := false
	for _, c := range text {
		c = unicode.ToLower(c)
		if c < 128 && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			space = true
			continue
		}
		if space && len(b) > 0 {
			b = append(b, ' ')
		}
		space = false
		b = utf8.AppendRune(b, c)
	}
	return string(b)
}
