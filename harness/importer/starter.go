package importer

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"unicode"

	"infnet/harness/dataset"
	"infnet/harness/spec"
	"infnet/harness/task"
)

// Sample is a data file as its first rows show it: what Starter looks at.
type Sample struct {
	Name    string           // of the study; "" = after the file
	File    string           // the file as the spec should name it, slash-separated
	Columns []dataset.Column // as a files.Table describes them
	Rows    int              // those that they were read from

	Value func(row int, column string) (v any, ok bool) // a cell of these rows
}

// Starter writes a starter spec for a data file: a guess at its task, its text
// and its labels, with comments that say what to check. A starter must load unchanged and be
// easy to correct, so every guessed line says so. spec.Load accepts it
// where File exists next to it. Where nothing can be guessed, the error lists
// the columns.
func Starter(w io.Writer, s Sample) error {
	if strings.Contains(s.File, "${") {
		return fmt.Errorf("%s: the name holds ${, which a spec would replace: rename the file", s.File)
	}
	if s.File == "" || strings.ContainsFunc(s.File, unprintable) {
		return errors.New("a spec cannot name this file: its name is empty, or no plain text")
	}
	g, err := look(s)
	if err != nil {
		return err
	}
	file, _, _ := strings.Cut(path.Base(s.File), ".")
	dataset := cmp.Or(spec.Slug(file, spec.LongestName), "study")
	s.Name = cmp.Or(s.Name, dataset)
	if fault := spec.NameFault(s.Name); fault != "" {
		return fmt.Errorf("the study's name %q %s: want letters, digits and . _ + -, a letter or digit first", s.Name, fault)
	}
	if !slices.ContainsFunc(g.Fields, func(f spec.Field) bool { return f.Name != f.Column }) {
		g.Fields = nil // every field is the column of its name
	}
	return template.Must(template.New("starter").Funcs(writing(".")).Parse(starterText)).Execute(w, struct {
		Sample
		guess
		Dataset string
	}{s, g, dataset})
}

//go:embed starter.tmpl
var starterText string

func unprintable(r rune) bool { return r == unicode.ReplacementChar || unicode.IsControl(r) }

// literal is text as a prompt writes it: braces doubled.
func literal(s string) string { return strings.NewReplacer("{", "{{", "}", "}}").Replace(s) }

// guess is what a file's columns seem to be.
type guess struct {
	Task      task.Kind
	Prompt    string
	Fields    []spec.Field // of the prompt
	Label     string
	Labels    []dataset.Label
	Reference string
	ID        string
	Why       string // one line for the author
}

// mostClasses is the number of classes up to which a column is taken for a
// label.
const mostClasses = 50

// look guesses the roles of a sample's columns.
func look(s Sample) (guess, error) {
	var cols []dataset.Column
	for _, c := range s.Columns {
		if dataset.CheckPath(c.Path) == nil && c.Values > 0 {
			cols = append(cols, c)
		}
	}
	g := guess{}
	if c := as(cols, "id"); c != nil && !c.List && c.Distinct == c.Values && c.Nulls == 0 {
		g.ID = c.Path
	}
	switch {
	case g.question(cols):
	case g.pair(cols):
	case g.classes(cols, s):
	case g.free(cols):
	default:
		var have []string
		for _, c := range s.Columns {
			have = append(have, strconv.Quote(c.Path))
		}
		return g, fmt.Errorf("%s: cannot guess what to ask: no column looks like a label or a reference; there are %s: "+
			"rename one to \"label\" or \"answer\", or write the spec by hand", s.File, strings.Join(have, ", "))
	}
	return g, nil
}

// as finds the column of a role by its name, the likeliest name first.
func as(cols []dataset.Column, role dataset.Role) *dataset.Column {
	var have []string
	for _, c := range cols {
		have = append(have, c.Path)
	}
	if at := slices.Index(have, dataset.Find(have, dataset.Names(dataset.DataFile, role))); at >= 0 {
		return &cols[at]
	}
	return nil
}

// question takes a question, an answer and perhaps a context for question
// answering.
func (g *guess) question(cols []dataset.Column) bool {
	q, a := as(cols, "question"), as(cols, "reference")
	if q == nil || a == nil || q.List {
		return false
	}
	g.Task, g.Reference, g.Prompt = task.QA, a.Path, "Question: {question}\nAnswer:"
	if c := as(cols, "context"); c != nil && !c.List {
		g.Fields, g.Prompt = []spec.Field{{Name: "context", Column: c.Path}}, "Passage: {context}\n"+g.Prompt
	}
	g.Fields = append(g.Fields, spec.Field{Name: "question", Column: q.Path})
	g.Why = "A question and its answer stand side by side"
	return true
}

