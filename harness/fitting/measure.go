package fitting

import (
	"math/rand/v2"
	"strconv"

	"infnet/harness/outcomes"
	"infnet/harness/policy"
	"infnet/harness/result"
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
	Rival    *result.Rival  // beside the two models, and the coins between them; nil = no rows were held out
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

type measurer struct {
	log       *outcomes.Log
	rows      []int
	records   policy.Records
	whole     *infer.Resamples // of whole groups
	resamples *infer.Resamples // the same, of many of them in blocks
}

// keptDraws is how many bytes of draws stay in memory. What a log is resampled for is little, and takes little longer
// where they are made twice.
const keptDraws = 64 << 20

func (r *Result) measure(o Options) error {
	m := &measurer{log: r.Log, rows: r.Test}
	if len(r.Test) == 0 {
		m.rows = r.Fit
	}
	m.records = r.Log.Pick(m.rows)
	err := m.resample(o.Seed)
	if err != nil {
		return err
	}
	right := make([]bool, len(m.rows))
	for k, e := range m.records.Student {
		right[k] = e < 0.5
	}
	if r.AUROC.Interval, r.AUROC.Defined, err = m.whole.AUROC(metrics.NewRanking(m.records.Beta, right)); err != nil {
		return err
	}
	for i := range r.Policies {
		p := &r.Policies[i]
		errs, deferred := outcomesOf(p.Policy, m.records)
		if p.Measured, err = m.measure(errs, deferred); err == nil && len(r.Test) > 0 {
			p.Measured.Rival, err = m.rival(errs, deferred, o.Margin)
		}
		if err != nil {
			return err
		}
	}
	if o.ErrorCost > 0 && len(r.Test) > 0 {
		r.Price, err = m.price(r, o.ErrorCost)
	}
	return err
}

func (m *measurer) resample(s uint64) (err error) {
	groups := make([]string, len(m.rows))
	for k, i := range m.rows {
		groups[k] = m.log.GroupOf(i)
	}
	o := infer.Options{Keep: keptDraws}
	if m.whole, err = infer.NewResamples(seed.Stream(s, "bootstrap", "fit"), groups, o); err != nil {
		return err
	}
	m.resamples = m.whole
	unit, units := infer.Units(groups, len(groups))
	if names := blocksOf(seed.Stream(s, "bootstrap", "fit", "blocks"), unit, units); names != nil {
		m.resamples, err = infer.NewResamples(seed.Stream(s, "bootstrap", "fit"), names, o)
	}
	return err
}

func (m *measurer) measure(errs, deferred []float64) (out Measured, err error) {
	if out.Deferred, err = m.whole.RateOf(deferred); err != nil {
		return out, err
	}
	if out.Error, err = m.whole.RateOf(errs); err != nil {
		return out, err
	}
	out.Cost, err = m.cost(deferred)
	return out, err
}

func (m *measurer) cost(deferred []float64) (*Cost, error) {
	student, master := m.log.Costs[0], m.log.Costs[1]
	if student == nil {
		return nil, nil
	}
	var paid, alone, least, most []float64
	c := Cost{Queries: len(m.rows)}
	for k, i := range m.rows {
		pays := student[i] + float64(deferred[k]*master[i])
		paid, alone = append(paid, pays), append(alone, master[i])
		least, most = append(least, student[i]), append(most, student[i]+master[i])
		c.Student += student[i]
		c.Master += master[i]
		c.Cascade += pays
	}
	if c.Master == 0 {
		return &c, nil
	}
	var err error
	c.Saved, err = m.resamples.Saved(paid, least, most, alone)
	return &c, err
}

// Of many rows, blocks are resampled instead of rows: each holds rows drawn at random, whole groups. Blocks are
// independent, and a sum over them has the variance of a sum over rows, known to 1 in √(2·8191): an interval's ends
// move by less than a hundredth of its width, and those of 2,000 resamples move by three from one set to another.
const (
	blocksFrom = 50_000 // units: rows, or groups of rows
	blocks     = 8191   // no power of two: draws of others take less time
)

// blocksOf returns the name of every row's block, from the number of its unit; nil where there are few units.
func blocksOf(rng *rand.Rand, unit []int, units int) []string {
	if units < blocksFrom {
		return nil
	}
	names := make([]string, blocks)
	for b := range names {
		names[b] = strconv.Itoa(b)
	}
	of := make([]uint16, units)
	for u := range of {
		of[u] = uint16(u % blocks)
	}
	rng.Shuffle(units, func(i, j int) { of[i], of[j] = of[j], of[i] })
	out := make([]string, len(unit))
	for k, u := range unit {
		out[k] = names[of[u]]
	}
	return out
}
