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
	"infnet/reports"
	"infnet/reports/table"
	"infnet/sufficiency"
	"infnet/sufficiency/gbdt"
	"infnet/sufficiency/pcm"
	"infnet/sufficiency/permute"
)

// sufficiencyCommand tests anybody's columns.
type sufficiencyCommand struct {
	columnFlags
	File         string   `arg:"" help:"One row per query: .csv, .tsv, .jsonl (all also .gz) or .parquet."`
	Extra        []string `help:"Columns of the extra information J, numbers all: a,b,c; a comma in a name is written \\,." placeholder:"COLS"`
	ExtraPrefix  []string `help:"All columns whose names begin so, as one J; several prefixes, several rows of the table." placeholder:"P"`
	Budget       *float64 `help:"Share of errors allowed when J is priced, in [0,1]. Default: that of the better model." placeholder:"B"`
	Learner      string   `help:"hist or exact." default:"hist" placeholder:"L"`
	Folds        int      `help:"Folds of the cross-fitting." default:"5" placeholder:"N"`
	Method       string   `help:"pcm (projected covariance measure), conditional (permutation of J among neighbours in β) or plain (permutation of J anywhere, as the paper)." default:"pcm" placeholder:"M"`
	Splits       *int     `help:"pcm: random halves, whose p-values are combined. Default: 8." placeholder:"N"`
	Permutations *int     `help:"conditional, plain: shuffles at most; p is never below 1/(N + 1). Default: 199." placeholder:"N"`
	Stratum      *int     `help:"conditional: neighbours in β among which rows move. Default: 8." placeholder:"N"`
	Stop         *int     `help:"conditional, plain: end a test when so many shuffles reach the observed statistic. Default: never." placeholder:"N"`
	Power        int      `help:"Planted studies per strength in the search for the smallest effect the test would see; 0 is no search." default:"0" placeholder:"N"`
	Alpha        float64  `help:"Level of a finding, in (0,1)." default:"0.05" placeholder:"A"`
	Seed         uint64   `help:"Seed of folds, halves, shuffles and resamples." default:"42"`
	Format       string   `help:"How the table is printed: text, markdown, latex, csv or json." enum:"text,markdown,latex,csv,json" default:"text"`
	Jobs         int      `help:"CPU threads. 0 is all." default:"0" placeholder:"N"`
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
	screen := newScreen(s.err, c.Quiet, c.Log == "json")
	sayLog(file, found, func(text string) { screen.log.Info(text) })
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

// options reads the flags that say how to test.
func (c *sufficiencyCommand) options() (sufficiency.Options, error) {
	o := sufficiency.Options{
		Seed: c.Seed, Name: "file", Folds: c.Folds, Learner: gbdt.Options{Trees: sufficiencyTrees, Depth: sufficiencyDepth},
		Alpha: c.Alpha, Power: c.Power, Level: 0.95, Threads: c.Jobs,
	}
	if c.Jobs == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if err := o.Learner.Learner.UnmarshalText([]byte(c.Learner)); err != nil {
		return o, fmt.Errorf("--learner: %w", err)
	}
	if err := c.method(&o); err != nil {
		return o, err
	}
	for _, x := range []struct {
		flag  string
		value int
		least int
	}{{"folds", c.Folds, 2}, {"power", c.Power, 0}, {"jobs", c.Jobs, 0}} {
		if x.value < x.least {
			return o, fmt.Errorf("--%s %d: want %d or more", x.flag, x.value, x.least)
		}
	}
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

// method reads the flags of the method; those of another are refused.
func (c *sufficiencyCommand) method(o *sufficiency.Options) error {
	if err := o.Method.UnmarshalText([]byte(c.Method)); err != nil {
		return fmt.Errorf("--method: %w", err)
	}
	o.Permutations, o.Stratum, o.Splits = 199, permute.DefaultStratum, pcm.DefaultSplits
	for _, x := range []struct {
		flag  string
		given *int
		least int
		to    *int
		of    []sufficiency.Method
	}{
		{"splits", c.Splits, 1, &o.Splits, []sufficiency.Method{sufficiency.PCM}},
		{"permutations", c.Permutations, 1, &o.Permutations, []sufficiency.Method{sufficiency.Conditional, sufficiency.Plain}},
		{"stop", c.Stop, 0, &o.Stop, []sufficiency.Method{sufficiency.Conditional, sufficiency.Plain}},
		{"stratum", c.Stratum, 2, &o.Stratum, []sufficiency.Method{sufficiency.Conditional}},
	} {
		switch {
		case x.given == nil:
		case !slices.Contains(x.of, o.Method):
			return fmt.Errorf("--%s: the method %s has none; leave it out, or add --method %s", x.flag, o.Method, x.of[0])
		case *x.given < x.least:
			return fmt.Errorf("--%s %d: want %d or more", x.flag, *x.given, x.least)
		default:
			*x.to = *x.given
		}
	}
	return nil
}

// The trees of the command: scikit-learn's defaults, as in the paper.
const (
	sufficiencyTrees = 100
	sufficiencyDepth = 3
)

// extra reports whether a column is part of the extra information.
func (c *sufficiencyCommand) extra(column string) bool {
	return slices.Contains(c.Extra, column) ||
		slices.ContainsFunc(c.ExtraPrefix, func(prefix string) bool { return strings.HasPrefix(column, prefix) })
}

// input is the log with its covariates.
func (c *sufficiencyCommand) input(l *outcomes.Log) (sufficiency.Input, error) {
	in := sufficiency.Input{
		IDs: l.IDs, Groups: l.Groups, Beta: l.Records.Beta, Class: l.Records.Class, StudentErr: l.Records.Student, MasterErr: l.Records.Master,
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
func (c *sufficiencyCommand) result(r sufficiency.Result, o sufficiency.Options, columns outcomes.Columns) *result.Study {
	q := &result.Sufficiency{
		Records: r.Records, Folds: r.Folds, Learner: o.Learner.Learner.String(), Trees: o.Learner.Trees, Depth: o.Learner.Depth,
		Method: o.Method.String(), Alpha: o.Alpha, Rows: r.Rows,
	}
	if o.Method == sufficiency.PCM {
		q.Splits = o.Splits
	} else {
		q.Permutations, q.Stop, q.Smallest = o.Permutations, o.Stop, permute.Smallest(o.Permutations)
	}
	for _, w := range r.Warnings {
		q.Notes = append(q.Notes, result.Note{Kind: "permutations", Text: w.Error()})
	}
	return &result.Study{
		Version: result.Version, Name: c.File, Seed: c.Seed, Level: o.Level, Spec: result.Provenance{Program: programVersion()},
		Cascades: []result.Cascade{{Name: c.File, Models: []string{columns.Student, columns.Master}, Datasets: []result.Dataset{{Name: c.File, Sufficiency: q}}}},
	}
}

// print writes the table in the format asked for.
func (c *sufficiencyCommand) print(s *streams, study *result.Study) error {
	if c.Format == "json" {
		b, err := json.MarshalIndent(study.Cascades[0].Datasets[0].Sufficiency, "", "  ")
		if err == nil {
			_, err = s.out.Write(append(b, '\n'))
		}
		return err
	}
	t, ok := reports.Sufficiency(study)
	if !ok {
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
