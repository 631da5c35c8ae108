package task

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"infnet/harness/dataset"
)

// Template is a prompt with named placeholders: {text} is replaced by the field text, {{ and }} for the braces
// themselves. There is no logic. A Template is immutable and safe for concurrent use.
type Template struct {
	parts  []part
	fields []string
}

// part is literal text, or a placeholder when field is not "".
type part struct{ literal, field string }

// marks are what a template is cut at: doubled braces, placeholders, and braces that are neither.
var marks = regexp.MustCompile(`\{\{|\}\}|\{[^{}\n]*\}|[{}]`)

// unnamed are the characters that no name has.
var unnamed = regexp.MustCompile(`[^A-Za-z0-9_.-]`)

// ParseTemplate reads a template. A name is made of letters, digits, "_", "-" and "."; the error of anything else
// names the place by line and column (1-based, columns in characters).
func ParseTemplate(s string) (*Template, error) {
	if !utf8.ValidString(s) {
		return nil, fmt.Errorf("prompt is not valid UTF-8")
	}
	t, literal, done := &Template{}, "", 0
	for _, at := range marks.FindAllStringIndex(s, -1) {
		mark, problem := s[at[0]:at[1]], ""
		literal, done = literal+s[done:at[0]], at[1]
		name := strings.Trim(mark, "{}")
		switch odd := unnamed.FindString(name); {
		case mark == "{{", mark == "}}":
			literal += mark[:1]
			continue
		case mark == "}":
			problem = "a } that closes nothing: write }} for a brace"
		case mark == "{":
			problem = "a { that is not closed: write {{ for a brace"
		case name == "":
			problem = "a placeholder without a name: write {text}, or {{}} for two braces"
		case odd != "":
			r, _ := utf8.DecodeRuneInString(odd)
			problem = fmt.Sprintf("the placeholder {%s} is no name: %q is not a letter, digit, _, - or . (a prompt has no "+
				"logic; write {{ for a brace)", name, r)
		}
		if problem != "" {
			return nil, fmt.Errorf("prompt %s: %s", position(s, at[0]), problem)
		}
		if literal != "" {
			t.parts = append(t.parts, part{literal: literal})
		}
		literal, t.parts = "", append(t.parts, part{field: name})
		if !slices.Contains(t.fields, name) {
			t.fields = append(t.fields, name)
		}
	}
	if literal += s[done:]; literal != "" {
		t.parts = append(t.parts, part{literal: literal})
	}
	return t, nil
}

// position returns the line and column of byte i in s.
func position(s string, i int) string {
	before := s[:i]
	line := strings.Count(before, "\n") + 1
	col := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("line %d, column %d", line, col)
}

// Fields returns the names of the placeholders, each once, in the order they first occur.
func (t *Template) Fields() []string { return slices.Clone(t.fields) }

// Check reports a placeholder that is not among the names in have.
func (t *Template) Check(have []string) error {
	for _, f := range t.fields {
		if !slices.Contains(have, f) {
			return noField(f, have)
		}
	}
	return nil
}

// Render fills the placeholders. Braces in values are left alone. A field that
// is missing is an error naming it and those there are; an empty value is not.
func (t *Template) Render(fields map[string]string) (string, error) {
	size := 0
	for _, p := range t.parts {
		size += len(p.literal)
		if p.field == "" {
			continue
		}
		v, ok := fields[p.field]
		if !ok {
			return "", noField(p.field, slices.Sorted(maps.Keys(fields)))
		}
		size += len(v)
	}
	if len(t.parts) == 1 && t.parts[0].field != "" { // a prompt that is one field
		return fields[t.parts[0].field], nil
	}
	var b strings.Builder
	b.Grow(size)
	for _, p := range t.parts {
		b.WriteString(p.literal)
		if p.field != "" {
			b.WriteString(fields[p.field])
		}
	}
	return b.String(), nil
}

// Prompt renders the template for example i of a set. Its errors name the row.
func (t *Template) Prompt(set *dataset.Set, i int) (string, error) {
	s, err := t.Render(set.Fields(i))
	if err != nil {
		e := set.Examples[i]
		return "", fmt.Errorf("row %d (id %q): %w", e.Row, e.ID, err)
	}
	return s, nil
}

func noField(name string, have []string) error {
	if len(have) == 0 {
		return fmt.Errorf("the prompt names {%s}, but there are no fields", name)
	}
	return fmt.Errorf("the prompt names {%s}, but there is no such field: there are %s", name, strings.Join(have, ", "))
}

// Reply returns the bytes of what a model generated that are its reply: white space before it is dropped, the rest is
// cut at the first stop text, and white space behind what is left is dropped. Empty stop texts are ignored.
func Reply(text string, stop []string) (first, last int) {
	first = len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	text = strings.TrimSpace(text)
	end := len(text)
	for _, s := range stop {
		if s == "" {
			continue
		}
		if i := strings.Index(text[:end], s); i >= 0 {
			end = i
		}
	}
	return first, first + len(strings.TrimSpace(text[:end]))
}
