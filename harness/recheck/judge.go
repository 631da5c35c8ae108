package recheck

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/seed"
	"infnet/metrics/infer"
)

// shown is how many changed answers a report names.
const shown = 20

// Judge tests every model and gives the verdicts, at the level, tolerance and seed of a report; lacking is the share of
// answers that may be missing. The tests of all models together have that level (Holm).
func Judge(models []Model, o *Report, lacking float64) ([]ModelReport, error) {
	var p []float64
	var into []*float64
	for i := range models {
		m := &models[i]
		if err := m.measure(o); err != nil {
			return nil, fmt.Errorf("model %s: %w", m.Name, err)
		}
		if m.Exact || m.Answered == 0 {
			continue
		}
		for _, t := range m.tests() {
			p, into = append(p, *t.p), append(into, t.adjusted)
		}
	}
	for i, a := range infer.Holm(p) {
		*into[i] = a
	}
	out := make([]ModelReport, len(models))
	for i := range models {
		models[i].decide(o.Alpha, lacking, len(p))
		out[i] = models[i].ModelReport
	}
	return out, nil
}

// Worst is the most serious verdict.
func Worst(models []ModelReport) Verdict {
	worst, gravity := Same, []Verdict{Same, Incomplete, Changed}
	for _, m := range models {
		worst = gravity[max(slices.Index(gravity, worst), slices.Index(gravity, m.Verdict))]
	}
	return worst
}

// test is a p-value and where its adjusted one goes.
type test struct {
	what        string
	p, adjusted *float64
}

// tests lists a model's tests: which they are depends on whether it has confidences, and on nothing they look at.
func (r *ModelReport) tests() []test {
	list := []test{{"its answers are others", &r.Flips.Coin.P, &r.Flips.Coin.Adjusted}}
	if c := r.Confidence; c != nil {
		list = append(list, test{"its confidence differs by more than its noise", &c.Coin.P, &c.Coin.Adjusted},
			test{"its confidence has shifted", &c.ShiftP, &c.ShiftAdjusted})
	}
	return list
}

// measure fills in everything but the adjusted p-values and the verdict.
func (m *Model) measure(o *Report) (err error) {
	r := &m.ModelReport
	r.P, r.Sampled, r.Lacking = 1, len(m.Items), map[string]int{}
	flips, twice, noisy := 0, 0, 0
	r.Flips.Coin = coin(m.Items, (*Item).flipped, differ)
	for i := range m.Items {
		it := &m.Items[i]
		if len(it.Fresh) == 0 {
			r.Lacking[it.Cause]++
			continue
		}
		r.Answered++
		r.Identical += tell(identical(&it.Stored, &it.Fresh[0]))
		if it.flipped() {
			if flips++; flips <= shown {
				r.Flips.First = append(r.Flips.First, it.Dataset+"/"+it.ID)
			}
		}
		if it.Random && len(it.Fresh) > 1 {
			twice++
			noisy += int(differ(&it.Fresh[0], &it.Fresh[1]))
			r.Repeated += tell(identical(&it.Fresh[0], &it.Fresh[1]))
		}
	}
	r.Flips.Rate = rate(flips, r.Answered, 1-o.Alpha)
	r.Noise = rate(noisy, twice, 1-o.Alpha)
	r.Decisions = decisions(m.Items, 1-o.Alpha)
	r.Confidence, err = shift(m, o)
	return err
}

func tell(is bool) int {
	if is {
		return 1
	}
	return 0
}

// coin tests the items that differ by third answers:
//
//	p = P(Bin(new + old, ½) ≥ new)
//
// If the stored and both fresh answers are exchangeable, so are the stored and the first fresh one given the second
// and that the two differ, so the second is nearer to either with the same probability. Ties are left out, and
// without a third answer that takes a side p is 1.
func coin(items []Item, differs func(*Item) bool, distance func(a, b *Reading) float64) (c Coin) {
	for i := range items {
		it := &items[i]
		if len(it.Fresh) < 2 || !differs(it) {
			continue
		}
		switch fresh, stored := distance(&it.Fresh[1], &it.Fresh[0]), distance(&it.Fresh[1], &it.Stored); {
		case fresh < stored:
			c.New++
		case stored < fresh:
			c.Old++
		default:
			c.Neither++
		}
	}
	c.P = infer.SignTest(c.New, c.New+c.Old)
	c.Adjusted = 1
	return c
}

