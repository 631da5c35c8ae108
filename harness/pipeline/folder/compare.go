package folder

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infnet/harness/regular"
	"infnet/harness/store"
)

// Comparison is the result of reproducing a run's files.
type Comparison struct {
	Differ []string // files that are not the same, and where they differ
	Same   int      // files whose bytes are the same
}

// Compare compares the files of a run with reproduced ones. It ignores files that no run writes.
func Compare(kept, again string) (c Comparison, err error) {
	old, err := written(kept)
	if err != nil {
		return c, err
	}
	fresh, err := written(again)
	if err != nil {
		return c, err
	}
	names := slices.Concat(old, fresh)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		switch {
		case !slices.Contains(old, name):
			c.Differ = append(c.Differ, name+": missing")
		case !slices.Contains(fresh, name):
			c.Differ = append(c.Differ, name+": not made by this study")
		default:
			equal, err := same(filepath.Join(kept, name), filepath.Join(again, name))
			switch {
			case err != nil:
				return Comparison{}, err
			case equal:
				c.Same++
			default:
				c.Differ = append(c.Differ, name+": other bytes")
			}
		}
	}
	return c, nil
}

// same reports whether two files have the same bytes.
func same(kept, again string) (bool, error) {
	a, err := regular.Open(kept)
	if err != nil {
		return false, err
	}
	defer a.Close()
	b, err := regular.Open(again)
	if err != nil {
		return false, err
	}
	defer b.Close()
	x, y := bufio.NewReader(a), bufio.NewReader(b)
	for {
		p, errX := x.ReadByte()
		q, errY := y.ReadByte()
		switch {
		case errX == io.EOF && errY == io.EOF:
			return true, nil
		case errX == io.EOF || errY == io.EOF || errX == nil && errY == nil && p != q:
			return false, nil
		case errX != nil || errY != nil:
			return false, errors.Join(errX, errY)
		}
	}
}

// written lists what a run writes, relative to its folder, with slashes.
func written(dir string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		first, _, inside := strings.Cut(rel, "/")
		switch {
		case d.IsDir() && rel == Export:
			for _, name := range Exported(dir) {
				names = append(names, Export+"/"+name)
			}
			return fs.SkipDir
		case d.IsDir() && rel != "." && !slices.Contains([]string{Tables, Figures}, first):
			return fs.SkipDir
		case d.IsDir(), strings.HasPrefix(d.Name(), "."):
			return nil
		case inside || slices.Contains([]string{Results, Records, Page, RunFile, Policies}, rel):
			names = append(names, rel)
		}
		return nil
	})
	return names, err
}

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
