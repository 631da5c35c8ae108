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

// What the first lines and the causes say must be true of the quantity that they name.
func TestWhatQuantitiesAreCalled(t *testing.T) {
	for _, c := range []struct {
		name       string
		change     func(old, now *accept.Run)
		says, hide []string
	}{
		{name: "one cascade", change: func(_, _ *accept.Run) {}, says: []string{"error of single on d1: "},
			hide: []string{"(a+b)"}},
		{name: "several cascades on a dataset", change: func(old, now *accept.Run) {
			for _, r := range []*accept.Run{old, now} {
				more := clone(r.Cascades)[0]
				more.Name, more.Datasets = "a+b twice", more.Datasets[:1]
				r.Cascades = append(r.Cascades, more)
			}
		}, says: []string{"of single on d0 (a+b): ", "of single on d0 (a+b twice): ", "error of single on d1: ",
			"d0, test part, single (a+b): "}},
		{name: "a missing answer of the master", change: func(_, now *accept.Run) {
			m := &now.Cascades[0].Datasets[0].Models[1]
			m.Lost = slices.Repeat(accept.Column[bool]{false}, len(m.Right))
			m.Lost[7] = true
			values := now.Cascades[0].Datasets[0].Rows[0].Values
			values[accept.Error] = accept.Estimate{values[accept.Error][0] + 0.001}
		}, says: []string{"d0, b: 1 record has no answer now (7)"}},
		{name: "an incomplete run", change: func(_, now *accept.Run) { now.Cascades[0].Incomplete = true },
			says: []string{"incomplete: error of "}},
		{name: "a hash of answers that nobody can look at", change: func(old, now *accept.Run) {
			for i := range now.Cascades[0].Datasets {
				now.Cascades[0].Datasets[i].Models[0].Right = old.Cascades[0].Datasets[i].Models[0].Right
			}
		}, says: []string{"the answers of a to d0 have another hash; none turned right or wrong, though its name"},
			hide: []string{"a answers d0 otherwise"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, now := twoRuns()
			c.change(old, now)
			found, err := Runs(old, now, Options{Alpha: 0.05})
			if err != nil {
				t.Fatal(err)
			}
			says := text(found)
			for _, q := range found.Quantities {
				if q.Tested && q.AtAccepted != nil && *q.AtAccepted != q.New.Value &&
					!strings.Contains(found.Line(&q), "at the accepted thresholds") {
					t.Errorf("what was tested is not said: %s", found.Line(&q))
				}
				if c.name == "a missing answer of the master" && q.Dataset == "d0" && q.Verdict != Same &&
					!slices.Contains(q.Causes, OfMissing) {
					t.Errorf("%s of %s is %s, and no answer is missing", q.Metric, q.Policy, q.Verdict)
				}
			}
			for _, want := range c.says {
				if !strings.Contains(says, want) {
					t.Errorf("not a word of %q:\n%s", want, says)
				}
			}
			for _, not := range c.hide {
				if strings.Contains(says, not) {
					t.Errorf("says %q:\n%s", not, says)
				}
			}
		})
	}
}
