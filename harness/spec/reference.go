package spec

import (
	"bufio"
	"encoding"
	"fmt"
	"io"
	"reflect"
	"strings"

	"infnet/harness/policy"
)

// WriteReference writes the list of every key with its value, default and
// meaning, in Markdown, from the schema itself. REFERENCE.md is its output.
func WriteReference(w io.Writer) error {
	b := bufio.NewWriter(w)
	b.WriteString(`# Every key of a study

This page is written by a test from the schema (` + "`go generate ./harness/spec`" + `): it lists what
the program reads, neither more nor less. A key that is not here is an error.

A study is one TOML file. Paths are relative to the file they stand in, and
` + "`${NAME}`" + ` in ` + "`source`, `path` and `answers`" + ` is replaced by the environment variable of that
name; an unset one is an error, and nothing else is expanded. Names are up to
80 letters, digits and ` + "`. _ + -`" + `. Columns are paths: ` + "`text`, `translation.de`, `answers.text[0]`" + `.

Files named in ` + "`use`" + ` are catalogs: they hold ` + "`models`, `backends`, `datasets` and `split`" + ` in
this same schema. Of their definitions only those that the study names have to be
valid as a whole.

No key takes a secret: API keys and headers are given by the names of
environment variables, which are read when a model is first asked.
`)
	section(b, "The study", reflect.TypeFor[rawStudy](), "")
	return b.Flush()
}

// section writes a table of one struct's keys, then the structs below it.
func section(b *bufio.Writer, title string, t reflect.Type, path string) {
	fmt.Fprintf(b, "\n## %s\n\n| Key | Value | Default | Meaning |\n|---|---|---|---|\n", title)
	type below struct {
		title, path string
		t           reflect.Type
	}
	var rest []below
	for i := range t.NumField() {
		f := t.Field(i)
		key := f.Tag.Get("toml")
		if key == "" {
			continue
		}
		value := f.Tag.Get("range")
		if sub, list := tableOf(f.Type); sub != nil {
			full := key
			if path != "" {
				full = path + "." + key
			}
			if named(f.Type) {
				full += ".NAME"
			}
			title := "[" + full + "]"
			if list {
				title = "[" + title + "]"
			}
			if value == "" {
				value = "table, below"
				if list {
					value = "tables, below"
				} else if named(f.Type) {
					value = "tables by name, below"
				}
			}
			if sub != reflect.TypeFor[rawSplit]() || path == "" { // the dataset's is the study's
				rest = append(rest, below{"`" + title + "`", full, sub})
			}
		} else if names := choices(f.Type); names != "" && value == "" {
			value = names
		}
		value = strings.ReplaceAll(value, "SHAPES", strings.Join(shapeNames(), ", "))
		fallback := f.Tag.Get("default")
		if fallback == "" {
			fallback = "as below"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", key, cell(value), cell(fallback), cell(f.Tag.Get("doc")))
	}
	for _, r := range rest {
		section(b, r.title, r.t, r.path)
	}
}

// named reports a table of tables, whose names the author chooses.
func named(t reflect.Type) bool { return t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Pointer }

// tableOf returns the struct behind a field that is a table, a list of tables,
// or tables by name.
func tableOf(t reflect.Type) (sub reflect.Type, list bool) {
	if named(t) {
		t = t.Elem()
	}
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		list = list || t.Kind() == reflect.Slice
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[policy.Target]() {
		return nil, false
	}
	return t, list
}

// choices lists the names of a closed set, as its own error does.
func choices(t reflect.Type) string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	u, ok := reflect.New(t).Interface().(encoding.TextUnmarshaler)
	if !ok {
		return map[reflect.Kind]string{reflect.Bool: "true or false"}[t.Kind()]
	}
	_, list, _ := strings.Cut(u.UnmarshalText(nil).Error(), ": want one of ")
	return list
}

// cell is text that does not end a table's cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
