package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"infnet/harness/fault"
	"infnet/harness/pipeline/folder"
	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/harness/store"
	"infnet/reports/manuscript"
)

// paperCommand makes the results section of a paper.
type paperCommand struct {
	Runs []string `arg:"" name:"run" help:"Folders of runs, or folders with runs in them."`
	Out  string   `help:"Folder to write to." default:"paper" placeholder:"DIR"`
}

// Run writes LaTeX files that go into a paper.
func (c *paperCommand) Run(_ context.Context, s *streams) error {
	runs, err := c.runs()
	if err != nil {
		return err
	}
	book, err := manuscript.NewBook(runs)
	if err != nil {
		return fault.Usage.Wrap(err)
	}
	if err := folder.Writable(c.Out); err != nil {
		return err
	}
	for _, r := range runs {
		if _, err := folder.WriteTables(filepath.Join(c.Out, manuscript.Folder(r.Results)), r.Results); err != nil {
			return err
		}
	}
	if err := store.WriteFile(filepath.Join(c.Out, "numbers.tex"), book.NumbersFile()); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s: %d numbers\n", filepath.Join(c.Out, "numbers.tex"), book.Len())
	draft := filepath.Join(c.Out, "results.tex")
	if _, err := os.Stat(draft); err == nil {
		fmt.Fprintf(s.out, "%s is there and stays as it is: delete it to have it written again\n", draft)
		return nil
	}
	if err := store.WriteFile(draft, book.ResultsFile()); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s: a draft that compiles alone\n", draft)
	return nil
}

// runs reads the results of all runs, with the looks of their tables in a paper.
func (c *paperCommand) runs() (runs []manuscript.Run, err error) {
	for _, named := range c.Runs {
		dirs := []string{named}
		if _, err := os.Stat(filepath.Join(named, result.ResultsFile)); errors.Is(err, fs.ErrNotExist) {
			below, _ := filepath.Glob(filepath.Join(named, "*", result.ResultsFile)) // a bad pattern matches none
			if len(below) > 0 {
				dirs = dirs[:0]
			}
			for _, path := range below {
				dirs = append(dirs, filepath.Dir(path))
			}
		}
		for _, dir := range dirs {
			r, err := result.ReadFolder(dir)
			if err != nil {
				return nil, err
			}
			r.Style.Figures = []style.Format{style.PDF}
			runs = append(runs, manuscript.Run{Folder: dir, Results: r})
		}
	}
	return runs, nil
}
