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

// Write writes the study's tables into dir, which it creates, by a function that replaces a file as a whole or not at
// all, and returns the paths in the order written:
//
//	NAME.md    a table to read
//	NAME.tex   the same, to \input into a paper
//	NAME.csv   the same, unrounded, with the columns and rows that readers do not see
//
// Equal studies give equal bytes. The first failure ends the writing.
func Write(s *result.Results, dir string, save func(path string, data []byte) error) (paths []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("create the folder for tables: %w", err)
	}
	files, err := render(s)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := save(path, f.data); err != nil {
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
	head := "% " + Comment(s) + "\n"
	if n := t.LeftOut(); n > 0 {
		head += fmt.Sprintf("%% %s.md has what is not below the table: %s\n", t.File, Plural(n, "line"))
	}
	if _, err := io.WriteString(w, head); err != nil {
		return err
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
