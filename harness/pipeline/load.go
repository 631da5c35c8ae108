package pipeline

import (
	"io/fs"
	"strings"

	"infnet/experiments"
	"infnet/harness/dataset/builtin"
	"infnet/harness/fault"
	"infnet/harness/published"
	"infnet/harness/spec"
)

// Load reads a study's TOML file from fsys, or from this machine if fsys is nil. It fills in the
// options for what comes with infnet: built-in datasets, models and the published tables.
func Load(fsys fs.FS, path string, o spec.Options) (s *spec.Study, err error) {
	if o.Models, err = fs.Sub(experiments.Files, "models"); err != nil {
		return nil, err
	}
	printed, err := Printed()
	if err != nil {
		return nil, err
	}
	o.Builtin, o.Published = builtinSource, printed.Labels()
	if fsys != nil {
		s, err = spec.LoadFS(fsys, path, o)
	} else {
		s, err = spec.Load(path, o)
	}
	return s, fault.Spec.Wrap(err)
}

// Printed reads the published numbers.
func Printed() (*published.Book, error) {
	files, err := fs.Sub(experiments.Files, "paper")
	if err != nil {
		return nil, err
	}
	return published.Read(files)
}

// builtinSource describes a built-in generator to the spec.
func builtinSource(name string) (spec.BuiltinSource, error) {
	g, err := builtin.Lookup(name)
	if err != nil {
		return spec.BuiltinSource{}, err
	}
	out := spec.BuiltinSource{Prompt: g.Prompt, Fields: g.Fields, MaxTokens: g.MaxTokens}
	if err := out.Task.UnmarshalText([]byte(g.Task)); err != nil {
		return out, err
	}
	for _, l := range g.Labels {
		out.Labels = append(out.Labels, spec.Label{Class: l.Class, Word: strings.TrimPrefix(l.Word, " ")})
	}
	return out, nil
}
