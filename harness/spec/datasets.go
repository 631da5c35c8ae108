package spec

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"infnet/harness/dataset"
	"infnet/harness/dataset/hub/ref"
	"infnet/harness/spec/place"
	"infnet/harness/task"
)

type datasetCheck struct {
	*definition
	main    *file
	study   *Study // its own tables, which datasets inherit from
	options Options
	builtin *BuiltinSource // nil for files
	out     Dataset        // as it is written, until it is checked
}

// Parts of the check, each with the methods that it alone needs.
type (
	labelCheck datasetCheck
	gradeCheck datasetCheck
)

func checkDataset(d *definition, s *Study, main *file, o Options) Dataset {
	c := &datasetCheck{definition: d, main: main, study: s, options: o, out: *d.dataset()}
	known := c.source()
	if c.builtin != nil {
		if c.out.Task != "" && c.out.Task != c.builtin.Task {
			c.wrong("task", fmt.Sprintf("%s is a task of %s", c.out.Source.Text, c.builtin.Task), "leave task out")
		}
		c.out.Task = c.builtin.Task
	} else if c.out.Task == "" && known {
		c.missing("task", "want one of classification, qa, translation, generation")
	}
	decoder{c.file}.conditions(c.at, reflect.ValueOf(&c.out).Elem())
	c.split()
	if c.out.Task == "" {
		return c.out // what follows depends on the task
	}
	(*labelCheck)(c).labels()
	c.question()
	(*labelCheck)(c).other()
	c.prompt()
	c.columns()
	c.turns()
	if d := c.out.Direction; d != "" && !languages.MatchString(d) {
		c.wrong("direction", fmt.Sprintf("%q does not name two languages", d), "from German into English is \"de-en\"")
	}
	(*gradeCheck)(c).correct()
	(*gradeCheck)(c).metrics()
	return c.out
}

// languages is a direction of translation: two codes of ISO 639.
var languages = regexp.MustCompile(`^[a-z]{2,3}-[a-z]{2,3}$`)

// source finds the rows. It returns false if they, and so the defaults, are unknown.
func (c *datasetCheck) source() bool {
	s := &c.out.Source
	switch s.Scheme {
	case File:
		c.fileSource(s.Name)
	case Builtin:
		b, err := c.options.builtin(s.Name)
		if err != nil {
			c.wrong("source", err.Error(), "")
			return false
		}
		c.builtin = &b
	case Hub: // its grammar alone: the hub is not called
		found, err := ref.ParseDataset(s.Text)
		if err != nil {
			c.wrong("source", err.Error(), "hf:OWNER/NAME/CONFIGURATION:SPLIT@REVISION, such as "+
				"hf:nyu-mll/glue/sst2:train; what there is one of may be left out")
		} else {
			s.Name = found.String()
		}
	}
	return s.Scheme != ""
}

// endings are those of the files that can be read.
var endings = []string{".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".tab", ".parquet", ".pq"}

func (c *datasetCheck) fileSource(written string) {
	where, info := c.file.existing(place.Join(c.at, "source"), written, "")
	if where == "" {
		return
	}
	c.out.Source.Name = where
	name := strings.TrimSuffix(strings.ToLower(where), ".gz")
	switch {
	case !slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(name, e) }):
		c.wrong("source", fmt.Sprintf("the name %q does not say what the file holds", written),
			"want .jsonl, .csv, .tsv (each also with .gz) or .parquet")
	case info == nil: // reported
	case info.IsDir():
		c.wrong("source", fmt.Sprintf("%s is a folder", where), "name one file in it")
	case info.Size() == 0 && info.Mode().IsRegular():
		c.wrong("source", fmt.Sprintf("%s is empty", where), "a dataset needs rows")
	}
}

