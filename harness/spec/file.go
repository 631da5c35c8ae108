package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"

	"infnet/harness/spec/place"
)

// report is shared by all files of a study: the file system and the problems found.
type report struct {
	fsys      filesystem
	getenv    func(string) (string, bool)
	variables map[string]bool // that the study names
	unset     map[string]bool // those of them without a value, which were reported
	problems  place.Problems
	warnings  place.Problems
}

// file is one TOML file of a study: its content, with positions. Its methods check single values
// and report problems.
type file struct {
	*report
	name  string // as errors show it
	where string // as it is opened; paths in it are relative to its folder
	study bool   // the study itself, else a catalog
	over  bool   // a catalog whose definitions take the place of the study's
	named bool   // a definition of it was replaced by one of a file over the study
	text  *place.Text
	raw   rawStudy
	meant map[string]bool  // valid keys that unknown ones seem to be misspellings of
	bad   map[string]bool  // keys whose values were reported
	from  map[string]*file // keys of the study whose values are a catalog's
}

// parse reads one file into its schema. It returns false where the file is no TOML; then
// nothing in it can be checked.
func (f *file) parse(data []byte, into any) bool {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // a byte order mark
	var problem *place.Problem
	if f.text, problem = place.Read(f.name, data); problem != nil {
		f.problems.Add(*problem)
		return false
	}
	var tree map[string]any
	if err := toml.Unmarshal(data, &tree); err != nil {
		var pe toml.ParseError
		if errors.As(err, &pe) {
			f.problems.Add(f.text.Invalid(pe.Position.Line, pe.Message))
		} else {
			f.problems.Add(f.text.Invalid(0, err.Error()))
		}
		return false
	}
	f.meant, f.bad = map[string]bool{}, map[string]bool{}
	fill(reflect.ValueOf(into).Elem())
	decoder{f}.table("", tree, reflect.ValueOf(into).Elem())
	return true
}

// fault reports a mistake of the file as a whole, or of the command line.
func (f *file) fault(message, hint string) {
	f.problems.Add(place.Problem{File: f.name, Message: message, Hint: hint})
}

func (f *file) wrong(key, message, hint string) {
	f.bad[key] = true
	if !f.problems.Full() {
		text := f.owner(key).text
		f.problems.Add(text.Problem(text.Value(key), key, message, hint))
	}
}

func (f *file) faulty(table string) bool {
	for key := range f.bad {
		if strings.HasPrefix(key, table+".") {
			return true
		}
	}
	return false
}

// misplaced reports a key that should not be there, by the place of its name.
func (f *file) misplaced(key, message, hint string) {
	text := f.owner(key).text
	f.problems.Add(text.Problem(text.Key(key), key, message, hint))
}

// once reports a value that several datasets share a single time.
func (f *file) once(key, message, hint string) {
	o := f.owner(key)
	at := o.text.Value(key)
	for _, p := range f.problems {
		if p.File == o.name && p.Line == at.Line && p.Column == at.Column && p.Message == message {
			return
		}
	}
	f.wrong(key, message, hint)
}

// missing reports a key that a table lacks, unless it was reported as wrong or misspelt.
func (f *file) missing(table, key, hint string) {
	at := place.Join(table, key)
	if f.text.Has(at) || f.meant[at] {
		return
	}
	text := f.owner(table).text
	f.problems.Add(text.Problem(text.Key(table), at, "this key is required", hint))
}

func (f *file) warn(key, message, hint string) {
	text := f.owner(key).text
	f.warnings.Add(text.Problem(text.Key(key), key, message, hint))
}

// path reads a path of the spec: ${NAME} replaced, and resolved against the
// folder of its file. It returns false after a problem.
func (f *file) path(key, written string) (string, bool) {
	text, ok := f.expand(key, written)
	if !ok {
		return "", false
	}
	where, err := f.fsys.resolve(f.owner(key).where, text)
	if err != nil {
		f.wrong(key, err.Error(), "")
		return "", false
	}
	return where, true
}

// existing is a path of the spec to a file or a folder, which messages call what. info is nil after a problem.
func (f *file) existing(key, written, what string) (where string, info fs.FileInfo) {
	where, ok := f.path(key, written)
	if !ok {
		return "", nil
	}
	info, err := f.fsys.stat(where)
	if err != nil {
		f.wrong(key, fmt.Sprintf("cannot find %s%s: %s", what, where, reason(err)),
			"paths are relative to the file that contains them")
		return where, nil
	}
	return where, info
}

var reference = regexp.MustCompile(`\$?\$\{([^}]*\})?`)

// expand replaces ${NAME}, the only expansion there is; $${ is ${ itself.
func (f *file) expand(key, s string) (expanded string, ok bool) {
	ok = true
	return reference.ReplaceAllStringFunc(s, func(written string) string {
		name, closed := strings.CutSuffix(written[2:], "}")
		switch {
		case strings.HasPrefix(written, "$$"):
			return written[1:]
		case !closed:
			f.wrong(key, "${ without }", "write ${NAME}")
			ok = false
			return ""
		}
		value, set := f.getenv(name)
		f.variables[name] = true
		if !set || value == "" {
			if ok, f.bad[key] = false, true; !f.unset[name] { // it is said once
				f.wrong(key, fmt.Sprintf("the environment variable %s is not set", name),
					fmt.Sprintf("set it, for example: export %s=/path/to/folder", name))
			}
			f.unset[name] = true
		}
		return value
	}), ok
}

// variable checks the name of an environment variable. It does not read the variable.
func (f *file) variable(key, name string) {
	f.variables[name] = true
	switch {
	case place.IsSecret(name):
		f.wrong(key, "this looks like a secret itself",
			"export it under a name, and write the name here: MY_KEY; a key that was in a file should be replaced")
	case !place.IsVariable(name):
		f.wrong(key, "this is no name of an environment variable",
			"letters, digits and _ make one: MY_KEY; the secret itself never goes into a spec")
	}
}
