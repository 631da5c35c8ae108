package spec

import (
	"cmp"
	"slices"
	"strings"

	"infnet/harness/spec/place"
)

// Section is a list of definitions in a spec.
type Section string

// The sections whose entries have a name.
const (
	OfModels   Section = "models"
	OfDatasets Section = "datasets"
)

// position is where a definition is written.
type position struct {
	file *file
	at   string // such as datasets[0]
	main *file  // the study's own file
}

// At gives an error of a definition's data or model its place in the spec: the
// first of the keys that is written there (or, below split, in the study's own
// [split]), else the definition itself. fix says what to do about it; where the
// error's text already ends in it, it is moved to a line of its own. An error
// that has a place keeps it, and one of a study that Load did not make stays
// without.
func (s *Study) At(in Section, name string, err error, fix string, keys ...string) error {
	p, known := s.positions[string(in)+" "+name]
	if _, placed := err.(*place.Fault); err == nil || placed || !known {
		return err
	}
	f, path := p.find(keys)
	message := strings.ReplaceAll(err.Error(), "\n", "; ")
	if fix != "" {
		message = strings.TrimSuffix(strings.TrimSuffix(message, fix), "; ")
	}
	return f.text.Problem(f.text.Key(path), path, message, fix).Wrap(err)
}

// find returns the first of the keys that is written, and the file it is in.
func (p position) find(keys []string) (*file, string) {
	for _, key := range keys {
		if path := p.at + "." + key; p.file.text.Has(path) {
			return p.file, path
		}
		if strings.HasPrefix(key, "split.") || key == "transfer.by" {
			for _, f := range []*file{p.main, p.file} {
				if f.text.Has(key) {
					return f, key
				}
			}
		}
	}
	return p.file, p.at
}

// remember keeps the places of the definitions that a study uses.
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
