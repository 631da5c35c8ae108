package reports

import (
	"math"
	"strconv"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

// Number is a number of a study that a text may use, as the tables print it.
type Number struct {
	Study, Cascade, Dataset string
	Policy                  string  // its identifier, "student" for none, "master" for all; "" = of the dataset
	Quantity                string  // savings, deferral, error, a metric, …
	Main                    bool    // of the policy that the headline is about, or of no policy
	Percent                 bool    // Text and Value are in percent
	Text                    string  // rounded
	Value                   float64 // not rounded
}

// Numbers are those of every cascade and dataset, in the order of the tables, rounded as there. An interval's ends are
// quantities of their own, with -low and -high behind them. What is undefined is left out.
func Numbers(s *result.Results) (out []Number) {
	list := places(s)
	if len(list) == 0 {
		return nil
	}
	digits := rounding(s, list)
	for _, p := range list {
		n := numbers{p: p, to: &out}
		n.add("records", table.Exactly(float64(p.d.Counts.Test), 0))
		n.add("fit-records", table.Exactly(float64(p.d.Counts.Fit), 0))
		if p.d.Budget.Records > 0 {
			n.add("budget", table.Exactly(p.d.Budget.Errors/float64(p.d.Budget.Records), digits.rate).AsPercent())
		}
		n.tests()
		main := mainRow(p.c, p.d)
		for i := range p.d.Rows {
			r := &p.d.Rows[i]
			n.policy, n.main = r.Policy, r == main
			switch r.Policy {
			case string(baseline.None):
				n.policy = "student"
			case string(baseline.All):
				n.policy = "master"
			}
			n.estimate("savings", r.Saved, digits.saved, true)
			n.estimate("own-savings", r.SavedPerQuery, digits.saved, true)
			n.estimate("deferral", times100(r.Deferred), digits.rate, true)
			n.estimate("error", times100(r.Error), digits.rate, true)
			for _, m := range p.d.Metrics {
				if iv, ok := r.Metrics[m]; ok {
					n.estimate(m, iv, digits.metrics[m], false)
				}
			}
			if f := fittedFor(p.d, r.Policy); f != nil {
				for k, t := range f.Thresholds {
					n.add(thresholdName(t, k, len(f.Thresholds)), table.Exactly(float64(t.Theta), 4))
				}
			}
		}
	}
	return out
}

// numbers collects those of a place, of one policy or none.
type numbers struct {
	p      place
	policy string
	main   bool
	to     *[]Number
}

func (n *numbers) add(quantity string, v table.Number) {
	if math.IsNaN(v.Value) {
		return
	}
	value := v.Value
	if v.Percent {
		value *= 100
	}
	v.Estimate = false
	*n.to = append(*n.to, Number{Study: n.p.s.Name, Cascade: n.p.c.Name, Dataset: n.p.d.Name, Policy: n.policy,
		Quantity: strings.ToLower(quantity), Main: n.main || n.policy == "", Percent: v.Percent,
		Text: v.String(), Value: value})
}

// estimate adds a number and the ends of its interval; percent: it is in percent already.
func (n *numbers) estimate(quantity string, iv infer.Interval, decimals int, percent bool) {
	first := len(*n.to)
	n.add(quantity, table.Exactly(iv.Value, decimals))
	if finite(iv) {
		n.add(quantity+"-low", table.Exactly(iv.Low, decimals))
		n.add(quantity+"-high", table.Exactly(iv.High, decimals))
	}
	for i := first; percent && i < len(*n.to); i++ {
		(*n.to)[i].Percent = true
	}
}

// tests adds the tests of sufficiency, of the first null hypothesis of each set.
func (n *numbers) tests() {
	if n.p.d.Sufficiency == nil {
		return
	}
	seen := map[string]bool{}
	for i := range n.p.d.Sufficiency.Rows {
		r := &n.p.d.Sufficiency.Rows[i]
		if seen[r.Set] || !r.Measured() {
			continue
		}
		seen[r.Set] = true
		set := table.Segment(r.Set)
		n.add("p-"+set, table.Number{Value: r.P, Decimals: 3, PValue: true})
		n.add("p-holm-"+set, table.Number{Value: r.Holm, Decimals: 3, PValue: true})
		n.estimate("delta-mse-"+set, r.Gain, 4, false)
	}
}

// thresholdName is that of a class, of a chain's stage, or of all.
func thresholdName(t result.Threshold, at, of int) string {
	switch {
	case t.Class != "":
		return "threshold-" + table.Segment(t.Class)
	case of > 1:
		return "threshold-" + strconv.Itoa(at+1)
	}
	return "threshold"
}
