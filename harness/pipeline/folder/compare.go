package folder

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"infnet/harness/filediff"
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
			where, err := filediff.First(filepath.Join(kept, name), filepath.Join(again, name))
			if err != nil {
				return Comparison{}, err
			}
			if where != "" {
				c.Differ = append(c.Differ, name+": "+where)
			} else {
				c.Same++
			}
		}
	}
	return c, nil
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
