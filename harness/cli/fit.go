package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/alecthomas/kong"

	"infnet/harness/fault"
	"infnet/harness/fitting"
	"infnet/harness/outcomes"
	"infnet/harness/policy"
	"infnet/harness/policy/guarantee"
	"infnet/harness/pool"
	"infnet/harness/spec"
	"infnet/harness/store"
	"infnet/reports"
)

// fitCommand fits thresholds to logs from any source.
type fitCommand struct {
	columnFlags
	File              string           `arg:"" help:"One row per query: .csv, .tsv, .jsonl (all also .gz) or .parquet."`
	Target            string           `help:"Error budget: master, student, best, min or a performance in [0,1]." default:"best" placeholder:"T"`
	Oracle            bool             `help:"Measure against the master's answers: the master column holds answers and never errs."`
	Method            policy.Method    `help:"exact, linear, lagrangian or lagrangian-grid." default:"exact" placeholder:"M"`
	Fit               float64          `help:"Share of the rows that fit, in (0,1]; the rest measures what came out. 1 uses all rows." default:"0.8" placeholder:"F"`
	Seed              uint64           `help:"Seed of the draw." default:"42"`
	Guarantee         guarantee.Method `help:"Promise the error of records not seen yet: ltt (with probability 1 − delta) or crc (on average)." placeholder:"M"`
	Delta             *float64         `help:"With --guarantee ltt: probability that the promise is broken. Default: 0.05." placeholder:"D"`
	Margin            float64          `help:"With --guarantee and a target that names a model: error allowed above that model's." placeholder:"E"`
	MaxCluster        int              `help:"With --guarantee and groups, where it is needed: the most rows that a group can have by its nature. The promise is about such groups; a larger one is an error." placeholder:"N"`
	StudentCost       string           `help:"What a query costs at the student: a number, or the column that holds it. Default: student_cost, where there is one." placeholder:"COST"`
	MasterCost        string           `help:"The same of the master. Default: master_cost, where there is one." placeholder:"COST"`
	Frontier          string           `help:"Write every optimal trade of errors against deferrals as CSV, with its shadow price and thresholds." placeholder:"FILE"`
	policy.ErrorPrice `embed:""`
	Out               string `short:"o" help:"Write the thresholds as TOML, ready to deploy." placeholder:"FILE"`
}

// AfterApply refuses a price of 0, which reads like none: kong alone knows that the flag was given.
func (c *fitCommand) AfterApply(k *kong.Context) error {
	given := slices.ContainsFunc(k.Path, func(p *kong.Path) bool { return p.Flag != nil && p.Flag.Name == "error-cost" })
	if given && c.ErrorCost == 0 {
		return errors.New("--error-cost: want more than 0, up to 1e12, got 0; without a price leave it out")
	}
	return nil
}

func (c *fitCommand) Run(_ context.Context, s *streams) error {
	options, columns, err := c.options()
	if err != nil {
		return fault.Usage.Wrap(err)
	}
	file, err := outcomes.Open(c.File)
	if err != nil {
		return err
	}
	var found bytes.Buffer // below the verdict, or above an error that they explain
	sayLog(append(file.Recognise(&columns, nil), file.RecogniseCosts(&columns)...),
		func(text string) { fmt.Fprintln(&found, text) })
	log, err := file.Read(columns)
	var r *fitting.Result
	if err == nil {
		log.Shed()
		r, err = fitting.Fit(log, options)
	}
	if err == nil {
		err = reports.WriteVerdict(s.out, r)
	}
	if _, missed := found.WriteTo(s.out); err != nil || missed != nil {
		return errors.Join(err, missed)
	}
	if err := reports.WriteFit(s.out, r); err != nil {
		return err
	}
	if err := c.frontier(s, r, options.Options); err != nil {
		return err
	}
	return c.deploy(s, r)
}

