package pipeline

import (
	"io/fs"
	"os"
	"runtime/debug"
)

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
