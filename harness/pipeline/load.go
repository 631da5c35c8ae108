package pipeline

import (
	"io/fs"
	"os"
	"runtime/debug"
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

// A study spares memory from a file of so many bytes, or so many answers, on.
const (
	largeFile   = 64 << 20
	manyAnswers = 500_000
)

// frugal lets garbage reach half of what is in use, instead of as much again, where a study is large: texts and answers
// are few large pieces and columns without pointers, which cost the collector next to nothing. The function that it
// returns ends that. Limits that the user has set (GOGC, GOMEMLIMIT) stay.
func frugal(st *Study) (end func()) {
	answers := 0
	for _, d := range st.Datasets {
		if d.Sheet != nil {
			answers += len(st.Models) * d.Sheet.Len()
		}
	}
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" || answers < manyAnswers && largestFile(st) < largeFile {
		return func() {}
	}
	before := debug.SetGCPercent(50)
	return func() { debug.SetGCPercent(before) }
}

// largestFile returns the size of the largest file of questions or recorded answers, in bytes.
func largestFile(st *Study) (size int64) {
	stat := os.Stat
	if st.Spec.FS != nil {
		stat = func(path string) (fs.FileInfo, error) { return fs.Stat(st.Spec.FS, path) }
	}
	var paths []string
	for _, d := range st.Spec.Datasets {
		paths = append(paths, d.Source.Name)
	}
	for _, m := range st.Spec.Models {
		if m.Recording != nil {
			paths = append(paths, m.Recording.File)
		}
	}
	for _, path := range paths {
		if info, err := stat(path); err == nil {
			size = max(size, info.Size())
		}
	}
	return size
}
