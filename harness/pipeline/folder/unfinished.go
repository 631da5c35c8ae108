package folder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"infnet/harness/store"
)

// unfinishedFile is in a run's folder from the beginning of a run until its results are written, if it has the results
// of an earlier run: they must not be taken for those of a run whose server was down.
const unfinishedFile = "unfinished"

// Begin notes that a run has begun, in a folder that has the results of an earlier one.
func Begin(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, Results)); err != nil {
		return nil // there is nothing to be mistaken
	}
	return store.WriteFile(filepath.Join(dir, unfinishedFile),
		[]byte("A run has begun here and has not written its results: those in this folder are an earlier run's.\n"))
}

// Unfinished reports whether a run began in a folder and did not come to its results: those there are an earlier run's.
func Unfinished(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, unfinishedFile))
	return err == nil
}

// finished notes that the results in a folder are those of the last run.
func finished(dir string) error {
	if err := os.Remove(filepath.Join(dir, unfinishedFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &store.WriteError{Op: "remove", Path: filepath.Join(dir, unfinishedFile), Err: err,
			Hint: "remove it by hand, or name another folder with --out"}
	}
	return nil
}
