package spec

import (
	"fmt"
	"maps"
	"slices"

	"infnet/backends"
	"infnet/harness/spec/place"
	"infnet/harness/task"
)

// Examples are shown to a model before every prompt of a dataset. The zero value is none.
type Examples struct {
	N      int     `json:",omitzero"` // so many records are drawn from the fit part
	Listed []Shown `json:",omitempty"`
}

// Shown is an example that the study writes out.
type Shown struct {
	Fields map[string]string // of the prompt
	Answer string            // of a classification the label's word
}

// turns checks what is shown to a model before the prompt.
func (c *datasetCheck) turns() {
	r, d := c.raw, &c.out
	if d.System = or(r.System, ""); r.System != nil && d.System == "" {
		c.wrong("system", "the text is empty", "leave the key out")
	}
	if r.Examples == nil {
		return
	}
	d.Examples.N = r.Examples.N
	const key = "examples"
	switch {
	case r.Examples.Listed == nil && d.Examples.N == 0:
		if at := place.Join(c.at, key); !c.file.bad[at] && !c.file.faulty(at) {
			c.wrong(key, "no example is listed, and none is drawn",
				"examples = { n = 5 }, or examples = [{ field = \"…\", answer = \"…\" }]")
		}
	case d.Examples.N > 0 && c.graded() && d.ReferenceColumn == "" && d.LabelColumn == "":
		c.wrong(key, "grades are recorded, and no column holds the answers that examples show",
			"list the examples, or name the column: reference = …")
	}
	template, err := task.ParseTemplate(d.Prompt)
	if err != nil {
		return // reported
	}
	for i, fields := range r.Examples.Listed {
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
			c.wrong(place.Join(key, answer), fmt.Sprintf("%q is none of the labels", shown.Answer),
				"the word of one of them")
			return
		}
		shown.Answer = c.out.Labels[i].Word
	}
	c.out.Examples.Listed = append(c.out.Examples.Listed, shown)
}

// checkTurns refuses turns where there are none, and examples for models that read a prompt by its marks.
func checkTurns(s *Study, main *file) {
	for i, c := range s.Asked() {
		for _, model := range c.Models {
			m, ok := s.Model(model)
			if !ok || m.Recording != nil || m.Config.Model.Kind == "" {
				continue
			}
			at := element(main, i, model)
			if m.System != "" && m.Mode == backends.Raw {
				main.once(at, fmt.Sprintf("%s has a system prompt and is asked in mode raw, which has no turns", model),
					"set mode = \"chat\" for the model, or leave its system out")
			}
			for _, name := range c.Datasets {
				d, ok := s.Dataset(name)
				if !ok {
					continue
				}
				if d.System != "" && m.Mode == backends.Raw {
					main.once(at, fmt.Sprintf("%s has a system prompt, and %s is asked in mode raw, which has no turns", name,
						model), "set mode = \"chat\" for the model, or write the text into the prompt")
				}
				if (d.Examples.N > 0 || d.Examples.Listed != nil) && m.Config.Model.Kind == backends.HuggingFace {
					main.once(at, fmt.Sprintf("%s shows examples, and %s reads a passage, a question or a text to classify and "+
						"nothing else", name, model), "leave the examples out, or ask a model that generates")
				}
			}
		}
	}
}