// prompt checks the template and finds the fields it needs.
func (c *datasetCheck) prompt() {
	if !c.has("prompt") {
		if c.builtin == nil {
			c.missing("prompt", "the text a model gets, such as prompt = \"Review: {text}\\nSentiment:\"")
			return
		}
		c.out.Prompt = c.builtin.Prompt
	}
	template, err := task.ParseTemplate(c.out.Prompt)
	if err != nil {
		c.wrong("prompt", strings.Replace(err.Error(), "prompt line", "in the text, line", 1), "")
		return
	}
	used := template.Fields()
	if len(used) == 0 {
		c.wrong("prompt", "the prompt names no field: every record would get the same text",
			"put the column's name in braces: {text}")
		return
	}
	if strings.TrimRight(c.out.Prompt, " \t") != c.out.Prompt {
		c.file.warn(place.Join(c.at, "prompt"), "the prompt ends in a space",
			"the answer brings its own; most models do worse after two")
	}
	c.fields(c.choices(used))
}

// optionsField is the field of a multiple choice's options.
const optionsField = "options"

func (c *datasetCheck) choices(used []string) []string {
	switch {
	case c.out.Options == nil:
		return used
	case !slices.Contains(used, optionsField):
		c.wrong("prompt", "the prompt does not show the options", "put them where they belong: {options}")
	case c.out.Columns[optionsField] != "":
		c.wrong("fields", "{options} is the multiple choice's own field", "leave it out of fields")
	}
	return slices.DeleteFunc(used, func(name string) bool { return name == optionsField })
}

func (c *datasetCheck) fields(used []string) {
	names, all := slices.Sorted(maps.Keys(c.out.Columns)), used
	switch {
	case c.builtin != nil:
		names, all = c.builtin.Fields, c.builtin.Fields
	case c.out.Columns != nil:
		all = names
	default:
		names = used
	}
	for _, name := range slices.Sorted(slices.Values(all)) {
		field := Field{Name: name, Column: name}
		if column, written := c.out.Columns[name]; written {
			field.Column = column
			c.field(name, column, used)
		}
		c.out.Fields = append(c.out.Fields, field)
	}
	for _, name := range used {
		if !slices.Contains(names, name) {
			c.wrong("prompt", fmt.Sprintf("there is no field {%s}", name), place.Suggest(name, names))
		}
	}
}

func (c *datasetCheck) field(name, column string, used []string) {
	key := place.Join(c.at+".fields", name)
	if t, err := task.ParseTemplate("{" + name + "}"); err != nil || !slices.Equal(t.Fields(), []string{name}) {
		c.file.wrong(key, fmt.Sprintf("%q cannot be written in braces", name), "letters, digits, _, - and . make a name")
	} else if !slices.Contains(used, name) && !slices.Contains(c.rules(), task.Command) {
		c.file.warn(key, fmt.Sprintf("the prompt does not name {%s}", name), "the column is read and not used")
	}
	if err := dataset.CheckPath(strings.TrimPrefix(column, dataset.AsJSON)); err != nil {
		c.file.wrong(key, err.Error(), "")
	}
}

func (c *datasetCheck) columns() {
	d := &c.out
	if c.builtin != nil {
		for _, key := range []string{"fields", "options", "label", "reference", "id", "group"} {
			if c.has(key) && !c.file.bad[c.at+"."+key] {
				c.wrong(key, "a built-in dataset has no columns", "leave it out")
			}
		}
	}
	if d.FindReference != "" && d.ReferenceColumn == "" {
		c.wrong("find_reference", "there is no reference to look into",
			"say which column it is: reference = …, or leave it out")
	}
	if g := c.study.Policy.Guarantee; g != nil && d.GroupColumn != "" && g.MaxCluster == 0 {
		c.wrong("group", "a guarantee for records in groups needs a bound on the size of a group",
			"write max_cluster = … into the guarantee: the most records that a group can have by its nature")
	}
	if t := c.study.Transfer; t != nil && t.By != "" && t.By != ByDataset {
		if d.DomainColumn = t.By; c.builtin != nil && !slices.Contains(c.builtin.Fields, t.By) {
			c.main.wrong("transfer.by", fmt.Sprintf("the built-in dataset %s has no field %q", c.name, t.By),
				place.Suggest(t.By, c.builtin.Fields))
		}
	}
	switch {
	case c.builtin != nil:
	case d.classification():
		if !c.has("label") && !c.graded() {
			d.LabelColumn = "label"
		}
	case !c.free():
		if !c.has("reference") {
			c.missing("reference", "the column of the accepted answers, such as \"answers.text\"")
		}
	}
}

