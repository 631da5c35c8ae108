package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/dataset"
	"infnet/harness/dataset/files"
	"infnet/harness/fault"
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

	doubts []string `kong:"-"` // what the rows make a reader ask
}

func (c *sufficiencyCommand) Run(ctx context.Context, s *streams) error {
	o, err := c.options()
	if err == nil {
		err = c.checkColumns()
	}
	if err != nil {
		return fault.Usage.Wrap(err)
	}
	columns, rows, err := files.Peek(c.File, 0)
	if err != nil {
		return fault.Data.Wrap(err)
	}
	found := c.recognise(columns, rows, c.extra)
	in, err := c.input(columns, rows)
	if err != nil {
		return fault.Data.Wrap(fmt.Errorf("%s: %w", c.File, err))
	}
	screen := newScreen(s.err, c.Quiet, c.Log == "json")
	if parted := partedBy(c.File); parted != "" {
		screen.log.Info(parted)
	}
	if len(found) > 0 {
		screen.log.Info(fmt.Sprintf("Columns recognised: %s.", strings.Join(found, ", ")))
	}
	for _, text := range c.doubts {
		screen.log.Warn(text)
	}
	steps := &steps{screen: screen}
	r, err := sufficiency.Run(ctx, in, o, func(_ string, _ sufficiency.Null, done, total int) {
		steps.tell("sufficiency", done, total)
	})
	steps.finish()
	screen.wait()
	if err != nil {
		return fault.Data.Wrap(fmt.Errorf("%s: %w", c.File, err))
	}
	return c.print(s, c.result(r, o))
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

// input turns rows into the test's columns.
func (c *sufficiencyCommand) input(columns []dataset.Column, rows []map[string]any) (sufficiency.Input, error) {
	l, err := c.read(rows)
	if err != nil {
		return sufficiency.Input{}, err
	}
	for _, d := range l.doubts(&c.columnFlags, nil, rows, nil, nil) {
		c.doubts = append(c.doubts, d.Text)
	}
	in := sufficiency.Input{
		IDs: l.ids, Beta: l.records.Beta, Class: l.records.Class, StudentErr: l.records.Student, MasterErr: l.records.Master,
	}
	in.Groups = l.groups
	if len(c.Extra) > 0 {
		set, err := numbers(strings.Join(c.Extra, ", "), c.Extra, c.outcomes(), rows)
		if err != nil {
			return in, err
		}
		in.Sets = append(in.Sets, set)
	}
	for _, prefix := range c.ExtraPrefix {
		var names []string
		for _, column := range columns {
			if _, whole := rows[0][column.Path]; whole && strings.HasPrefix(column.Path, prefix) {
				names = append(names, column.Path)
			}
		}
		if len(names) == 0 {
			return in, fmt.Errorf("no column begins with %q", prefix)
		}
		set, err := numbers(prefix+"…", names, c.outcomes(), rows)
		if err != nil {
			return in, err
		}
		in.Sets = append(in.Sets, set)
	}
	return in, nil
}

// outcomes are the columns of what is known only after the decision. With a
// reference the student's column is its answer, which is known.
func (c *sufficiencyCommand) outcomes() []string {
	if c.Reference != "" {
		return []string{c.Master, c.Reference}
	}
	return []string{c.Student, c.Master}
}

// numbers reads columns of numbers as one set. A column of lists, such as an
// embedding, is one column per place.
//
// outcomes are the columns that are known only afterwards.
func numbers(name string, columns, outcomes []string, rows []map[string]any) (sufficiency.Set, error) {
	set := sufficiency.Set{Name: name}
	for k, column := range columns {
		if slices.Contains(outcomes, column) {
			return set, fmt.Errorf("column %q says how the query ended, which nobody knows when deciding: it cannot be extra information", column)
		}
		if slices.Contains(columns[:k], column) {
			return set, fmt.Errorf("column %q is named twice", column)
		}
		first, isList := rows[0][column].([]any)
		if !isList {
			first = []any{nil}
		}
		at := len(set.Columns)
		for place := range first {
			title := column
			if isList {
				title = fmt.Sprintf("%s[%d]", column, place)
			}
			set.Columns = append(set.Columns, sufficiency.Column{Name: title, Values: make([]float64, len(rows))})
		}
		for i, row := range rows {
			text, err := cell(row, column, i+1)
			if err != nil {
				return set, err
			}
			if !isList {
				if set.Columns[at].Values[i], err = finite(text, i+1, column); err != nil {
					return set, err
				}
				continue
			}
			list, ok := row[column].([]any)
			if !ok || len(list) != len(first) {
				return set, fmt.Errorf("row %d: column %q is no list of %d numbers, as in row 1", i+1, column, len(first))
			}
			for place, v := range list {
				if set.Columns[at+place].Values[i], err = finite(fmt.Sprint(v), i+1, column); err != nil {
					return set, err
				}
			}
		}
	}
	return set, nil
}

// finite reads a number that 32 bits hold; true is 1 and false 0.
func finite(text string, row int, column string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		var truth bool
		if truth, err = strconv.ParseBool(text); truth {
			v = 1
		}
	}
	if err != nil || math.IsNaN(v) || math.Abs(v) > math.MaxFloat32 {
		return 0, fmt.Errorf("row %d: column %q holds %.40q, which is no finite number of 32 bits; J is made of numbers: fill it, drop the row, or give categories a column of 0 and 1 each", row, column, text)
	}
	return v, nil
}

// result puts the test into the form that reports read.
func (c *sufficiencyCommand) result(r sufficiency.Result, o sufficiency.Options) *result.Study {
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
		Cascades: []result.Cascade{{Name: c.File, Models: []string{c.Student, c.Master}, Datasets: []result.Dataset{{Name: c.File, Sufficiency: q}}}},
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
