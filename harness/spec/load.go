package spec

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"infnet/harness/regular"
	"infnet/harness/spec/place"
	"infnet/harness/task"
)

// Options are what a study needs from its surroundings, and what the command
// line says over it. The zero Options load a study of files.
type Options struct {
	// Builtin looks up a built-in generator, with an error that lists the
	// valid names. Nil = there are none.
	Builtin func(name string) (BuiltinSource, error)

	// Models holds the built-in models, a folder each: what path =
	// "builtin:NAME" names. Nil = there are none.
	Models fs.FS

	// Getenv looks up an environment variable for ${NAME}. Nil = os.LookupEnv.
	Getenv func(name string) (string, bool)

	// Use are catalogs whose models, datasets and backends take the place of
	// those of the same name in the study and its catalogs. Paths are as Load
	// takes them.
	Use []string

	// StandIns are models that are asked in place of others, in every cascade:
	// from a role (student: the first, master: the last) or a model's name to a
	// model's name. A name goes before a role.
	StandIns map[string]string

	// Published lists the tables that report.published may name.
	Published []string

	Limit  int    // rows per dataset at most, over the specs'; 0 = as they say; at least 10
	Target string // the budget, over the spec's; "" = as it says
	Budget Budget // limits over the spec's; 0 = as it says
}

// BuiltinSource is what a built-in generator says of itself.
type BuiltinSource struct {
	Task      task.Kind
	Labels    []Label // in class order; a leading space of the word is dropped
	Prompt    string
	Fields    []string
	MaxTokens int
}

// largest is the size of the largest spec file, in bytes.
const largest = 256 << 10

// Load reads a study and its catalogs from the machine's file system. Where
// anything is wrong the error is a Problems with all mistakes of all files.
// Files and folders that the study uses must exist; nothing is opened but the
// TOML files.
func Load(name string, o Options) (*Study, error) {
	return load(disk{}, name, o)
}

// LoadFS is Load in another file system: name and all paths in the spec are
// slash-separated and must stay inside it.
func LoadFS(fsys fs.FS, name string, o Options) (*Study, error) {
	return load(tree{fsys}, name, o)
}

// filesystem is where files are: the machine, or an fs.FS.
type filesystem interface {
	read(name string) ([]byte, error)
	stat(name string) (fs.FileInfo, error)
	// resolve returns a path written in the file at from.
	resolve(from, written string) (string, error)
	system() fs.FS // nil for the machine
}

type disk struct{}

func (disk) read(name string) ([]byte, error) {
	f, err := regular.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return bounded(f)
}

func (disk) stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

func (disk) resolve(from, written string) (string, error) {
	if filepath.IsAbs(written) {
		return filepath.Clean(written), nil
	}
	return filepath.Join(filepath.Dir(from), filepath.FromSlash(written)), nil
}

func (disk) system() fs.FS { return nil }

type tree struct{ fs.FS }

func (t tree) read(name string) ([]byte, error) {
	f, err := t.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return bounded(f)
}

func (t tree) stat(name string) (fs.FileInfo, error) { return fs.Stat(t.FS, name) }

func (t tree) resolve(from, written string) (string, error) {
	p := path.Join(path.Dir(from), written)
	if path.IsAbs(written) || !fs.ValidPath(p) {
		return "", fmt.Errorf("%q leaves the file system that the spec is embedded in", written)
	}
	return p, nil
}

func (t tree) system() fs.FS { return t.FS }

func bounded(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, largest+1))
	if err == nil && len(data) > largest {
		err = fmt.Errorf("larger than %d bytes: this is no spec", largest)
	}
	return data, err
}

// loader carries one Load.
type loader struct {
	fsys     filesystem
	options  Options
	files    []*file // the study first, then its catalogs
	backends map[string]*backend
	problems place.Problems
	warnings place.Problems
}

func load(p filesystem, name string, o Options) (*Study, error) {
	if o.Getenv == nil {
		o.Getenv = os.LookupEnv
	}
	l := &loader{fsys: p, options: o}
	s := l.study(name)
	names := make([]string, len(l.files))
	for i, f := range l.files {
		names[i] = f.name
	}
	if len(l.problems) > 0 {
		return nil, l.problems.Sorted(names)
	}
	s.Warnings = l.warnings.Sorted(names)
	s.Hash = s.hash()
	return s, nil
}

