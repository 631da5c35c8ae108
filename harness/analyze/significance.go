package analyze

import (
	"fmt"
	"strings"

	"infnet/harness/result"
	"infnet/harness/seed"
	"infnet/metrics"
	"infnet/metrics/infer"
)

// Tests besides those of the metrics.
const (
	testedCorrect = "correct"
	testedCost    = "cost"
)

// significance tests each row of ours against every baseline, a threshold per
// class against the single one, and a chain against the pairs it contains.
func significance(s *measurer, all rows) (tests []result.Test, err error) {
	for _, name := range []string{Single, Multi, Chain} {
		ours := all.named(name)
		if ours == nil {
			continue
		}
		for k := range all {
			theirs := &all[k]
			rival := theirs.Baseline || name == Multi && theirs.Policy == Single ||
				name == Chain && strings.HasPrefix(theirs.Policy, "pair-")
			if !rival || theirs.Compared != nil {
				continue
			}
			d := pairedTest{s: s, ours: ours.plan, theirs: theirs.plan,
				test: result.Test{Ours: name, Baseline: theirs.Policy}}
			for i := range s.truth {
				d.chance = d.chance || theirs.plan.certain(i) < 0
			}
			err := d.correct()
			for k := 0; err == nil && k < len(s.metrics); k++ {
				err = d.metric(s.metrics[k])
			}
			if err == nil {
				err = d.flip(testedCost, d.ours.paid(s.costs), d.theirs.paid(s.costs))
			}
			if err != nil {
				return nil, fmt.Errorf("test of %s against %s: %w", name, theirs.Policy, err)
			}
			tests = append(tests, d.done...)
		}
	}
	return tests, nil
}

// pairedTest is a paired test of two plans. Of one that leaves answers to chance the expectation of each record is
// tested, which its row shows too; metrics that are no means over records have none.
type pairedTest struct {
	s            *measurer
	ours, theirs plan
	chance       bool        // theirs leaves answers to chance
	test         result.Test // what all tests share
	done         []result.Test
}

// correct runs McNemar's exact test, which assumes independent records and errors
// of 0 and 1. For soft errors it flips signs at random; for clustered records it
// flips them cluster by cluster.
func (d *pairedTest) correct() error {
	if d.s.r.Dataset.Correct.Soft { // a difference of scores, which McNemar's test does not apply to
		return d.flip(testedCorrect, complement(d.ours.mix(d.s.errors)), complement(d.theirs.mix(d.s.errors)))
	}
	var right byModel
	for _, m := range d.s.r.Models {
		right = append(right, indicators(m.Right(d.s.r.Test)))
	}
	x, y := d.ours.mix(right), d.theirs.mix(right)
	if d.chance || d.s.clustered() {
		return d.flip(testedCorrect, x, y)
	}
	t := d.test
	t.What, t.Test = testedCorrect, "mcnemar"
	for i := range x {
		t.OnlyOurs += int(indicator(x[i] > y[i]))
		t.OnlyTheirs += int(indicator(y[i] > x[i]))
	}
	t.Units = t.OnlyOurs + t.OnlyTheirs
	t.Difference = float64(t.OnlyOurs-t.OnlyTheirs) / float64(len(x))
	t.P = infer.McNemar(t.OnlyOurs, t.OnlyTheirs)
	d.done = append(d.done, t)
	return nil
}

// metric tests one metric: means by flipping signs, others by exchanging the
// two answers to a record.
func (d *pairedTest) metric(m metrics.Metric) error {
	s := d.s
	rng := seed.Stream(s.r.Study.Seed, "test", s.r.Dataset.Name, d.test.Ours, d.test.Baseline, string(m.Name))
	x, y := s.mixed(m, d.ours), s.mixed(m, d.theirs)
	switch {
	case m.Name == metrics.Accuracy || m.Counts == nil && m.Sums == nil:
		return d.flip(string(m.Name), x[0], y[0])
	case d.chance:
		return nil
	case m.Sums != nil:
		p, err := infer.SwapSums(rng, x, y, m.Value, s.groups, 0)
		return d.add(string(m.Name), "swap", p, err)
	}
	var cells [2][]int
	for k, p := range []plan{d.ours, d.theirs} {
		for i := range s.truth {
			cells[k] = append(cells[k], s.cells[p.models[p.certain(i)]][i])
		}
	}
	// Each arm's labels are those in the truth or in its own predictions, as
	// in its row of the table: in the data and in every permutation.
	c := s.confusion
	p, err := infer.SwapCounts(rng, cells[0], cells[1], c.Len(),
		func(counts []float64) float64 { return m.Counts(c, counts)(c, counts) }, s.groups, 0)
	return d.add(string(m.Name), "swap", p, err)
}

func (d *pairedTest) flip(what string, x, y []float64) error {
	s := d.s
	rng := seed.Stream(s.r.Study.Seed, "test", s.r.Dataset.Name, d.test.Ours, d.test.Baseline, what)
	p, err := infer.SignFlip(rng, x, y, s.groups, 0)
	if err == nil && what == testedCost {
		p = infer.Costs(p, x, y, [2][]float64{x, y}, s.groups)
	}
	return d.add(what, "sign-flip", p, err)
}

func (d *pairedTest) add(what, test string, p infer.Paired, err error) error {
	if err != nil {
		return err
	}
	t := d.test
	t.What, t.Test, t.Difference, t.P = what, test, p.Statistic, p.P
	t.Units, t.Draws, t.Clustered = p.N, p.Draws, d.s.clustered()
	d.done = append(d.done, t)
	return nil
}

// adjustTests corrects, within each cascade, the p-values of one question about
// one pair of rows for having been asked of several datasets.
func adjustTests(s *result.Results) {
	type question struct{ ours, baseline, what string }
	for i := range s.Cascades {
		asked := map[question][]*result.Test{}
		for j := range s.Cascades[i].Datasets {
			tests := s.Cascades[i].Datasets[j].Tests
			for k := range tests {
				t := &tests[k]
				q := question{t.Ours, t.Baseline, t.What}
				asked[q] = append(asked[q], t)
			}
		}
		for _, tests := range asked { // the order has no effect: no two share a test
			var p []float64
			for _, t := range tests {
				p = append(p, t.P)
			}
			holm, bh := infer.Holm(p), infer.BenjaminiHochberg(p)
			for k, t := range tests {
				t.Holm, t.BH, t.Datasets = holm[k], bh[k], len(tests)
			}
		}
	}
}
