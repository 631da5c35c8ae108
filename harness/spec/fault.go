package spec

import (
	"cmp"
	"slices"
	"strings"
)

// Section is a list of definitions in a spec.
type Section string

// The sections whose entries have a name.
const (
	OfModels   Section = "models"
	OfDatasets Section = "datasets"
)

// Fault is an error that shows only where the data or the models of a study
// are looked at, with the line of the spec that it is about. It wraps what was
// found, so callers branch on that with errors.Is and errors.As.
type Fault struct {
	Problem
	err error
}

// Error shows the place, the line of source and the fix, as Problems does.
func (f *Fault) Error() string {
	var b strings.Builder
	f.Problem.render(&b)
	return strings.TrimRight(b.String(), "\n")
}

// Unwrap returns what was found.
func (f *Fault) Unwrap() error { return f.err }

// place is where a definition stands.
type position struct {
	file *file
	at   string // such as datasets[0]
	main *file  // the study's own file
}

// At gives an error of a definition's data or model its place in the spec: the
// first of the keys that is written there (or, below split, in the study's own
// [split]), else the definition itself. fix is what to do about it; where the
// error's text ends in it already, it is moved to its own line. An error that
// has a place keeps it, and so does one of a study that Load did not make.
func (s *Study) At(in Section, name string, err error, fix string, keys ...string) error {
	p, known := s.positions[string(in)+" "+name]
	if _, placed := err.(*Fault); err == nil || placed || !known {
		return err
	}
	f, path := p.find(keys)
	message := strings.ReplaceAll(err.Error(), "\n", "; ")
	if fix != "" {
		message = strings.TrimSuffix(strings.TrimSuffix(message, fix), "; ")
	}
	return &Fault{f.problemAt(f.index.key(path), path, message, fix), err}
}

// find returns the first of the keys that is written, and the file it is in.
func (p position) find(keys []string) (*file, string) {
	for _, key := range keys {
		if path := p.at + "." + key; p.file.index.has(path) {
			return p.file, path
		}
		if strings.HasPrefix(key, "split.") {
			for _, f := range []*file{p.main, p.file} {
				if f.index.has(key) {
					return f, key
				}
			}
		}
	}
	return p.file, p.at
}

// remember keeps where the definitions stand that a study uses.
func (s *Study) remember(main *file, in Section, list []*definition) {
	if s.positions == nil {
		s.positions = map[string]position{}
	}
	for _, d := range slices.Backward(list) { // of equal names the first
		if d.name != "" {
			s.positions[string(in)+" "+d.name] = position{file: d.file, at: d.at, main: cmp.Or(main, d.file)}
		}
	}
}