// pair takes two columns that name languages, or a source and a target, for
// translation.
func (g *guess) pair(cols []dataset.Column) bool {
	var languages []dataset.Column
	for _, c := range cols {
		code := c.Path[strings.LastIndexByte(c.Path, '.')+1:]
		named := len(code) == 2 && code == strings.ToLower(code)
		long := strings.HasPrefix(c.Path, "translation.") || c.Longest > 20
		if named && long && c.Type == dataset.Text && !c.List {
			languages = append(languages, c)
		}
	}
	if len(languages) == 2 && strings.HasSuffix(languages[0].Path, "en") {
		slices.Reverse(languages) // into English
	}
	from, to := as(cols, "from"), as(cols, "to")
	text := func(c *dataset.Column) bool { return c != nil && c.Type == dataset.Text && c.Longest > 20 }
	if len(languages) == 2 {
		from, to = &languages[0], &languages[1]
	} else if !text(from) || !text(to) {
		return false
	}
	language := func(c *dataset.Column) string { return literal(c.Path[strings.LastIndexByte(c.Path, '.')+1:]) }
	g.Task, g.Reference = task.Translation, to.Path
	g.Prompt = language(from) + ": {source}\n" + language(to) + ":"
	g.Fields = []spec.Field{{Name: "source", Column: from.Path}}
	g.Why = "Two columns hold a text in two languages"
	return true
}

// classes takes a column of few values for a label, and the longest text for
// what is to be classified.
func (g *guess) classes(cols []dataset.Column, s Sample) bool {
	fits := func(c *dataset.Column, most int) bool {
		return c != nil && !c.List && c.Distinct >= 2 && c.Distinct <= most && c.Nulls == 0
	}
	label := as(cols, "label")
	if !fits(label, mostClasses) {
		label = nil
		for i := range cols { // the fewest classes; the last of equals, where labels tend to be
			c := &cols[i]
			most, each := mostClasses, 2 // words that recur are classes
			if c.Type != dataset.Text && c.Type != dataset.Boolean {
				most, each = 20, 3 // numbers recur by chance: counts, years
			}
			recurs := c.Longest <= 40 && c.Values >= each*c.Distinct && c.Type != dataset.Number && c.Path != g.ID
			if recurs && fits(c, most) && (label == nil || c.Distinct <= label.Distinct) {
				label = c
			}
		}
	}
	if label == nil {
		return false
	}
	text := g.text(cols, label.Path)
	if text == nil {
		return false
	}
	values := s.distinct(label.Path)
	if len(values) < 2 {
		return false // a nested label, whose values the rows do not show
	}
	g.Task, g.Label, g.Prompt = task.Classification, label.Path, "Text: {text}\nClass:"
	g.Labels = labelsOf(values)
	g.Fields = []spec.Field{{Name: "text", Column: text.Path}}
	g.Why = fmt.Sprintf("%d different values in %d rows of one column look like classes", len(values), label.Values)
	return true
}

// text is the column that is most likely the text: by its name, else the one
// with the longest value.
func (g *guess) text(cols []dataset.Column, but string) (best *dataset.Column) {
	if c := as(cols, "query"); c != nil && c.Path != but && !c.List {
		return c
	}
	for i, c := range cols {
		if c.Path != but && c.Path != g.ID && !c.List && c.Type == dataset.Text && (best == nil || c.Longest > best.Longest) {
			best = &cols[i]
		}
	}
	return best
}

// free takes two columns of text for a prompt and its reference.
func (g *guess) free(cols []dataset.Column) bool {
	var texts []dataset.Column
	for _, c := range cols {
		if c.Type == dataset.Text && c.Path != g.ID {
			texts = append(texts, c)
		}
	}
	if len(texts) < 2 || texts[0].List {
		return false
	}
	reference := texts[len(texts)-1]
	if a := as(texts[1:], "reference"); a != nil {
		reference = *a
	}
	g.Task, g.Reference, g.Prompt = task.Generation, reference.Path, "{text}\n"
	g.Fields = []spec.Field{{Name: "text", Column: texts[0].Path}}
	g.Why = "No column looks like a label, so the first text is the prompt and another its reference"
	return true
}

// distinct lists the values of a top-level column as the reader writes them,
// numbers by size, texts by bytes.
func (s Sample) distinct(column string) []string {
	var out []string
	for i := range s.Rows {
		text := ""
		switch v, _ := s.Value(i, column); v := v.(type) {
		case string:
			text = v
		case json.Number, bool, int64, uint64:
			text = fmt.Sprint(v)
		}
		if text != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		x, errX := strconv.ParseInt(a, 10, 64)
		y, errY := strconv.ParseInt(b, 10, 64)
		if errX == nil && errY == nil {
			return cmp.Compare(x, y)
		}
		return cmp.Compare(a, b)
	})
	return out
}

// labelsOf gives every class a word that spec.Load accepts: no two differ only in case and blanks.
func labelsOf(classes []string) []dataset.Label {
	folded := func(word string) string { return strings.ToLower(strings.Join(strings.Fields(word), "")) }
	used := map[string]bool{}
	var out []dataset.Label
	for i, class := range classes {
		word := strings.Join(strings.Fields(class), " ")
		for n := i; word == "" || used[folded(word)]; n++ {
			word = fmt.Sprintf("class %d", n)
		}
		used[folded(word)] = true
		out = append(out, dataset.Label{Class: class, Word: word})
	}
	return out
}
