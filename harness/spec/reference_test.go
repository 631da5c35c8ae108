package spec

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	gocmp "github.com/google/go-cmp/cmp"

	"infnet/harness/policy"
)

// The reference in the repository is what the schema says now.
func TestReference(t *testing.T) {
	var b strings.Builder
	writeReference(&b, fieldComments(t))
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile("REFERENCE.md", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile("REFERENCE.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("REFERENCE.md is out of date; go generate ./harness/spec (-want +got):\n%s", diff)
	}
}

// writeReference writes the list of every key with its value, default and
// meaning, in Markdown, from the schema itself. REFERENCE.md is its output.
func writeReference(b *strings.Builder, docs comments) {
	b.WriteString(`# Every key of a study

Written from the schema by ` + "`go generate ./harness/spec`" + `. A key that is not here is an error.

**How to read it.** Slanted is what a key may be: its default in brackets, or marked among the names. A key without one that is not
required can be left out. "In every answer's key": another value asks again.

**Paths** are relative to the file they are written in. ` + "`${NAME}`" + ` in ` + "`source`, `path` and `answers`" + ` is an environment
variable; one that is not set is an error, and ` + "`$${`" + ` is ` + "`${`" + `. **Names** have up to 80 letters, digits and ` +
		"`. _ + -`" + `. **Columns** are paths: ` + "`text`, `translation.de`, `answers.text[0]`" + `. **Durations**: ` +
		"`30s`, `5m`, `1h`" + `. **No key takes a secret**: keys and headers are in environment variables, read when a model is first asked.

**Catalogs** are files named in ` + "`use`" + `. The study takes those of their ` + "`models`, `backends` and `datasets`" + ` that it names, and of
` + "`embedder`, `correct`, `scorer`, `judge`, `cost`, `policy`, `confidence`, `baselines` and `report`" + ` the keys that it does not
write itself (of lists: all or nothing); the first catalog counts. A dataset's split is its own, else the study's, else its
catalog's. ` + "`--use FILE`" + `, with every command that takes a study, adds a catalog whose models, datasets and backends replace those
of the same name, each as a whole; the last such file counts, and its paths are relative to the working folder. The study's
hash covers what catalogs define, and ` + "`verify`" + ` follows them.
`)
	section(b, docs, "The study", reflect.TypeFor[rawStudy](), "")
}

// section lists one struct's keys, then the structs below it: the tables that a dataset shares with the
// study once, as the study's.
func section(b *strings.Builder, docs comments, title string, t reflect.Type, path string) {
	fmt.Fprintf(b, "\n## %s\n\n", title)
	type below struct {
		title, path string
		t           reflect.Type
	}
	var rest []below
	for f := range keysOf(t) {
		key, value := f.Tag.Get("toml"), f.Tag.Get("range")
		name := "`" + key + "`"
		if sub, list := tableOf(f.Type); sub != nil {
			full := strings.TrimPrefix(path+"."+key, ".")
			if named(f.Type) {
				full += ".NAME"
			}
			if value == "" {
				value = map[bool]string{false: "table", true: "tables"}[list || named(f.Type)]
			}
			title := "[" + full + "]"
			if list {
				title = "[" + title + "]"
			}
			if path != "" && (sub == reflect.TypeFor[Split]() || sub == reflect.TypeFor[Correct]()) {
				full = key
			} else {
				rest = append(rest, below{"`" + title + "`", full, sub})
			}
			name = "[" + name + "](#" + strings.ToLower(strings.ReplaceAll(full, ".", "")) + ")"
		}
		fmt.Fprintf(b, "- **%s** *%s*: %s\n", name, starless.Replace(valueOf(f, value)), starless.Replace(docs.of(f)))
	}
	for _, r := range rest {
		section(b, docs, r.title, r.t, r.path)
	}
}

// valueOf is what a key may be, and what it is where it is missing: among the names of a closed set in bold,
// otherwise in brackets.
func valueOf(f field, value string) string {
	usual := cmp.Or(f.Tag.Get("usual"), f.Tag.Get("default"))
	if f.Tag.Get("need") != "" {
		_, when, _ := strings.Cut(f.Tag.Get("when"), "=")
		if usual = "required"; when+f.Tag.Get("for") != "" {
			usual += " for " + cmp.Or(when, f.Tag.Get("for"))
		}
	}
	if value == "" {
		value = choices(f)
	} else if k := f.Type.Kind(); k == reflect.Slice && outside(-1, value) {
		value = "numbers: " + value
	}
	if strings.HasPrefix(value, "a duration: ") {
		value, _, _ = strings.Cut(value, ":")
	}
	for _, r := range [][2]string{
		{"SHAPES", shapeNames()}, {"KINDS", strings.Join(ownKinds(), ", ")},
		{"the name of an environment variable", "an environment variable"}, {"true or false", "true, false"},
	} {
		value = strings.ReplaceAll(value, r[0], r[1])
	}
	list := strings.Split(value, ", ")
	if i := slices.Index(list, usual); i >= 0 && len(list) > 1 {
		list[i] = "`" + usual + "`"
		return strings.Join(list, ", ")
	}
	usual = strings.TrimPrefix(usual, "none: ")
	rest, required := strings.CutPrefix(usual, "required")
	switch {
	case usual == "" || usual == "none" || usual == "[]":
		return value
	case required:
		return value + "; required" + rest
	}
	return value + " (" + usual + ")"
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
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[policy.Target]() || t == reflect.TypeFor[Source]() {
		return nil, false
	}
	return t, list
}

// choices lists the names of a closed set, as its own error does.
func choices(f field) string {
	names := option{Value: reflect.New(f.Type).Elem(), tag: f.Tag}.names()
	if kind := f.Type.Kind(); names == "" && (kind == reflect.Bool || kind == reflect.Pointer &&
		f.Type.Elem().Kind() == reflect.Bool) {
		return "true or false"
	}
	return names
}

// starless keeps a star from ending what is slanted.
var starless = strings.NewReplacer("*", `\*`)

// keysOf are the fields of a table that are keys, with those of the structs that it embeds.
func keysOf(t reflect.Type) iter.Seq[field] {
	return func(yield func(field) bool) {
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Anonymous || f.Tag.Get("toml") == ",inline" {
				for inner := range keysOf(f.Type) {
					inner.Tag += " " + f.Tag
					if !yield(inner) {
						return
					}
				}
			} else if f.Tag.Get("toml") != "" && !yield(field{f, t.Name()}) {
				return
			}
		}
	}
}

