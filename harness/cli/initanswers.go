package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infnet/harness/fault"
	"infnet/harness/importer"
	"infnet/harness/spec"
	"infnet/harness/store"
)

// answers writes the study that replays recorded answers.
func (c *initCommand) answers(ctx context.Context, s *streams) error {
	name := cmp.Or(c.Name, "recorded")
	if why := spec.NameFault(name); why != "" {
		return fault.Usage.Wrap(fmt.Errorf("the name %q %s", name, why))
	}
	for key := range c.Column {
		if !slices.Contains(importer.Keys(), key) {
			return fault.Usage.Wrap(fmt.Errorf("--column %s=%s: no such key; want one of %s", key, c.Column[key],
				strings.Join(importer.Keys(), ", ")))
		}
	}
	out := cmp.Or(c.Out, name+".toml")
	questions := strings.TrimSuffix(out, ".toml") + ".questions.jsonl"
	for _, path := range []string{out, questions} {
		if _, err := os.Stat(path); err == nil {
			return fault.Usage.Wrap(fmt.Errorf("%s exists: name another study with --out, or remove it", path))
		}
	}
	o := importer.Options{Name: name, Files: c.Files, Columns: c.Column}
	return fault.Data.Wrap(c.write(ctx, s, o, out, questions))
}

// write imports the files and writes the study, and the questions where no file holds them: both or neither.
func (c *initCommand) write(ctx context.Context, s *streams, o importer.Options, out, questions string) (err error) {
	if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(out), ".import-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	asked := filepath.Join(dir, filepath.Base(questions))
	found, err := collectQuestions(ctx, o, asked)
	if err != nil {
		return err
	}
	printFound(s, found)
	text, err := found.Study(filepath.Dir(out), filepath.Base(questions))
	if err != nil {
		return err
	}
	if found.Questions.Path == "" {
		if err := os.Rename(asked, questions); err != nil {
			return err
		}
		defer func() {
			if err != nil {
				os.Remove(questions) // nothing names it
			}
		}()
	}
	if err := store.WriteFile(out, []byte(text)); err != nil {
		return err
	}
	prose(s.out, "\n%s written; look at the lines marked \"check:\", then: infnet run %s\n", out, out)
	return nil
}

// collectQuestions imports the files, and writes the questions where no file holds them.
func collectQuestions(ctx context.Context, o importer.Options, path string) (*importer.Found, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	found, err := importer.Import(ctx, o, func(line []byte) error {
		_, err := w.Write(line)
		return err
	})
	if err == nil {
		err = w.Flush()
	}
	return found, errors.Join(err, f.Close())
}

// printFound says what the files hold.
func printFound(s *streams, f *importer.Found) {
	for _, file := range f.Files {
		prose(s.out, "%s", file)
	}
	fmt.Fprintf(s.out, "\n%d questions, %d answered by every model\n", f.Questions.N, f.Questions.Everybody)
	for _, m := range f.Models {
		fmt.Fprintf(s.out, "  %s: %d answers", m.Name, m.Rows)
		if n := m.Has[importer.Grade]; n > 0 {
			fmt.Fprintf(s.out, ", mean grade %.4f", m.Right/float64(n))
		}
		if m.Has[importer.Cost] > 0 {
			fmt.Fprintf(s.out, ", %.4g %s each", m.Cost/float64(m.Has[importer.Cost]), m.Currency)
		}
		fmt.Fprintln(s.out)
	}
	for _, r := range f.Remarks {
		prose(s.out, "check: %s", r)
	}
}
