package compare

import (
	"slices"
	"strings"
	"testing"

	"infnet/harness/accept"
)

// reordered is a run whose records come in the opposite order.
func reordered(r *accept.Run) *accept.Run {
	out := *r
	out.Data, out.Cascades = slices.Clone(r.Data), clone(r.Cascades)
	for i := range out.Data {
		d := &out.Data[i]
		d.Hash = "other"
		d.IDs, d.Content = turned(d.IDs), turned(d.Content)
	}
	for k := range out.Cascades[0].Datasets {
		m := &out.Cascades[0].Datasets[k]
		m.Part, m.Rows = turned(m.Part), slices.Clone(m.Rows)
		for i := range m.Models {
			a := &m.Models[i]
			a.Right, a.Cost, a.Beta = turned(a.Right), turned(a.Cost), turned(a.Beta)
		}
		for i := range m.Rows {
			m.Rows[i].Final, m.Rows[i].Asked = turned(m.Rows[i].Final), turned(m.Rows[i].Asked)
		}
	}
	out.Name, out.Results = "turned", "turned"
	return &out
}

func turned[S ~[]E, E any](list S) S {
	out := slices.Clone(list)
	slices.Reverse(out)
	return out
}

// Sums of the same costs in another order differ in their last digits, which is no change.
func TestAnotherOrderIsNoChange(t *testing.T) {
	old, _ := twoRuns()
	c, err := Runs(old, reordered(old), Options{Alpha: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	rounded := 0
	for _, q := range c.Quantities {
		rounded += tell(q.Old.Value != q.New.Value)
		if q.Verdict != Same {
			t.Errorf("%s of %s is %s: %v, now %v", q.Metric, q.Policy, q.Verdict, q.Old.Value, q.New.Value)
		}
	}
	if rounded == 0 {
		t.Error("no sum differs in its last digits, so that nothing is tested")
	}
	if c.Verdict != Same || len(c.Causes) != 2 || !strings.Contains(c.Causes[0].Text, "in another order") {
		t.Errorf("%s; causes %v", c.Summary, c.Causes)
	}
}
