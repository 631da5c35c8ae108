package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"infnet/harness/dataset/files"
	"infnet/harness/fault"
	"infnet/harness/policy"
	"infnet/harness/policy/deploy"
	"infnet/harness/population"
	"infnet/harness/store"
)

// fitCommand fits thresholds to anybody's logs.
type fitCommand struct {
	columnFlags
	File        string   `arg:"" help:"One row per query: .csv, .tsv, .jsonl (all also .gz) or .parquet."`
	Target      string   `help:"Error budget: master, student, best, min or a performance in [0,1]." default:"best" placeholder:"T"`
	Oracle      bool     `help:"Measure against the master's answers: the master column holds answers and never errs."`
	ClosedForm  bool     `help:"Also the paper's analytic example: thresholds by formula for uniform confidences and errors 1 − δβ, with what is assumed and how far the rows agree."`
	Method      string   `help:"exact, linear, lagrangian or lagrangian-grid." default:"exact" placeholder:"M"`
	Fit         float64  `help:"Share of the rows that fit, in (0,1]; the rest measures what came out. 1 uses all rows." default:"0.8" placeholder:"F"`
	Seed        uint64   `help:"Seed of the draw." default:"42"`
	Guarantee   string   `help:"Promise the error of records not seen yet: ltt (with probability 1 − delta) or crc (on average)." placeholder:"M"`
	Delta       *float64 `help:"With --guarantee ltt: probability that the promise is broken. Default: 0.05." placeholder:"D"`
	Margin      float64  `help:"With --guarantee and a target that names a model: error allowed above that model's." placeholder:"E"`
	MaxCluster  int      `help:"With --guarantee and groups: rows of one group that test at most; larger groups are cut to it. 0 = the largest group of the half that proposes." placeholder:"N"`
	StudentCost string   `help:"What a query costs at the student: a number, or the column that holds it. Default: student_cost, where there is one." placeholder:"COST"`
	MasterCost  string   `help:"The same of the master. Default: master_cost, where there is one." placeholder:"COST"`
	Frontier    string   `help:"Write every optimal trade of errors against deferrals as CSV, with its shadow price and thresholds." placeholder:"FILE"`
	Out         string   `short:"o" help:"Write the thresholds as TOML, ready to deploy." placeholder:"FILE"`
}