// frontier writes the frontier if requested.
func (c *fitCommand) frontier(s *streams, r *fitting.Result, o policy.Options) error {
	if c.Frontier == "" {
		return nil
	}
	points, n, err := r.Frontier(o)
	if err != nil {
		return err
	}
	err = store.WriteTo(c.Frontier, func(w io.Writer) error { return reports.WriteFrontier(w, r.Log.Classes, points) })
	if err != nil {
		return elsewhere(err, "--frontier")
	}
	_, err = fmt.Fprintf(s.out, "\n%s written: %d points of the frontier\n", c.Frontier, n)
	return err
}

// deploy writes the thresholds if requested.
func (c *fitCommand) deploy(s *streams, r *fitting.Result) error {
	if c.Out == "" {
		return nil
	}
	text, err := r.Deployment(programVersion())
	if err != nil {
		return err
	}
	if err := store.WriteFile(c.Out, text); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "\n%s written: %s\n", c.Out, r.Best().Name)
	return err
}

// options reads the flags. Those that would lose a file, or would be ignored, are refused.
func (c *fitCommand) options() (o fitting.Options, columns outcomes.Columns, err error) {
	if err := c.checkFlags(); err != nil {
		return o, columns, err
	}
	if o.Target, err = policy.ParseTarget(c.Target); err != nil {
		return o, columns, fmt.Errorf("--target: %w", err)
	}
	if !(c.Fit > 0 && c.Fit <= 1) {
		return o, columns, fmt.Errorf("--fit %v: want a share in (0,1]", c.Fit)
	}
	o.Method, o.Share, o.Seed, o.Margin = c.Method, c.Fit, c.Seed, pool.Margin
	if c.Oracle {
		o.Setting = policy.Oracle
	}
	if c.Guarantee != "" {
		o.Guarantee = &guarantee.Terms{Method: c.Guarantee, Margin: c.Margin, MaxCluster: c.MaxCluster}
		if c.Delta != nil {
			o.Guarantee.Delta = *c.Delta
		} else if c.Guarantee == guarantee.LearnThenTest {
			o.Guarantee.Delta = guarantee.DefaultDelta
		}
	}
	if err := spec.CheckFlags(&c.ErrorPrice); err != nil {
		return o, columns, err
	}
	o.ErrorPrice = c.ErrorPrice
	columns = c.columns()
	columns.Oracle, columns.StudentCost, columns.MasterCost = c.Oracle, c.StudentCost, c.MasterCost
	return o, columns, columns.Check()
}

// checkFlags refuses flags that would lose a file, or would be ignored.
func (c *fitCommand) checkFlags() error {
	files := []string{c.File, c.Out, c.Frontier}
	for i, a := range files {
		for _, b := range files[i+1:] {
			if a != "" && b != "" && sameFile(a, b) {
				return fmt.Errorf("%s and %s are the same file, and one would overwrite the other: name another", a, b)
			}
		}
	}
	switch {
	case c.Guarantee == "" && c.Margin != 0:
		return errors.New("--margin does nothing without --guarantee: add --guarantee ltt, or leave it out")
	case c.Delta != nil && c.Guarantee != guarantee.LearnThenTest:
		return fmt.Errorf("--delta does nothing without --guarantee %s: add it, or leave --delta out",
			guarantee.LearnThenTest)
	case c.Delta != nil && !(*c.Delta > 0 && *c.Delta < 1):
		return fmt.Errorf("--delta %v: want a probability above 0 and below 1", *c.Delta)
	case c.MaxCluster < 0:
		return fmt.Errorf("--max-cluster %d: want the most rows that a group can have, 1 or more",
			c.MaxCluster)
	case c.MaxCluster > 0 && c.Guarantee == "":
		return errors.New("--max-cluster does nothing without --guarantee: add it, or leave --max-cluster out")
	case c.Out == "-" || c.Frontier == "-":
		return errors.New("- is no file: standard output is for people here; name a file, such as thresholds.toml")
	}
	return nil
}

// sameFile reports whether two paths name one file, there or to be.
func sameFile(a, b string) bool {
	if x, err := os.Stat(a); err == nil {
		if y, err := os.Stat(b); err == nil && os.SameFile(x, y) {
			return true
		}
	}
	x, errX := filepath.Abs(a)
	y, errY := filepath.Abs(b)
	return errX == nil && errY == nil && x == y
}
