package pipeline

import (
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"

	"infnet/harness/analyze"
)

// large is the size of a file from which on memory counts more than time.
const large = 64 << 20

// modest is the memory that the collection of a large file is to do with, where what has to be in it allows that.
const modest = 224 << 20

// frugal makes the garbage collector keep memory below a modest limit where a file of the study is large, and returns
// what ends that. What is in use, with some room, is always allowed; while files are opened, nobody
// knows what that will be, and the collector only runs more often. Limits that the user has set
// (GOGC, GOMEMLIMIT) stay.
func (st *Study) frugal(opening bool) (end func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" || !st.isLarge() {
		return func() {}
	}
	if opening {
		percent := debug.SetGCPercent(12)
		return func() { debug.SetGCPercent(percent) }
	}
	percent := debug.SetGCPercent(60)
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	limit := max(modest, int64(now.HeapAlloc)*5/4+72<<20)
	before := debug.SetMemoryLimit(limit)
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(before)
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

// isLarge reports whether some file of questions or recorded answers is large.
func (st *Study) isLarge() bool {
	is := func(path string) bool {
		var info fs.FileInfo
		var err error
		if st.Spec.FS != nil {
			info, err = fs.Stat(st.Spec.FS, path)
		} else {
			info, err = os.Stat(path)
		}
		return err == nil && info.Size() >= large
	}
	for _, d := range st.Spec.Datasets {
		if d.Source.Name != "" && is(d.Source.Name) {
			return true
		}
	}
	for _, m := range st.Spec.Models {
		if m.Recording != nil && is(m.Recording.File) {
			return true
		}
	}
	return false
}
