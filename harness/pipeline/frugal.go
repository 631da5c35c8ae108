package pipeline

import (
	"io/fs"
	"os"
	"runtime/debug"
)

// large is the size of a file from which on memory counts more than time.
const large = 64 << 20

// frugal makes the garbage collector keep the heap close to what is in use where a file of the study is large, and
// returns what ends that. A limit that the user has set (GOGC) stays.
func (st *Study) frugal() (end func()) {
	if os.Getenv("GOGC") != "" || !st.isLarge() {
		return func() {}
	}
	before := debug.SetGCPercent(25)
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
