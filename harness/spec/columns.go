package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"infnet/harness/dataset"
	"infnet/harness/spec/place"
	"infnet/harness/task"
)

// prompt checks the template and finds the fields it needs.
func (c *datasetCheck) prompt() {
	r := c.raw
	if r.Prompt == nil && c.builtin == nil {
		c.missing("prompt", "the text a model gets, such as prompt = \"Review: {text}\\nSentiment:\"")
		return
	}
	if r.Prompt != nil {
		c.out.Prompt = *r.Prompt
	} else {
		c.out.Prompt = c.builtin.Prompt
	}
	template, err := task.ParseTemplate(c.out.Prompt)
	if err != nil {
		c.wrong("prompt", strings.Replace(err.Error(), "prompt line", "in the text, line", 1), "")
		return
	}
	used := template.Fields()
	switch {
	case len(used) == 0:
		c.wrong("prompt", "the prompt names no field: every record would get the same text",
			"put the column's name in braces: {text}")
		return
	case strings.TrimRight(c.out.Prompt, " \t") != c.out.Prompt:
		c.file.warn(place.Join(c.at, "prompt"), "the prompt ends in a space",
			"the answer brings its own; most models do worse after two")
	}
	c.fields(c.choices(used))
}

// choices checks the options of a multiple choice, and returns the fields of the prompt that are columns.
func (c *datasetCheck) choices(used []string) []string {
	r := c.raw
	if r.Options == nil {
		if r.ShuffleOptions {
			c.wrong("shuffle_options", "there are no options to shuffle", "say where they are: options = \"choices\"")
		}
		return used
	}
	switch {
	case c.builtin != nil:
		c.wrong("options", "a built-in dataset has no columns", "leave it out")
	case len(r.Options) == 0:
		c.wrong("options", "no column is named", "name the one with the list of options, or leave it out")
	case !slices.Contains(used, optionsField):
		c.wrong("prompt", "the prompt does not show the options", "put them where they belong: {options}")
	case r.Fields[optionsField] != "":
		c.wrong("fields", "{options} is the multiple choice's own field", "leave it out of fields")
	}
	for _, column := range r.Options {
		c.column("options", column)
	}
	c.out.Options, c.out.ShuffleOptions = slices.Clone(r.Options), r.ShuffleOptions
	return slices.DeleteFunc(used, func(name string) bool { return name == optionsField })
}

// optionsField is the field of a multiple choice's options.
const optionsField = "options"

// fields maps what the prompt names to columns.
func (c *datasetCheck) fields(used []string) {
	r := c.raw
	if c.builtin != nil {
		if r.Fields != nil {
			c.wrong("fields", "a built-in dataset has its own fields",
				"leave fields out; it has "+strings.Join(c.builtin.Fields, ", "))
			return
		}
		for _, name := range used {
			if !slices.Contains(c.builtin.Fields, name) {
				c.wrong("prompt", fmt.Sprintf("%s has no field {%s}", c.out.Source.Text, name),
					place.Suggest(name, c.builtin.Fields))
			}
		}
		for _, name := range slices.Sorted(slices.Values(c.builtin.Fields)) {
			c.out.Fields = append(c.out.Fields, Field{Name: name, Column: name})
		}
		return
	}
	if r.Fields == nil {
		for _, name := range slices.Sorted(slices.Values(used)) {
			c.out.Fields = append(c.out.Fields, Field{Name: name, Column: name})
		}
		return
	}
	names := slices.Sorted(maps.Keys(r.Fields))
	for _, name := range names {
		if t, err := task.ParseTemplate("{" + name + "}"); err != nil || !slices.Equal(t.Fields(), []string{name}) {
			c.file.wrong(place.Join(c.at+".fields", name), fmt.Sprintf("%q cannot be written in braces", name),
				"letters, digits, _, - and . make a name")
		} else if !slices.Contains(used, name) && !slices.Contains(c.rules(), task.Command) {
			c.file.warn(place.Join(c.at+".fields", name), fmt.Sprintf("the prompt does not name {%s}", name),
				"the column is read and not used")
		}
		c.column(place.Join("fields", name), strings.TrimPrefix(r.Fields[name], dataset.AsJSON))
		c.out.Fields = append(c.out.Fields, Field{Name: name, Column: r.Fields[name]})
	}
	for _, name := range used {
		if !slices.Contains(names, name) {
			c.wrong("prompt", fmt.Sprintf("{%s} is not among the fields", name), place.Suggest(name, names))
		}
	}
}

// column checks a column path of the key.
func (c *datasetCheck) column(key, path string) {
	if err := dataset.CheckPath(path); err != nil {
		c.file.wrong(c.at+"."+key, err.Error(), "")
	}
}

// columns checks which columns hold the reference, the id and the group.
func (c *datasetCheck) columns() {
	r, d := c.raw, &c.out
	for _, k := range []struct {
		key string
		p   *string
		to  *string
	}{{"label", r.Label, &d.LabelColumn}, {"reference", r.Reference, &d.ReferenceColumn}, {"id", r.ID,
		&d.IDColumn}, {"group", r.Group, &d.GroupColumn}} {
		if k.p == nil {
			continue
		}
		if c.builtin != nil {
			c.wrong(k.key, "a built-in dataset has no columns", "leave it out")
			continue
		}
		c.column(k.key, *k.p)
		*k.to = *k.p
	}
	if d.FindReference = or(r.FindReference, ""); d.FindReference != "" && r.Reference == nil {
		c.wrong("find_reference", "there is no reference to look into",
			"say which column it is: reference = …, or leave it out")
	}
	if g := c.study.Policy.Guarantee; g != nil && d.GroupColumn != "" && g.MaxCluster == 0 {
		c.wrong("group", "a guarantee for records in groups needs a bound on the size of a group",
			"write max_cluster = … into the guarantee: the most records that a group can have by its nature")
	}
	switch {
	case c.builtin != nil:
	case c.out.classification():
		if r.Reference != nil {
			c.wrong("reference", "a classification's reference is its label column", "leave it out, or write label = …")
		}
		if r.Label == nil && !c.graded() {
			d.LabelColumn = defaultLabel
		}
	default:
		if r.Label != nil {
			c.wrong("label", fmt.Sprintf("a task of %s has no label column", d.Task),
				"write reference = … for the accepted answers")
		}
		if r.Reference == nil && !c.free() {
			c.missing("reference", "the column of the accepted answers, such as \"answers.text\"")
		}
	}
}
