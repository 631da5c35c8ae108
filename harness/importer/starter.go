package importer

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
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
	Student string           // path of the student's folder; "" = the built-in one
	Master  string           // path of the master's folder; "" = the built-in one

	Decisions string // base URL of a decision model that is the student; "" = none

	Value func(row int, column string) (v any, ok bool) // a cell of these rows

	Delimiter string // of a CSV file, as a spec writes it; "" = a comma
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
	s.Student, s.Master = cmp.Or(s.Student, "builtin:tiny-student"), cmp.Or(s.Master, "builtin:tiny-master")
	if s.Decisions != "" && g.Task != task.Classification {
		return fmt.Errorf("%s: a decision model answers classifications, and this looks like a task of %s", s.File, g.Task)
	}
	prompt := g.prompt()
	if !slices.ContainsFunc(g.Fields, func(f spec.Field) bool { return f.Name != f.Column }) {
		g.Fields = nil // every field is the column of its name
	}
	return template.Must(template.New("starter").Funcs(writing(".")).Parse(starterText)).Execute(w, struct {
		Sample
		guess
		Dataset, Prompt string
	}{s, g, dataset, prompt})
}

//go:embed starter.tmpl
var starterText string

func unprintable(r rune) bool { return r == unicode.ReplacementChar || unicode.IsControl(r) }

// prompt is a plain prompt over the fields.
func (g guess) prompt() string {
	prompt := map[task.Kind]string{
		task.Classification: "Text: {text}\nClass:",
		task.QA:             "Question: {question}\nAnswer:",
		task.Translation:    literal(g.from) + ": {source}\n" + literal(g.to) + ":",
		task.Generation:     "{text}\n",
	}[g.Task]
	if g.Task == task.QA && len(g.Fields) == 2 {
		prompt = "Passage: {context}\n" + prompt
	}
	return prompt
}

// literal is text as a prompt writes it: braces doubled.
func literal(s string) string { return strings.NewReplacer("{", "{{", "}", "}}").Replace(s) }
