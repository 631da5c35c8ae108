package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/dataset"
	"infnet/harness/policy"
	"infnet/harness/seed"
	"infnet/metrics"
	"infnet/metrics/infer"
)

// recogniseCosts fills in the columns of costs that no flag names.
func (c *fitCommand) recogniseCosts(columns []dataset.Column) (found []string) {
	if c.StudentCost != "" || c.MasterCost != "" {
		return nil
	}
	named := func(names []string) string {
		for _, name := range names {
			for _, col := range columns {
				if strings.EqualFold(col.Path, name) {
					return col.Path
				}
			}
		}
		return ""
	}
	if s, m := named(studentCostNames), named(masterCostNames); s != "" && m != "" {
		c.StudentCost, c.MasterCost = s, m
		found = []string{"student cost = " + clean(s), "master cost = " + clean(m)}
	}
	return found
}

// readCosts reads what every query costs, where that is known.
func (c *fitCommand) readCosts(l *logs, rows []map[string]any) error {
	if c.StudentCost == "" {
		return nil
	}
	for k, given := range []string{c.StudentCost, c.MasterCost} {
		constant, err := strconv.ParseFloat(given, 64)
		for i, row := range rows {
			v := constant
			if err != nil {
				text, err := cell(row, given, i+1)
				if err != nil {
					return err
				}
				if v, err = costOf(text); err != nil {
					return fmt.Errorf("row %d, column %q: %w", i+1, given, err)
				}
			}
			l.costs[k] = append(l.costs[k], v)
		}
	}
	if slices.Max(l.costs[1]) == 0 {
		return fmt.Errorf("the master costs nothing on any row: there is nothing to save; leave the costs out")
	}
	return nil
}

// checkCosts refuses costs that are no costs, and one without the other.
func (c *fitCommand) checkCosts() error {
	if (c.StudentCost == "") != (c.MasterCost == "") {
		return fmt.Errorf("--student-cost and --master-cost belong together: give both, in one unit")
	}
	for _, given := range []string{c.StudentCost, c.MasterCost} {
		if _, err := strconv.ParseFloat(given, 64); err == nil {
			if _, err := costOf(given); err != nil {
				return err
			}
		}
	}
	return nil
}

func costOf(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 1) {
		return 0, fmt.Errorf("cost %q: want a finite number of 0 or more", text)
	}
	return v, nil
}

// soft reports whether some error is neither 0 nor 1.
func (l *logs) soft() bool {
	for _, col := range [][]float64{l.records.Student, l.records.Master} {
		if slices.ContainsFunc(col, func(e float64) bool { return e != 0 && e != 1 }) {
			return true
		}
	}
	return false
}

// measure is what policies are measured on: the test part, or the fit part
// where all rows fit.
type measure struct {
	*logs
	part      string
	rows      []int
	records   policy.Records
	resamples *infer.Resamples // of whole groups
	grouped   bool
}

func (c *fitCommand) measure(l *logs, fit, test []int) (*measure, error) {
	m := &measure{logs: l, part: "test part", rows: test}
	if len(test) == 0 {
		m.part, m.rows = "fit part", fit
	}
	m.records = l.pick(m.rows)
	groups := make([]string, len(m.rows))
	for k, i := range m.rows {
		groups[k] = l.group(i)
	}
	m.grouped = l.clusters(m.rows) != nil
	var err error
	m.resamples, err = infer.NewResamples(seed.Stream(c.Seed, "bootstrap", "fit"), groups, infer.Options{})
	return m, err
}

// printAUROC shows how well the confidence tells right answers from wrong ones.
func (m *measure) printAUROC(w io.Writer) error {
	right := make([]bool, len(m.rows))
	for k, e := range m.records.Student {
		right[k] = e < 0.5
	}
	what := "the student is right"
	if m.soft() {
		what = "the student's score is above 0.5"
	}
	r := metrics.NewRanking(m.records.Beta, right)
	value := r.AUROC(nil)
	if math.IsNaN(value) {
		fmt.Fprintf(w, "AUROC of the confidence: none, as every answer of the %s is of one kind (%s, or not).\n", m.part, what)
		return nil
	}
	iv, err := m.resamples.IntervalWhereDefined(value, m.resamples.Each(r.AUROC))
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "AUROC of the confidence for %q on the %s: %.3f [%.3f, %.3f]; 0.5 tells nothing.\n", what, m.part, iv.Value, iv.Low, iv.High)
	return nil
}

// rate is the interval of a share: exact where rows are independent and the
// values are 0 and 1, else over resamples.
func (m *measure) rate(x []float64) (infer.Interval, error) {
	hits := 0
	for _, v := range x {
		if v != 0 && v != 1 || m.grouped {
			return m.resamples.RateOf(x)
		}
		hits += int(v)
	}
	return infer.ClopperPearson(hits, len(x), 0.95)
}

// print shows what a policy does on the rows it is measured on.
func (m *measure) print(w io.Writer, p policy.Policy) error {
	decisions := p.Decide(m.records)
	errs, deferred := make([]float64, len(m.rows)), make([]float64, len(m.rows))
	for k, d := range decisions {
		errs[k] = m.records.Student[k]
		if d {
			deferred[k], errs[k] = 1, 0
			if m.records.Master != nil {
				errs[k] = m.records.Master[k]
			}
		}
	}
	share, err := m.rate(deferred)
	if err != nil {
		return err
	}
	lost, err := m.rate(errs)
	if err != nil {
		return err
	}
	if m.part == "test part" {
		word := "errors"
		if m.soft() {
			word = "error (soft: 1 − score)"
		}
		fmt.Fprintf(w, "  test part\t%.1f %% deferred [%.1f, %.1f]\t%.1f %% %s [%.1f, %.1f]\n",
			100*share.Value, 100*share.Low, 100*share.High, 100*lost.Value, word, 100*lost.Low, 100*lost.High)
	}
	return m.printCost(w, deferred, share.Value)
}

// printCost shows what a policy costs, each query at its own cost, and warns
// where the master alone is cheaper.
func (m *measure) printCost(w io.Writer, deferred []float64, share float64) error {
	if m.costs[0] == nil {
		return nil
	}
	paid, alone := make([]float64, len(m.rows)), make([]float64, len(m.rows))
	var student, master, total float64
	for k, i := range m.rows {
		alone[k] = m.costs[1][i]
		paid[k] = m.costs[0][i] + float64(deferred[k]*alone[k])
		student += m.costs[0][i]
		master += alone[k]
		total += paid[k]
	}
	n := float64(len(m.rows))
	if master == 0 {
		fmt.Fprintf(w, "  cost\t%.6g a query; the master costs nothing on the %s, so no saving can be stated\n", total/n, m.part)
		return nil
	}
	saved, err := m.resamples.Saved(paid, alone)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "  cost\t%.6g a query on the %s, the master alone %.6g\t%.1f %% saved [%.1f, %.1f]\n", total/n, m.part, master/n, saved.Value, saved.Low, saved.High)
	if total > master {
		fmt.Fprintf(w, "  warning\tthis costs more than the master alone: every query pays the student, and %.1f %% pay the master too.\n", 100*share)
		fmt.Fprintf(w, "  \tAt that share a cascade pays where the student costs less than %.4g of the master (break-even); here it is %.4g.\n",
			1-(total-student)/master, student/master)
	}
	return nil
}
