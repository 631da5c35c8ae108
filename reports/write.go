package reports

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"infnet/harness/result"
	"infnet/reports/table"
)

// Options says how files are written.
type Options struct {
	// Save writes one file. nil = write a temporary file next to it, sync it,
	// rename it into place and sync the folder, so that a reader never sees half
	// a file and a failed write leaves the old one.
	Save func(path string, data []byte) error
}

// Write writes the study's tables into dir, which it creates, and returns the
// paths in the order written:
//
//	NAME.md    a table to read
//	NAME.tex   the same, to \input into a paper
//	NAME.csv   the same, unrounded, with the columns and rows that readers do not see
//
// Equal studies give equal bytes. The first failure ends the writing.
func Write(s *result.Results, dir string, o Options) ([]string, error) {
	if o.Save == nil {
		o.Save = save
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("create the folder for tables: %w", err)
	}
	files, err := render(s)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := o.Save(path, f.data); err != nil {
			return paths, fmt.Errorf("write table %s: %w", path, err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// file is a file's name and content.
type file struct {
	name string
	data []byte
}

// WriteLaTeX writes the file of a table of the study.
func WriteLaTeX(w io.Writer, s *result.Results, t *table.Table) error {
	if _, err := fmt.Fprintf(w, "%% %s\n", Comment(s)); err != nil {
		return err
	}
	if n := t.LeftOut(); n > 0 {
		if _, err := fmt.Fprintf(w, "%% %s.md has what is not below the table: %s\n", t.File, plural(n, "line")); err != nil {
			return err
		}
	}
	return t.LaTeX(w)
}

// render makes every file in memory.
func render(s *result.Results) ([]file, error) {
	var files []file
	for _, t := range Tables(s) {
		var md, tex, csv bytes.Buffer
		fmt.Fprintf(&md, "<!-- %s -->\n\n", Comment(s))
		if err := t.Markdown(&md); err != nil {
			return nil, err
		}
		if t.Kind == "data" {
			for _, w := range s.Warnings {
				fmt.Fprintf(&md, "\nWarning: %s\n", table.Markdown(w))
			}
		}
		if err := WriteLaTeX(&tex, s, &t); err != nil {
			return nil, err
		}
		if err := t.CSV(&csv); err != nil {
			return nil, err
		}
		files = append(files, file{t.File + ".md", md.Bytes()}, file{t.File + ".tex", tex.Bytes()},
			file{t.File + ".csv", csv.Bytes()})
	}
	return files, nil
}

// Comment says what the files of a study were made from, on one line, safe inside LaTeX and HTML comments. It holds no
// date, so that equal input gives equal bytes.
func Comment(s *result.Results) string {
	word := func(x string) string {
		x = strings.Map(func(r rune) rune {
			if r > '~' || strings.ContainsRune("<>%\\", r) {
				return '?'
			}
			return r
		}, table.Clean(x))
		for strings.Contains(x, "--") {
			x = strings.ReplaceAll(x, "--", "-")
		}
		return x
	}
	return fmt.Sprintf("study %s; infnet %s; spec %s; answers %s",
		word(s.Name), word(s.Spec.Program), word(s.Spec.SpecHash), word(s.Spec.AnswersHash))
}

// save replaces a file at once or not at all.
func save(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // the first error is the one to report
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
