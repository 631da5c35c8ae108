package folder

import (
	"io"
	"os"
	"path/filepath"
	"slices"

	"infnet/harness/result"
	"infnet/harness/store"
	"infnet/reports/tidy"
)

// Exported returns which files of an export a run's folder holds. Other files there belong to the
// user.
func Exported(dir string) []string {
	return slices.DeleteFunc(slices.Clone(tidy.Files), func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, Export, name))
		return err != nil
	})
}

// WriteExports writes the named files of the run in dir, and returns their paths.
func WriteExports(r *result.Results, dir, to string, names []string) (paths []string, err error) {
	e := tidy.NewExport(r, result.Records(dir))
	for _, name := range names {
		path := filepath.Join(to, name)
		if err := store.WriteTo(path, func(w io.Writer) error { return e.Write(w, name) }); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
