package fitting

import (
	"infnet/harness/outcomes"
	"infnet/harness/policy"
	"infnet/harness/seed"
	"infnet/metrics"
	"infnet/metrics/infer"
)

// AUROC is how well the confidence separates right answers of the student from wrong ones, on the measured part.
type AUROC struct {
	Defined bool // the measured part has right and wrong answers
	infer.Interval
}

// Measured is what a policy does on the rows it is measured on: the test part, or the fit part where all rows fit.
type Measured struct {
	Deferred infer.Interval // share of the rows
	Error    infer.Interval // per row
	Cost     *Cost          // nil = not known
	Rival    Rival
}

// Cost is what the measured rows cost together, each query at its own cost.
type Cost struct {
	Queries int
	Cascade float64
	Student float64        // the student alone
	Master  float64        // the master alone
	Saved   infer.Interval // share of what the master alone costs; undefined where that is nothing
}

// Part names the rows that policies are measured on.
func (r *Result) Part() string {
	if len(r.Test) == 0 {
		return "fit part"
	}
	return "test part"
}

// measurer measures policies on some rows of a log.
type measurer struct {
	log       *outcomes.Log
	rows      []int
	records   policy.Records
	resamples *infer.Resamples // of whole groups
	grouped   bool
}

// keptDraws is how many bytes of draws stay in memory. What a log is resampled for is little, and takes little longer
// where they are made twice.
const keptDraws = 64 << 20

// measure fills in what the policies do.
func (r *Result) measure(s uint64) error {
	m := &measurer{log: r.Log, rows: r.Test}
	if len(r.Test) == 0 {
		m.rows = r.Fit
	}
	m.records = r.Log.Pick(m.rows)
	groups := make([]string, len(m.rows))
	for k, i := range m.rows {
		groups[k] = r.Log.GroupOf(i)
	}
	m.grouped = r.Log.Clusters(m.rows) != nil
	var err error
	if m.resamples, err = infer.NewResamples(seed.Stream(s, "bootstrap", "fit"), groups,
		infer.Options{Keep: keptDraws}); err != nil {
		return err
	}
	if r.AUROC, err = m.auroc(); err != nil {
		return err
	}
	for i := range r.Policies {
		p := &r.Policies[i]
		if p.Measured, err = m.measure(p.Policy); err == nil {
			p.Measured.Rival, err = m.rival(p.Policy, r.Fit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *measurer) auroc() (AUROC, error) {
	right := make([]bool, len(m.rows))
	for k, e := range m.records.Student {
		right[k] = e < 0.5
	}
	iv, defined, err := m.resamples.AUROC(metrics.NewRanking(m.records.Beta, right))
	return AUROC{defined, iv}, err
}

// measure measures a policy.
func (m *measurer) measure(p policy.Policy) (Measured, error) {
	errs, deferred := outcomesOf(p, m.records)
	var out Measured
	var err error
	if out.Deferred, err = m.rate(deferred); err != nil {
		return out, err
	}
	if out.Error, err = m.rate(errs); err != nil {
		return out, err
	}
	out.Cost, err = m.cost(deferred)
	return out, err
}

// rate is the interval of a share: exact where rows are independent and the values are 0 and 1, else over resamples.
func (m *measurer) rate(x []float64) (infer.Interval, error) {
	hits := 0
	for _, v := range x {
		if v != 0 && v != 1 || m.grouped {
			return m.resamples.RateOf(x)
		}
		hits += int(v)
	}
	return infer.ClopperPearson(hits, len(x), 0.95)
}

// cost is what a policy costs that defers these rows.
func (m *measurer) cost(deferred []float64) (*Cost, error) {
	student, master := m.log.Costs[0], m.log.Costs[1]
	if student == nil {
		return nil, nil
	}
	paid, alone := make([]float64, len(m.rows)), make([]float64, len(m.rows))
	c := Cost{Queries: len(m.rows)}
	for k, i := range m.rows {
		alone[k] = master[i]
		paid[k] = student[i] + float64(deferred[k]*alone[k])
		c.Student += student[i]
		c.Master += alone[k]
		c.Cascade += paid[k]
	}
	if c.Master == 0 {
		return &c, nil
	}
	var err error
	c.Saved, err = m.resamples.Saved(paid, alone)
	return &c, err
}