// field is a key of a table: a field of a struct.
type field struct {
	reflect.StructField
	table string
}

// comments are those of the schema's fields, by struct and field.
type comments map[string]string

// of is what a key does: its help, else its comment.
func (c comments) of(f field) string { return cmp.Or(f.Tag.Get("help"), c[f.table+"."+f.Name]) }

// fieldComments reads the comments of the schema's fields.
func fieldComments(t *testing.T) comments {
	t.Helper()
	out := comments{}
	note := func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok {
			if table, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range table.Fields.List {
					first, _, _ := strings.Cut(f.Doc.Text(), "\n\n")
					for _, name := range f.Names {
						out[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(first), " ")
					}
				}
			}
		}
		return true
	}
	for _, name := range []string{"schema.go", "schema_models.go", "schema_datasets.go", "study.go", "helpers.go",
		"../../backends/sampling.go", "../../backends/config.go",
		"../policy/guarantee/guarantee.go", "../../backends/launch.go", "../../backends/openai.go",
		"../../backends/huggingface.go", "../../backends/decisions.go", "../../backends/settings.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, note)
	}
	return out
}

// At most 194 keys, without the names of columns that recordings may have, and each is shown where a user may meet it:
// in a study that comes with infnet, or in a page, and says what it means. A key that none of them needs is one that
// nobody needs.
func TestEveryKeyIsShown(t *testing.T) {
	var shown strings.Builder
	for _, root := range []string{"../../experiments", "../../docs", "../../README.md", "../../backends", "../recorded"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return fs.SkipDir
			case strings.HasSuffix(path, ".md") || strings.HasSuffix(path, ".toml"):
				text, err := os.ReadFile(path)
				shown.Write(text)
				return err
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	keys, docs := 0, fieldComments(t)
	counted := map[reflect.Type]bool{} // a split is a table of the study and of a dataset
	var walk func(reflect.Type, string)
	walk = func(s reflect.Type, at string) {
		if counted[s] {
			return
		}
		counted[s] = true
		for f := range keysOf(s) {
			key := f.Tag.Get("toml")
			keys++
			if !regexp.MustCompile("`[^`\n]*\\b" + key + "\\b[^`\n]*`|\\b" + key + `"? *=|\[[\w.]*` + key + `\b`).MatchString(
				shown.String()) {
				t.Errorf("%s%s is in no study and in no page: show it, or remove it", at, key)
			}
			sub, _ := tableOf(f.Type)
			if sub != nil {
				walk(sub, at+key+".")
			}
			if docs.of(f) == "" || sub == nil && (f.Tag.Get("default")+f.Tag.Get("usual")+f.Tag.Get("need") == "" ||
				f.Tag.Get("range") == "" && choices(f) == "") {
				t.Errorf("%s%s has no comment, no default, or does not say what its values are", at, key)
			}
		}
	}
	walk(reflect.TypeFor[rawStudy](), "")
	if keys > 194 {
		t.Errorf("%d keys, more than 194", keys)
	}
}

// A file that is valid TOML and no spec is refused quickly, however it is
// blown up.
func TestHostileSizes(t *testing.T) {
	var keys strings.Builder
	for i := range 5_000 {
		fmt.Fprintf(&keys, "target%d = 1\n", i)
	}
	for name, text := range map[string]string{
		"nested lists":   "a = " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000),
		"nested tables":  "a = " + strings.Repeat("{b=", 9000) + "1" + strings.Repeat("}", 9000),
		"dotted key":     strings.Repeat("a.", 9000) + "b = 1",
		"dotted header":  "[" + strings.Repeat("a.", 9000) + "b]",
		"long key":       strings.Repeat("a", 100_000) + " = 1",
		"many keys":      "[policy]\n" + keys.String(),
		"many datasets":  strings.Repeat("[[datasets]]\n", 2_000),
		"many cascades":  strings.Repeat("[[cascades]]\n", 2_000),
		"many metrics":   "[[datasets]]\nmetrics = [" + strings.Repeat("\"accuracy\",", 2_000) + "]",
		"larger than it": strings.Repeat("# comment\n", 50_000),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := LoadFS(fstest.MapFS{"s.toml": {Data: []byte(text)}}, "s.toml", Options{})
			if err == nil {
				t.Error("it loads")
			} else if len(err.Error()) > 200_000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
}