func (c *datasetCheck) question() {
	d := &c.out
	if len(d.Means) == 0 {
		return
	}
	var classes []string
	for _, l := range d.Labels {
		classes = append(classes, l.Class)
		d.Criteria = append(d.Criteria, d.Means[l.Class])
	}
	for _, class := range slices.Sorted(maps.Keys(d.Means)) {
		at := place.Join(place.Join(c.at, "criteria"), class)
		switch {
		case !slices.Contains(classes, class):
			c.file.wrong(at, "no label has this class", place.Suggest(class, classes))
		case strings.TrimSpace(d.Means[class]) == "":
			c.file.wrong(at, "the text is empty", "say what the class means, or leave it out")
		}
	}
	if d.Question == "" {
		c.wrong("criteria", "criteria without a question", "question = \"Which team should handle this?\"")
	}
}

func (c *datasetCheck) turns() {
	d := &c.out
	if !c.has("examples") {
		return
	}
	const key = "examples"
	if d.Examples.Written == nil && d.Examples.N == 0 {
		if at := place.Join(c.at, key); !c.file.bad[at] && !c.file.faulty(at) {
			c.wrong(key, "no example is listed, and none is drawn",
				"examples = { n = 5 }, or examples = [{ field = \"…\", answer = \"…\" }]")
		}
	} else if d.Examples.N > 0 && c.graded() && d.ReferenceColumn == "" && d.LabelColumn == "" {
		c.wrong(key, "grades are recorded, and no column holds the answers that examples show",
			"list the examples, or name the column: reference = …")
	}
	template, err := task.ParseTemplate(d.Prompt)
	if err != nil {
		return // reported
	}
	for i, fields := range d.Examples.Written {
		c.example(place.Element(key, i), template.Fields(), maps.Clone(fields))
	}
}

// example checks a listed example: it has the fields of the prompt, and an answer.
func (c *datasetCheck) example(key string, want []string, fields map[string]string) {
	const answer = "answer"
	if slices.Contains(want, answer) {
		c.wrong(key, "the prompt has a field {answer}, and that is the key of an example's answer",
			"give the field another name in the prompt, and its column: fields = { said = \"answer\" }")
		return
	}
	shown := Shown{Fields: fields, Answer: fields[answer]}
	if shown.Answer == "" {
		c.wrong(key, "the example has no answer", "answer = \"…\"")
	}
	delete(fields, answer)
	for _, name := range want {
		if _, ok := fields[name]; !ok {
			c.wrong(key, fmt.Sprintf("the prompt names {%s}, and the example has no such field", name), name+" = \"…\"")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(want, name) {
			c.wrong(place.Join(key, name), "the prompt names no field of this name", place.Suggest(name, append(want, answer)))
		}
	}
	if c.out.classification() && shown.Answer != "" {
		i := slices.IndexFunc(c.out.Labels, func(l Label) bool {
			return !l.Other && (l.Word == shown.Answer || l.Class == shown.Answer)
		})
		if i < 0 {
			c.wrong(place.Join(key, answer), fmt.Sprintf("%q is none of the labels", shown.Answer), "the word of one of them")
			return
		}
		shown.Answer = c.out.Labels[i].Word
	}
	c.out.Examples.Listed = append(c.out.Examples.Listed, shown)
}
