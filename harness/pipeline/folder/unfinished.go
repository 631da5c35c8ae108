package folder

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"infnet/harness/store"
)

// unfinishedFile is in a run's folder from the beginning of a run until its results are written, if it has the results
// of an earlier run: they must not be taken for those of a run whose server was down. It has the error of a run that
// ended before its results behind its first line.
const unfinishedFile = "unfinished"

const begun = "A run has begun here and has not written its results: those in this folder are an earlier run's.\n"

// Begin notes that a run has begun, in a folder that has the results of an earlier one.
func Begin(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, Results)); err != nil {
		return nil // there is nothing to be mistaken
	}
	return store.WriteFile(filepath.Join(dir, unfinishedFile), []byte(begun))
}

// Failed notes, in a folder that is there, why a run came to no results, and returns its error.
func Failed(dir string, why error) error {
	if _, err := os.Stat(dir); err != nil {
		return why
	}
	return errors.Join(why, store.WriteFile(filepath.Join(dir, unfinishedFile), []byte(begun+why.Error()+"\n")))
}

// Unfinished reports whether a run began in a folder and did not come to its results: those there are an earlier run's.
// It returns the run's error, "" where it had no time to write one.
func Unfinished(dir string) (why string, yes bool) {
	text, err := os.ReadFile(filepath.Join(dir, unfinishedFile))
	return strings.TrimSpace(strings.TrimPrefix(string(text), begun)), err == nil
}
