// Package starter writes the spec that infnet init prints for a data file: a guess at its task, its
// texts and its labels, from the first rows. It owns the guess and the starter's text. It refuses
// to read the file, and to guess if no column looks like a label or a reference.
//
// Its opinion: a starter must load unchanged and be easy to correct, so every guessed line says so.
package starter

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode"

	"infnet/harness/dataset"
	"infnet/harness/spec"
	"infnet/harness/task"
)

// Sample is a data file as its first rows show it: what Write looks at.
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

// Write writes a starter spec for a data file: a guess at its task, its text
// and its labels, with comments that say what to check. spec.Load accepts it
// where File exists next to it. Where nothing can be guessed, the error lists
// the columns.
func Write(w io.Writer, s Sample) error {
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
	name := s.Name
	if name == "" {
		name = nameFrom(s.File)
	}
	if fault := spec.NameFault(name); fault != "" {
		return fmt.Errorf("the study's name %q %s: want letters, digits and . _ + -, a letter or digit first",
			name, fault)
	}
	var b strings.Builder
	student, master := cmp.Or(s.Student, "builtin:tiny-student"), cmp.Or(s.Master, "builtin:tiny-master")
	asked, tail := "backend = \"local\"\npath    = "+spec.Quote(student), starterTail
	if s.Decisions != "" {
		if g.task != task.Classification {
			return fmt.Errorf("%s: a decision model answers classifications, and this looks like a task of %s", s.File, g.task)
		}
		asked = fmt.Sprintf(decisionModel, spec.Quote(s.Decisions))
		tail = strings.NewReplacer("floating-point operations of the networks", "tokens, in and out", "tokens, latency",
			"latency", "tflops", "tokens").Replace(tail)
	}
	fmt.Fprintf(&b, starterHead, spec.Quote(name), asked, spec.Quote(master))
	g.write(&b, nameFrom(s.File), s)
	b.WriteString(tail)
	_, err = io.WriteString(w, b.String())
	return err
}

func unprintable(r rune) bool { return r == unicode.ReplacementChar || unicode.IsControl(r) }

const starterHead = `# A starter study, guessed from the first rows of a file. Lines to look at are
# marked with "check:". Every key: harness/spec/REFERENCE.md.

study = %s # its results go to runs/ under this name
seed  = 42 # of every random draw

# The student answers first; the master is asked where the student is not sure
# enough. check: these are the two tiny models that come with infnet. They show
# that the study runs; put the folders of your own models here.
[[models]]
name    = "student"
%s

[[models]]
name    = "master"
backend = "local"
path    = %s

`

const decisionModel = `backend = "decisions"
id      = "jev-latest" # check: the name by which the server knows it

[backends.decisions]
kind     = "decisions"
protocol = "systemone" # check: or "openai"; api_key_env = "NAME" where it wants a key
urls     = [%s]`

const starterTail = `
[[cascades]]
models = ["student", "master"] # cheapest first

# What an error costs against what a call costs is decided here: the cascade
# may make as many errors on the fit part as the better of the two models.
[policy]
target = "best" # or "master", "student", or a performance such as 0.9

# What "cost saved" is counted in: floating-point operations of the networks.
# Others: price (needs price_in and price_out of both models), tokens, latency.
[cost]
model = "tflops"
`

// write writes the dataset.
func (g guess) write(b *strings.Builder, name string, s Sample) {
	fmt.Fprintf(b, "# check: the task. %s.\n", strings.ToUpper(g.why[:1])+g.why[1:])
	fmt.Fprintf(b, "[[datasets]]\nname   = %s\nsource = %s # relative to this file\ntask   = %s\n",
		spec.Quote(name), spec.Quote("file:"+s.File), spec.Quote(string(g.task)))
	if s.Delimiter != "" {
		fmt.Fprintf(b, "delimiter = %s # what parts the cells\n", spec.Quote(s.Delimiter))
	}
	if g.id != "" {
		fmt.Fprintf(b, "id     = %s\n", spec.Quote(g.id))
	}
	b.WriteString("limit  = 1000 # rows, drawn by the seed; leave it out to use all\n")
	if g.task == task.Classification {
		g.writeLabels(b)
		if s.Decisions != "" {
			b.WriteString("\n# check: what the decision model is asked; criteria = { CLASS = \"what it means\" } says more.\n" +
				"question = \"Which class does the text belong to?\"\n")
		}
	} else {
		fmt.Fprintf(b, "\n# The column of the accepted answers.\nreference = %s\n", spec.Quote(g.reference))
	}
	g.writePrompt(b)
}

func (g guess) writeLabels(b *strings.Builder) {
	b.WriteString("\n# check: class is what stands in the column, word is what a model should say\n" +
		"# for it: whole words that differ from the first letters on work best.\n")
	fmt.Fprintf(b, "label  = %s\nlabels = [\n", spec.Quote(g.label))
	for _, l := range g.labels {
		fmt.Fprintf(b, "  { class = %s, word = %s },\n", spec.Quote(l.Class), spec.Quote(l.Word))
	}
	b.WriteString("]\n")
}

// writePrompt maps the columns and writes a plain prompt over them.
func (g guess) writePrompt(b *strings.Builder) {
	prompt := map[task.Kind]string{
		task.Classification: "Text: {text}\nClass:",
		task.QA:             "Question: {question}\nAnswer:",
		task.Translation:    literal(g.from) + ": {source}\n" + literal(g.to) + ":",
		task.Generation:     "{text}\n",
	}[g.task]
	if g.task == task.QA && len(g.fields) == 2 {
		prompt = "Passage: {context}\n" + prompt
	}
	var pairs []string
	same := true
	for _, f := range g.fields {
		pairs = append(pairs, f.Name+" = "+spec.Quote(f.Column))
		same = same && f.Name == f.Column
	}
	if !same {
		fmt.Fprintf(b, "\n# Which column is which {field} of the prompt.\nfields = { %s }\n", strings.Join(pairs, ", "))
	}
	b.WriteString("\n# check: the words. A model does best with the prompt it was trained on.\n")
	fmt.Fprintf(b, "prompt = %s\n", spec.Quote(prompt))
}

// literal is text as a prompt writes it: braces doubled.
func literal(s string) string { return strings.NewReplacer("{", "{{", "}", "}}").Replace(s) }

// nameFrom makes a name of a file's.
func nameFrom(file string) string {
	base, _, _ := strings.Cut(path.Base(file), ".")
	return cmp.Or(spec.Slug(base, spec.LongestName), "study")
}