// study reads all files, checks them, and puts the study together.
func (l *loader) study(name string) *Study {
	main := &file{name: name, where: name, study: true}
	l.files = append(l.files, main)
	data, err := l.fsys.read(name)
	if err != nil {
		l.problems.Add(place.Problem{File: name, Message: "cannot read the spec: " + reason(err), Hint: "name an existing TOML file; infnet init writes one"})
		return nil
	}
	if !main.parse(data, &l.problems) {
		return nil
	}
	if n := l.options.Limit; n != 0 && n < fewest {
		l.problems.Add(place.Problem{File: name, Message: fmt.Sprintf("--limit %d", n), Hint: fmt.Sprintf("%d rows or more, or leave it out", fewest)})
	}
	whole := l.catalogs(main)
	whole = l.over() && whole
	if !l.sizes() {
		return nil
	}
	s := &Study{File: name, FS: l.fsys.system()}
	l.head(s)
	l.definitions(s, whole)
	return s
}

// Most entries of a study, over all files. Names are looked up one by one.
const (
	mostEntries  = 1000
	mostCascades = 100
	mostModels   = 6 // of a cascade: 15 pairs
)

// sizes refuses a study that is larger than any study is.
func (l *loader) sizes() bool {
	models, datasets := 0, 0
	for _, f := range l.files {
		models += len(f.raw.Models)
		datasets += len(f.raw.Datasets)
	}
	fine := true
	for _, n := range []struct {
		what      string
		have, may int
	}{{"models", models, mostEntries}, {"datasets", datasets, mostEntries}, {"cascades", len(l.files[0].raw.Cascades), mostCascades}} {
		if n.have > n.may {
			l.problems.Add(place.Problem{File: l.files[0].name, Message: fmt.Sprintf("%d %s: a study has at most %d", n.have, n.what, n.may)})
			fine = false
		}
	}
	return fine
}

// catalogs reads the files of use. It returns false where one of them could
// not be read, so that its names are not reported as unknown.
func (l *loader) catalogs(main *file) bool {
	whole := true
	seen := map[string]int{}
	for i, written := range main.raw.Use {
		key := place.Element("use", i)
		where, err := l.fsys.resolve(main.where, written)
		if err != nil {
			l.bad(main, key, err.Error(), "")
			whole = false
			continue
		}
		if j, again := seen[where]; again {
			l.bad(main, key, fmt.Sprintf("the same catalog as use[%d]", j), "name it once")
			continue
		}
		seen[where] = i
		data, err := l.fsys.read(where)
		if err != nil {
			l.bad(main, key, fmt.Sprintf("cannot read the catalog %s: %s", where, reason(err)), "paths are relative to the file they stand in")
			whole = false
			continue
		}
		c := &file{name: where, where: where}
		l.files = append(l.files, c)
		if !c.parse(data, &l.problems) {
			whole = false
		}
	}
	return whole
}

// bad reports a wrong value at a key of a file.
func (l *loader) bad(f *file, key, message, hint string) {
	if l.problems.Full() {
		return
	}
	l.problems.Add(f.text.Problem(f.text.Value(key), key, message, hint))
}

// missing reports a key that should be in a table, unless it is there and
// was reported as wrong, or is there misspelt.
func (l *loader) missing(f *file, table, key, hint string) {
	if at := place.Join(table, key); f.text.Has(at) || f.meant[at] {
		return
	}
	l.problems.Add(f.text.Problem(f.text.Key(table), place.Join(table, key), "this key is required", hint))
}

// warn notes what stops nothing.
func (l *loader) warn(f *file, key, message, hint string) {
	l.warnings.Add(f.text.Problem(f.text.Key(key), key, message, hint))
}

// reason is an error without the path, which the message already names.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "no such file or folder"
	}
	return err.Error()
}

// path reads a path of the spec: ${NAME} replaced, and resolved against the
// folder of its file. It returns false after a problem.
func (l *loader) path(f *file, key, written string) (string, bool) {
	text, ok := l.expand(f, key, written)
	if !ok {
		return "", false
	}
	where, err := l.fsys.resolve(f.where, text)
	if err != nil {
		l.bad(f, key, err.Error(), "")
		return "", false
	}
	return where, true
}

// expand replaces ${NAME}, the only expansion there is.
func (l *loader) expand(f *file, key, s string) (string, bool) {
	var b strings.Builder
	for {
		i := strings.Index(s, "${")
		if i < 0 {
			b.WriteString(s)
			return b.String(), true
		}
		end := strings.IndexByte(s[i:], '}')
		if end < 0 {
			l.bad(f, key, "${ without }", "write ${NAME}")
			return "", false
		}
		name := s[i+2 : i+end]
		value, set := l.options.Getenv(name)
		if !set || value == "" {
			l.bad(f, key, fmt.Sprintf("the environment variable %s is not set", name), fmt.Sprintf("set it, for example: export %s=/path/to/folder", name))
			return "", false
		}
		b.WriteString(s[:i] + value)
		s = s[i+end+1:]
	}
}