// shift measures how the confidence moved; nil where no item has one before and now.
func shift(m *Model, o *Report) (*Confidence, error) {
	c := &Confidence{Score: m.Score, ShiftAdjusted: 1, ShiftP: 1}
	var sizes, before, now []float64
	for i := range m.Items {
		it := &m.Items[i]
		if len(it.Fresh) == 0 || !it.Stored.Scored || !it.Fresh[0].Scored {
			continue
		}
		d := it.Fresh[0].Beta - it.Stored.Beta
		c.N++
		c.Shift += d
		sizes = append(sizes, math.Abs(d))
		was, is := 0.0, 0.0 // no difference
		if it.moved(o.Tolerance) {
			c.Moved++
			was, is = it.Stored.Beta, it.Fresh[0].Beta
		}
		before, now = append(before, was), append(now, is)
	}
	if c.N == 0 {
		return nil, nil
	}
	c.Shift /= float64(c.N)
	slices.Sort(sizes)
	c.Median, c.Most = infer.Quantile(sizes, 0.5), sizes[len(sizes)-1]
	c.Coin = coin(m.Items, func(it *Item) bool { return it.moved(o.Tolerance) && it.Fresh[1].Scored },
		func(a, b *Reading) float64 { return math.Abs(a.Beta - b.Beta) })
	paired, err := infer.SignFlip(seed.Stream(o.Seed, "recheck", o.Round, m.Name, "shift"), now, before, nil, 0)
	if err != nil {
		return nil, err
	}
	if c.Moved > 0 {
		c.ShiftP = paired.P
	}
	return c, nil
}

// decisions counts the decisions that would be others, by policy in the order in which they come.
func decisions(items []Item, level float64) (out []DecisionRate) {
	n := map[string]int{}
	for _, it := range items {
		for _, d := range it.Decisions {
			k := slices.IndexFunc(out, func(r DecisionRate) bool { return r.Policy == d.Policy })
			if k < 0 {
				k = len(out)
				out = append(out, DecisionRate{Policy: d.Policy})
			}
			n[d.Policy]++
			out[k].ToAccept += tell(d.After && !d.Before)
			out[k].ToDefer += tell(d.Before && !d.After)
		}
	}
	for i := range out {
		out[i].Rate = rate(out[i].ToAccept+out[i].ToDefer, n[out[i].Policy], level)
	}
	return out
}

// decide gives the verdict. tests is how many there are, of all models.
func (m *Model) decide(alpha, allowed float64, tests int) {
	r := &m.ModelReport
	lacking := r.Sampled - r.Answered
	differing := r.Answered - r.Identical
	least := ""
	if !r.Exact && r.Answered > 0 {
		for _, t := range r.tests() {
			if *t.adjusted < r.P {
				r.P, least = *t.adjusted, t.what
			}
		}
	}
	switch {
	case m.Other != "":
		r.Verdict, r.Why = Changed, m.Other
	case r.Exact && differing > 0:
		r.Verdict, r.P = Changed, 0
		r.Why = fmt.Sprintf("it runs in this process and repeats itself bit for bit, and %d of %d answers differ: this "+
			"program or this machine computes them otherwise", differing, r.Answered)
	case !r.Exact && r.P <= alpha:
		r.Verdict, r.Why = Changed, fmt.Sprintf("%s (p = %.2g, corrected for %d tests)", least, r.P, tests)
	case float64(lacking) > allowed*float64(r.Sampled) || r.Answered == 0 || m.Trouble != "":
		r.Verdict = Incomplete
		r.Why = fmt.Sprintf("%d of %d answers are lacking", lacking, r.Sampled)
		if m.Trouble != "" {
			r.Why += ": " + m.Trouble
		}
	case r.Exact:
		r.Verdict, r.Why = Same, fmt.Sprintf("it runs in this process, and all %d answers are the stored ones, bit for bit",
			r.Answered)
	default:
		r.Verdict, r.Why = Same, "no difference that its own noise does not explain"
	}
}
