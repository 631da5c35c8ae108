package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"infnet/harness/dataset/files"
	"infnet/harness/fault"
	"infnet/harness/starter"
	"infnet/harness/store"
)

// sampleRows is how many rows init looks at.
const sampleRows = 1000

// initCommand writes a starter spec.
type initCommand struct {
	File    string `arg:"" help:"The data: .csv, .tsv, .jsonl (all also .gz) or .parquet."`
	Name    string `help:"Name of the study. Default: the file's." placeholder:"NAME"`
	Student string `help:"Folder of the student's model. Default: the tiny built-in one." placeholder:"DIR"`
	Master  string `help:"Folder of the master's model. Default: the tiny built-in one." placeholder:"DIR"`
	Out     string `short:"o" help:"File to write. Default: standard output." placeholder:"FILE"`
}

func (c *initCommand) Run(_ context.Context, s *streams) error {
	columns, rows, err := files.Peek(c.File, sampleRows)
	if err != nil {
		return fault.Data.Wrap(err)
	}
	var text strings.Builder
	sample := starter.Sample{
		Name: c.Name, File: c.dataPath(), Columns: columns, Rows: rows, Student: c.Student, Master: c.Master,
	}
	if sep := files.Separator(c.File); sep != 0 && sep != ',' {
		sample.Delimiter = files.WrittenSeparator(sep)
	}
	if err := starter.Write(&text, sample); err != nil {
		return fault.Data.Wrap(err)
	}
	if c.Out == "" {
		_, err = fmt.Fprint(s.out, text.String())
		return err
	}
	if _, err := os.Stat(c.Out); err == nil {
		return fault.Usage.Wrap(fmt.Errorf("%s exists: name another file, or remove it", c.Out))
	}
	if err := store.WriteFile(c.Out, []byte(text.String())); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s written; look at the lines marked \"check:\", then: infnet check %s\n", c.Out, c.Out)
	return nil
}

// dataPath returns the data file as the spec should name it: relative to where the spec will be.
func (c *initCommand) dataPath() string {
	if filepath.IsAbs(c.File) || c.Out == "" {
		return filepath.ToSlash(c.File)
	}
	file, err := filepath.Abs(c.File)
	if err != nil {
		return filepath.ToSlash(c.File)
	}
	folder, err := filepath.Abs(filepath.Dir(c.Out))
	if err != nil {
		return filepath.ToSlash(c.File)
	}
	if relative, err := filepath.Rel(folder, file); err == nil {
		return filepath.ToSlash(relative)
	}
	return filepath.ToSlash(file)
}
