package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"infnet/harness/dataset/files"
	"infnet/harness/policy"
	"infnet/harness/seed"
	"infnet/harness/store"
	"infnet/metrics/infer"
)

// fitCommand fits thresholds to anybody's logs.
type fitCommand struct {
	File       string   `arg:"" help:"One row per query: .csv, .tsv, .jsonl (all also .gz) or .parquet."`
	Target     string   `help:"Error budget: master, student, best, min or a performance in [0,1]." default:"best" placeholder:"T"`
	Confidence string   `help:"Column of the student's confidence in [0,1]. Default: confidence, beta or score." placeholder:"COL"`
	Class      string   `help:"Column of the class the student chose; fits a threshold per class too. Default: class, label or prediction, where there is one." placeholder:"COL"`
	Student    string   `help:"Column that says whether the student is right (1, 0, true, false), or with a reference its answer. Default: student, student_correct, …" placeholder:"COL"`
	Master     string   `help:"The same of the master. Default: master, master_correct, …" placeholder:"COL"`
	Reference  string   `help:"Column of the right answer: answers equal to it are right. Default, where student holds answers: reference, gold or answer." placeholder:"COL"`
	Single     bool     `help:"Fit one threshold alone, also where there is a column of classes."`
	Oracle     bool     `help:"Measure against the master's answers: the master column holds answers and never errs."`
	ID         string   `help:"Column of the query's id, by which fit and test part are drawn. Default: the row number." placeholder:"COL"`
	Method     string   `help:"exact, linear, lagrangian or lagrangian-grid." default:"exact" placeholder:"M"`
	Fit        float64  `help:"Share of the rows that fit, in (0,1]; the rest measures what came out. 1 uses all rows." default:"0.8" placeholder:"F"`
	Seed       uint64   `help:"Seed of the draw." default:"42"`
	Guarantee  string   `help:"Promise the error of records not seen yet: ltt (with probability 1 − delta) or crc (on average)." placeholder:"M"`
	Delta      *float64 `help:"With --guarantee ltt: probability that the promise is broken. Default: 0.05." placeholder:"D"`
	Margin     float64  `help:"With --guarantee and a target that names a model: error allowed above that model's." placeholder:"E"`
	Frontier   string   `help:"Write every optimal trade of errors against deferrals as CSV, with its shadow price and thresholds." placeholder:"FILE"`
	Out        string   `short:"o" help:"Write the thresholds as TOML, ready to deploy." placeholder:"FILE"`
}

// logs are the rows of a file as policies see them.
type logs struct {
	ids     []string
	classes []string // names in index order
	records policy.Records

	students, masters, golds []string // answers, where there is a column of references
}