func (c *fitCommand) Run(_ context.Context, s *streams) error {
	if err := c.checkFlags(); err != nil {
		return fault.Usage.Wrap(err)
	}
	options, err := c.options()
	if err != nil {
		return fault.Usage.Wrap(err)
	}
	c.oracle = c.Oracle
	if err := errors.Join(c.checkColumns(), c.checkCosts()); err != nil {
		return fault.Usage.Wrap(err)
	}
	columns, rows, err := files.Peek(c.File, 0)
	if err != nil {
		return fault.Data.Wrap(err)
	}
	if parted := partedBy(c.File); parted != "" {
		fmt.Fprintln(s.out, parted)
	}
	found := c.recognise(columns, rows, func(column string) bool { return column == c.StudentCost || column == c.MasterCost })
	if found = append(found, c.recogniseCosts(columns)...); len(found) > 0 {
		fmt.Fprintf(s.out, "Columns recognised: %s.\n", strings.Join(found, ", "))
	}
	l, err := c.read(rows)
	if err == nil {
		err = c.readCosts(l, rows)
	}
	if err != nil {
		return fault.Data.Wrap(fmt.Errorf("%s: %w", c.File, err))
	}
	fit, test, split, err := c.split(l)
	if err != nil {
		return fault.Usage.Wrap(err)
	}
	fitted, err := c.fit(l.pick(fit), options)
	if err == nil {
		fitted, err = c.certify(l, fit, options, fitted)
	}
	if err != nil {
		return fault.Usage.Wrap(err)
	}
	w := tabwriter.NewWriter(s.out, 0, 8, 2, ' ', 0)
	best := fitted[len(fitted)-1]
	fmt.Fprintf(w, "%d rows fit, %d measure. On the fit part the student errs on %s, the master on %s; budget %s (target %s).\n",
		len(fit), len(test), best.Policy.StudentError, best.Policy.MasterError, best.Policy.Budget, best.Policy.Budget.Target)
	if l.soft() {
		fmt.Fprintln(w, "Errors are soft: 1 less the score, a number in [0,1].")
	}
	m, err := c.measure(l, fit, test)
	if err != nil {
		return err
	}
	if err := m.printAUROC(w); err != nil {
		return err
	}
	for _, f := range fitted {
		if err := m.show(w, f); err != nil {
			return err
		}
	}
	for _, d := range l.doubts(&c.columnFlags, columns, rows, fit, test) {
		fmt.Fprintf(w, "\nWarning: %s\n", d.Text)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if c.Frontier != "" {
		if err := c.frontier(s, l, l.pick(fit), options); err != nil {
			return err
		}
	}
	if c.Out == "" {
		return nil
	}
	return c.deploy(s, l, best, split)
}

func (c *fitCommand) options() (policy.Options, error) {
	var o policy.Options
	var err error
	if o.Target, err = policy.ParseTarget(c.Target); err != nil {
		return o, fmt.Errorf("--target: %w", err)
	}
	if err := o.Method.UnmarshalText([]byte(c.Method)); err != nil {
		return o, fmt.Errorf("--method: %w", err)
	}
	if !(c.Fit > 0 && c.Fit <= 1) {
		return o, fmt.Errorf("--fit %v: want a share in (0,1]", c.Fit)
	}
	if c.Oracle {
		o.Setting = policy.Oracle
	}
	return o, nil
}

// named is a fitted policy and what it is called.
type named struct {
	Name    string
	Policy  policy.Policy
	Promise *policy.Guaranteed // nil = none

	Analytic bool // thresholds of an assumed population: nothing is proved of them
}

// fit fits one threshold, and one per class where there are classes.
func (c *fitCommand) fit(r policy.Records, o policy.Options) ([]named, error) {
	single, err := policy.FitSingle(r, o)
	if err != nil {
		return nil, err
	}
	var out []named
	if c.ClosedForm {
		analytic, err := closedForm(r, o, single)
		if err != nil {
			return nil, err
		}
		out = append(out, analytic)
	}
	out = append(out, named{Name: "one threshold", Policy: single})
	if c.Class == "" {
		return out, nil
	}
	if o.Method == policy.Linear {
		o.Method = policy.Exact // linear time is for a single threshold
	}
	multi, err := policy.FitMulti(r, o)
	return append(out, named{Name: "a threshold per class", Policy: multi}), err
}

// closedForm is the policy of the paper's analytic example on these rows: one
// threshold, and how it does on the rows where the exact one is known.
func closedForm(r policy.Records, o policy.Options, exact policy.Policy) (named, error) {
	solution, err := population.FitSingle(r, population.Options{Setting: o.Setting, Target: o.Target, Method: population.UniformLine})
	if err != nil {
		return named{}, fmt.Errorf("closed form: %w", err)
	}
	p := exact
	p.Thresholds, p.Warnings = solution.Thresholds, solution.Warnings
	outcome, err := r.Outcome(p.Decide(r))
	if err != nil {
		return named{}, fmt.Errorf("closed form: %w", err)
	}
	p.FitError, p.FitDeferred = outcome.Error, outcome.Deferred
	p.Feasible = outcome.Error.Units <= p.Budget.Errors.Units
	if !p.Feasible {
		p.Warnings = append(p.Warnings, policy.Warning{Class: -1, Message: fmt.Sprintf("it makes %s errors on the fit part, where %s are allowed", p.FitError, p.Budget.Errors)})
	}
	return named{Name: "closed form", Policy: p, Analytic: true}, nil
}

// show prints a policy, and what it does on rows it was not fitted on.
func (m *measure) show(w io.Writer, f named) error {
	p := f.Policy
	proof := fmt.Sprintf("within %d deferrals of the optimum", p.Certificate.Gap)
	if p.Certificate.Optimal {
		proof = "proven optimal"
	}
	if f.Promise != nil {
		proof = promiseWords(f.Promise)
	}
	if method := string(p.Certificate.Method); f.Analytic {
		fmt.Fprintf(w, "\n%s (%s, nothing proved)\n", f.Name, population.UniformLine)
	} else {
		fmt.Fprintf(w, "\n%s (%s, %s)\n", f.Name, method, proof)
	}
	for k, theta := range p.Thresholds {
		name := "all"
		if len(p.Thresholds) > 1 {
			name = m.classes[k]
		}
		fmt.Fprintf(w, "  %s\tθ = %.6g\n", clean(name), theta)
	}
	fmt.Fprintf(w, "  fit part\t%d of %d deferred\t%s errors\n", p.FitDeferred, p.N, p.FitError)
	for _, warning := range p.Warnings {
		fmt.Fprintf(w, "  note\t%s\n", warning.Message)
	}
	return m.print(w, p)
}

// deploy writes the thresholds.
func (c *fitCommand) deploy(s *streams, l *logs, f named, split string) error {
	about := deploy.About{
		Dataset: c.File, Policy: f.Name,
		Student:     deploy.Model{Name: c.Student, ID: c.Student},
		Master:      deploy.Model{Name: c.Master, ID: c.Master},
		Confidence:  deploy.Confidence{Score: "given"},
		Calibration: deploy.Calibration{Method: "none"},
		Provenance:  deploy.Provenance{Infnet: programVersion(), Split: split},
	}
	d, err := deploy.New(f.Policy, l.classes, about)
	if f.Promise != nil {
		d, err = deploy.NewGuaranteed(*f.Promise, l.classes, about)
	}
	if err != nil {
		return err
	}
	text, err := deploy.Encode(d)
	if err != nil {
		return err
	}
	if err := store.WriteFile(c.Out, text); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "\n%s written: %s\n", c.Out, f.Name)
	return nil
}
