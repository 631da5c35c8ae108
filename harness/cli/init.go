package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"infnet/harness/dataset/files"
	"infnet/harness/fault"
	"infnet/harness/importer"
	"infnet/harness/spec"
	"infnet/harness/store"
)

// sampleRows is how many rows init looks at.
const sampleRows = 1000

// initCommand writes a study: a starter for a file of data, or the one that replays recorded answers.
type initCommand struct {
	Files  []string          `arg:"" name:"FILE" help:"Data: .csv, .tsv, .jsonl (all also .gz) or .parquet. Or recorded answers: such tables with models' answers, samples of lm-evaluation-harness, Inspect logs; and the table of the questions, if there is one."`
	Name   string            `help:"Name of the study. Default: the file's; of answers, recorded." placeholder:"NAME"`
	Out    string            `short:"o" help:"Study to write. Default: standard output; of answers NAME.toml, and the questions next to it unless a file holds them." placeholder:"FILE"`
	Column map[string]string `help:"Answers: what a column of a table means, as KEY=COLUMN: id, text, correct, score, confidence, logprob, cost, latency, model, …; repeatable." mapsep:"none"`
}

func (c *initCommand) Run(ctx context.Context, s *streams) error {
	if c.recorded() {
		return c.answers(ctx, s)
	}
	if len(c.Files) > 1 {
		return fault.Usage.Wrap(fmt.Errorf("init takes one file of data, and %d were named", len(c.Files)))
	}
	return c.starter(s)
}

// recorded reports whether the files are recorded answers.
func (c *initCommand) recorded() bool {
	if len(c.Files) > 1 || len(c.Column) > 0 {
		return true
	}
	path := c.Files[0]
	if importer.Recorded(path) {
		return true
	}
	table, err := files.OpenTable(path, 1)
	return err == nil && importer.Answers(table.Names())
}

// starter writes a commented starter spec for a file of data.
func (c *initCommand) starter(s *streams) error {
	file := c.Files[0]
	table, err := files.OpenTable(file, sampleRows)
	if err != nil {
		return fault.Data.Wrap(err)
	}
	var text strings.Builder
	sample := importer.Sample{
		Name: c.Name, File: filepath.ToSlash(file), Columns: table.Columns(), Rows: table.Rows, Value: table.Value,
	}
	if !filepath.IsAbs(file) && c.Out != "" {
		sample.File = spec.Relative(filepath.Dir(c.Out), file)
	}
	if err := importer.Starter(&text, sample); err != nil {
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