func (c *fitCommand) Run(_ context.Context, s *streams) error {
	if err := c.checkFlags(); err != nil {
		return withCode(ExitUsage, err)
	}
	options, err := c.options()
	if err != nil {
		return withCode(ExitUsage, err)
	}
	if c.Single && c.Class != "" {
		return withCode(ExitUsage, fmt.Errorf("--single and --class: a threshold per class is what --single leaves out"))
	}
	columns, rows, err := files.Peek(c.File, 0)
	if err != nil {
		return withCode(ExitData, err)
	}
	if parted := partedBy(c.File); parted != "" {
		fmt.Fprintln(s.out, parted)
	}
	if found := c.recognise(columns, rows); len(found) > 0 {
		fmt.Fprintf(s.out, "Columns recognised: %s.\n", strings.Join(found, ", "))
	}
	l, err := c.read(rows)
	if err != nil {
		return withCode(ExitData, fmt.Errorf("%s: %w", c.File, err))
	}
	fit, test, split, err := c.split(l)
	if err != nil {
		return withCode(ExitUsage, err)
	}
	fitted, err := c.fit(l.pick(fit), options)
	if err == nil {
		fitted, err = c.certify(l, fit, options, fitted)
	}
	if err != nil {
		return withCode(ExitUsage, err)
	}
	w := tabwriter.NewWriter(s.out, 0, 8, 2, ' ', 0)
	best := fitted[len(fitted)-1]
	fmt.Fprintf(w, "%d rows fit, %d measure. On the fit part the student errs on %s, the master on %s; budget %s (target %s).\n",
		len(fit), len(test), best.Policy.StudentError, best.Policy.MasterError, best.Policy.Budget, best.Policy.Budget.Target)
	for _, f := range fitted {
		if err := l.print(w, f, test); err != nil {
			return err
		}
	}
	for _, d := range l.doubts(c, columns, rows, fit, test) {
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

// read turns rows into columns.
func (c *fitCommand) read(rows []map[string]any) (*logs, error) {
	l := &logs{}
	index, seen := map[string]int{}, map[string]int{}
	for i, row := range rows {
		get := func(column string) (string, error) { return cell(row, column, i+1) }
		id := strconv.Itoa(i + 1)
		var err error
		if c.ID != "" {
			if id, err = get(c.ID); err != nil {
				return nil, err
			}
			if before, again := seen[id]; again {
				return nil, fmt.Errorf("row %d has the id %q of row %d: a query counts once; leave one out, or name another column with --id", i+1, id, before)
			}
			seen[id] = i + 1
		}
		text, err := get(c.Confidence)
		if err != nil {
			return nil, err
		}
		beta, err := unitNumber(text)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
		student, master, err := c.errors(get, i+1)
		if err != nil {
			return nil, err
		}
		if c.Reference != "" {
			l.answers(c, get)
		}
		if c.Class != "" {
			name, err := get(c.Class)
			if err != nil {
				return nil, err
			}
			if _, ok := index[name]; !ok {
				index[name] = len(l.classes)
				l.classes = append(l.classes, name)
			}
			l.records.Class = append(l.records.Class, index[name])
		}
		l.ids = append(l.ids, id)
		l.records.Beta = append(l.records.Beta, beta)
		l.records.Student = append(l.records.Student, student)
		if !c.Oracle {
			l.records.Master = append(l.records.Master, master)
		}
	}
	l.records.Classes = len(l.classes)
	return l, nil
}

// errors returns both models' errors on a row.
func (c *fitCommand) errors(get func(string) (string, error), row int) (student, master float64, err error) {
	s, err := get(c.Student)
	if err != nil {
		return 0, 0, err
	}
	m, err := get(c.Master)
	if err != nil {
		return 0, 0, err
	}
	switch {
	case c.Oracle:
		return wrong(s == m), 0, nil
	case c.Reference != "":
		r, err := get(c.Reference)
		return wrong(s == r), wrong(m == r), err
	}
	right := func(column, text string) bool {
		v, e := strconv.ParseBool(text)
		if e != nil && err == nil {
			err = fmt.Errorf("row %d, column %q: %q is neither 1 nor 0, true nor false; name the column of the right answers with --reference if these are answers", row, column, text)
		}
		return v
	}
	return wrong(right(c.Student, s)), wrong(right(c.Master, m)), err
}

func wrong(right bool) float64 {
	if right {
		return 0
	}
	return 1
}

// cell returns a row's value as text.
func cell(row map[string]any, column string, number int) (string, error) {
	v, ok := row[column]
	if r := (files.Row{Values: row}); !ok && r.Has(column) {
		text, err := r.Text(column)
		if err != nil {
			return "", fmt.Errorf("row %d: %w", number, err)
		}
		return text, nil
	}
	if !ok {
		var names []string
		for name := range row {
			names = append(names, name)
		}
		slices.Sort(names)
		return "", fmt.Errorf("row %d has no column %q; there are %s", number, column, strings.Join(names, ", "))
	}
	if v == nil {
		return "", fmt.Errorf("row %d: column %q is empty", number, column)
	}
	return fmt.Sprint(v), nil
}

// split draws the fit and the test part.
func (c *fitCommand) split(l *logs) (fit, test []int, hash string, err error) {
	items := make([]seed.Item, len(l.ids))
	for i, id := range l.ids {
		items[i] = seed.Item{ID: id, Class: -1}
		fit = append(fit, i)
	}
	if c.Fit == 1 {
		return fit, nil, "", nil
	}
	parts, err := seed.Split(seed.SplitOptions{Seed: c.Seed, Name: "fit", Fit: c.Fit}, items)
	return parts.Fit, parts.Test, parts.Graph.Hash, err
}

// pick returns the columns of some rows.
func (l *logs) pick(rows []int) policy.Records {
	r := policy.Records{Classes: l.records.Classes}
	for _, i := range rows {
		r.Beta = append(r.Beta, l.records.Beta[i])
		r.Student = append(r.Student, l.records.Student[i])
		if l.records.Class != nil {
			r.Class = append(r.Class, l.records.Class[i])
		}
		if l.records.Master != nil {
			r.Master = append(r.Master, l.records.Master[i])
		}
	}
	return r
}

// named is a fitted policy and what it is called.
type named struct {
	Name    string
	Policy  policy.Policy
	Promise *policy.Guaranteed // nil = none
}

// fit fits one threshold, and one per class where there are classes.
func (c *fitCommand) fit(r policy.Records, o policy.Options) ([]named, error) {
	single, err := policy.FitSingle(r, o)
	if err != nil {
		return nil, err
	}
	out := []named{{Name: "one threshold", Policy: single}}
	if c.Class == "" {
		return out, nil
	}
	if o.Method == policy.Linear {
		o.Method = policy.Exact // linear time is for a single threshold
	}
	multi, err := policy.FitMulti(r, o)
	return append(out, named{Name: "a threshold per class", Policy: multi}), err
}

// print shows a policy, and what it does on rows it was not fitted on.
func (l *logs) print(w io.Writer, f named, test []int) error {
	p := f.Policy
	proof := fmt.Sprintf("within %d deferrals of the optimum", p.Certificate.Gap)
	if p.Certificate.Optimal {
		proof = "proven optimal"
	}
	if f.Promise != nil {
		proof = promiseWords(f.Promise)
	}
	fmt.Fprintf(w, "\n%s (%s, %s)\n", f.Name, p.Certificate.Method, proof)
	for k, theta := range p.Thresholds {
		name := "all"
		if len(p.Thresholds) > 1 {
			name = l.classes[k]
		}
		fmt.Fprintf(w, "  %s\tθ = %.6g\n", clean(name), theta)
	}
	fmt.Fprintf(w, "  fit part\t%d of %d deferred\t%s errors\n", p.FitDeferred, p.N, p.FitError)
	for _, warning := range p.Warnings {
		fmt.Fprintf(w, "  note\t%s\n", warning.Message)
	}
	if len(test) == 0 {
		return nil
	}
	r := l.pick(test)
	outcome, err := r.Outcome(p.Decide(r))
	if err != nil {
		return err
	}
	deferred, err := infer.ClopperPearson(outcome.Deferred, outcome.N, 0.95)
	if err != nil {
		return err
	}
	errs, err := infer.ClopperPearson(int(outcome.Error.Float()), outcome.N, 0.95)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "  test part\t%.1f %% deferred [%.1f, %.1f]\t%.1f %% errors [%.1f, %.1f]\n",
		100*deferred.Value, 100*deferred.Low, 100*deferred.High, 100*errs.Value, 100*errs.Low, 100*errs.High)
	return nil
}

// deploy writes the thresholds.
func (c *fitCommand) deploy(s *streams, l *logs, f named, split string) error {
	deploy := f.Policy.Deploy
	if f.Promise != nil {
		deploy = f.Promise.Deploy
	}
	d, err := deploy(l.classes, policy.About{
		Dataset: c.File, Policy: f.Name,
		Student:     policy.DeployedModel{Name: c.Student, ID: c.Student},
		Master:      policy.DeployedModel{Name: c.Master, ID: c.Master},
		Confidence:  policy.DeployedConfidence{Score: "given"},
		Calibration: policy.DeployedCalibration{Method: "none"},
		Provenance:  policy.Provenance{Infnet: programVersion(), Split: split},
	})
	if err != nil {
		return err
	}
	text, err := policy.EncodeDeployment(d)
	if err != nil {
		return err
	}
	if err := store.WriteFile(c.Out, text); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "\n%s written: %s\n", c.Out, f.Name)
	return nil
}
