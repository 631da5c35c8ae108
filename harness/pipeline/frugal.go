package pipeline

import (
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"

	"infnet/harness/analyze"
)

// Sizes of a study's largest file. From large on garbage may reach only a part of what is in use; from huge on memory
// counts more than time.
const (
	large = 64 << 20
	huge  = 1 << 30
)

// modest is the memory that the collection of a huge file is to do with, where what has to be in it allows that.
const modest = 224 << 20

// frugal makes the garbage collector keep memory low where a file of the study is large, below a modest limit where it
// is huge, and returns what ends that. What is in use, with some room, is always allowed; while huge files are opened,
// nobody knows what that will be, and the collector only runs more often. Limits that the user has set (GOGC,
// GOMEMLIMIT) stay.
func (st *Study) frugal(opening bool) (end func()) {
	size := st.largestFile()
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" || size < large {
		return func() {}
	}
	percent := 60
	if opening && size >= huge {
		percent = 12
	}
	before := debug.SetGCPercent(percent)
	if opening || size < huge {
		return func() { debug.SetGCPercent(before) }
	}
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	limit := debug.SetMemoryLimit(max(modest, int64(now.HeapAlloc)*5/4+72<<20))
	return func() {
		debug.SetGCPercent(before)
		debug.SetMemoryLimit(limit)
	}
}

// manyAnswers is the number of answers from which an analysis spares memory.
const manyAnswers = 500_000

// spareMemory lets garbage reach half of what is in use, instead of as much again, while many
// answers are analysed: they are columns without pointers, which cost the collector next to
// nothing. The function that it returns ends that. GOGC, where it is set, decides.
func spareMemory(in analyze.Input) (end func()) {
	answers := 0
	for _, c := range in.Study.Asked() {
		for _, d := range c.Datasets {
			if sheet := in.Sheets[d]; sheet != nil {
				answers += len(c.Models) * sheet.Len()
			}
		}
	}
	if _, set := os.LookupEnv("GOGC"); set || answers < manyAnswers {
		return func() {}
	}
	before := debug.SetGCPercent(50)
	return func() { debug.SetGCPercent(before) }
}

// largestFile returns the size of the largest file of questions or recorded answers, in bytes.
func (st *Study) largestFile() (size int64) {
	look := func(path string) {
		var info fs.FileInfo
		var err error
		if st.Spec.FS != nil {
			info, err = fs.Stat(st.Spec.FS, path)
		} else {
			info, err = os.Stat(path)
		}
		if err == nil {
			size = max(size, info.Size())
		}
	}
	for _, d := range st.Spec.Datasets {
		if d.Source.Name != "" {
			look(d.Source.Name)
		}
	}
	for _, m := range st.Spec.Models {
		if m.Recording != nil {
			look(m.Recording.File)
		}
	}
	return size
}
