package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"infnet/harness/fault"
	"infnet/harness/outcomes"
	"infnet/harness/pipeline"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/spec"
	"infnet/reports"
	"infnet/reports/table"
	"infnet/sufficiency"
)

// sufficiencyCommand tests columns from any source.
type sufficiencyCommand struct {
	columnFlags
	File             string   `arg:"" help:"One row per query: .csv, .tsv, .jsonl (all also .gz) or .parquet."`
	Extra            []string `help:"Columns of the extra information J, numbers all: a,b,c; a comma in a name is written \\,." placeholder:"COLS"`
	ExtraPrefix      []string `help:"All columns whose names begin so, as one J; several prefixes, several rows of the table." placeholder:"P"`
	Budget           *float64 `help:"Share of errors allowed when J is priced, in [0,1]. Default: that of the better model." placeholder:"B"`
	sufficiency.Test `embed:""`
	Alpha            float64 `help:"Level of a finding, in (0,1)." default:"0.05" placeholder:"A"`
	Seed             uint64  `help:"Seed of folds, halves, shuffles and resamples." default:"42"`
	Format           string  `help:"How the table is printed: text, markdown, latex, csv or json." enum:"text,markdown,latex,csv,json" default:"text"`
	screenFlags
}

func (c *sufficiencyCommand) Run(ctx context.Context, s *streams) error {
	o, err := c.options()
	columns := c.columns()
	if err == nil {
		err = columns.Check()
	}
	if err != nil {
		return fault.Usage.Wrap(err)
	}
	file, err := outcomes.Open(c.File)
	if err != nil {
		return err
	}
	found := file.Recognise(&columns, c.extra)
	log, err := file.Read(columns)
	if err != nil {
		return err
	}
	in, err := c.input(log)
	if err != nil {
		return err
	}
	screen := newScreen(s.err, c.screenFlags)
	sayLog(found, func(text string) { screen.log.Info(text) })
	for _, d := range log.Doubts(nil, nil) {
		screen.log.Warn(d.Text)
	}
	steps := &pipeline.Steps{Events: screen}
	r, err := sufficiency.Run(ctx, in, o, func(_ string, _ sufficiency.Null, done, total int) {
		steps.Progress("sufficiency", done, total)
	})
	steps.Finish()
	screen.wait()
	if err != nil {
		return fault.Data.Wrap(fmt.Errorf("%s: %w", c.File, err))
	}
	return c.print(s, c.result(r, o, columns))
}

// input is the log with its covariates.
func (c *sufficiencyCommand) input(l *outcomes.Log) (sufficiency.Input, error) {
	in := sufficiency.Input{
		Groups: l.Groups, Beta: l.Records.Beta, Class: l.Records.Class, StudentErr: l.Records.Student,
		MasterErr: l.Records.Master,
	}
	for i := range l.Len() {
		in.IDs = append(in.IDs, l.IDOf(i))
	}
	if len(c.Extra) > 0 {
		set, err := l.Covariates(strings.Join(c.Extra, ", "), c.Extra)
		if err != nil {
			return in, err
		}
		in.Sets = append(in.Sets, set)
	}
	for _, prefix := range c.ExtraPrefix {
		set, err := l.CovariatesBy(prefix)
		if err != nil {
			return in, err
		}
		in.Sets = append(in.Sets, set)
	}
	return in, nil
}

// result puts the test into the form that reports read.
func (c *sufficiencyCommand) result(r sufficiency.Result, o sufficiency.Options,
	columns outcomes.Columns) *result.Results {
	q := &result.Sufficiency{
		Records: r.Records, Folds: r.Folds, Method: o.Method.String(), Alpha: o.Alpha, Rows: r.Rows,
	}
	if o.Method == sufficiency.Plain {
		q.Permutations, q.Smallest = o.Permutations, sufficiency.SmallestP(o.Permutations)
	}
	if o.Method != sufficiency.PCM && sufficiency.Needed(o.Permutations, o.Alpha) > 0 {
		q.Notes = append(q.Notes, note.TooFewPermutations(o.Permutations, o.Alpha))
	}
	return &result.Results{
		Version: result.Version, Name: c.File, Seed: c.Seed, Level: o.Level,
		Spec: result.Provenance{Program: programVersion()},
		Cascades: []result.Cascade{{Name: c.File, Models: []string{columns.Student, columns.Master},
			Datasets: []result.Dataset{{Name: c.File, Sufficiency: q}}}},
	}
}

// print writes the table in the format asked for.
func (c *sufficiencyCommand) print(s *streams, study *result.Results) error {
	if c.Format == "json" {
		b, err := json.MarshalIndent(study.Cascades[0].Datasets[0].Sufficiency, "", "  ")
		if err == nil {
			_, err = s.out.Write(append(b, '\n'))
		}
		return err
	}
	t := reports.Sufficiency(study)
	if len(t.Columns) == 0 {
		return errors.New("the test has no rows; please report this")
	}
	switch c.Format {
	case "markdown":
		return t.Markdown(s.out)
	case "latex":
		return t.LaTeX(s.out)
	case "csv":
		return t.CSV(s.out)
	}
	return t.Terminal(s.out, table.Look{Width: terminalWidth(s.out), Color: colour(s.out)})
}

// options reads the flags that say how to test.
func (c *sufficiencyCommand) options() (sufficiency.Options, error) {
	o := sufficiency.Options{
		Seed: c.Seed, Name: "file", Folds: sufficiency.Folds, Splits: sufficiency.Splits, Method: c.Method,
		Alpha: c.Alpha, Level: 0.95, Threads: runtime.GOMAXPROCS(0),
	}
	if err := spec.CheckFlags(&c.Test); err != nil {
		return o, err
	}
	o.Permutations = c.Permutations
	if c.Budget != nil && !(*c.Budget >= 0 && *c.Budget <= 1) {
		return o, fmt.Errorf("--budget %v: want a share in [0,1]", *c.Budget)
	}
	o.Budget = c.Budget
	if !(c.Alpha > 0 && c.Alpha < 1) {
		return o, fmt.Errorf("--alpha %v: want a level in (0,1)", c.Alpha)
	}
	if len(c.Extra) == 0 && len(c.ExtraPrefix) == 0 {
		return o, errors.New("no extra information to test: name columns with --extra or --extra-prefix")
	}
	return o, nil
}

// extra reports whether a column is part of the extra information.
func (c *sufficiencyCommand) extra(column string) bool {
	return slices.Contains(c.Extra, column) ||
		slices.ContainsFunc(c.ExtraPrefix, func(prefix string) bool { return strings.HasPrefix(column, prefix) })
}
