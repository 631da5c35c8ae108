package compare

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/accept"
	"infnet/harness/fault"
)

// twoRuns are runs of one study on two datasets: of a model, and of another that is as good and answers a fifth of the
// records otherwise.
func twoRuns() (old, now *accept.Run) {
	w := &world{rng: rand.New(rand.NewPCG(3, 1)), n: 400, same: 0.8}
	var first, second, masters []answered
	for range 2 {
		a := w.model()
		first, second, masters = append(first, a), append(second, w.another(a)), append(masters, w.master())
	}
	return w.run("old", first, masters), w.run("new", second, masters)
}

// What is said of two runs of which something else differs, too.
func TestWhatIsSaid(t *testing.T) {
	untested := func(not func(q *Quantity) bool) func(*testing.T, *Comparison) {
		return func(t *testing.T, c *Comparison) {
			seen := false
			for i := range c.Quantities {
				q := &c.Quantities[i]
				seen = seen || not(q)
				if q.Tested && not(q) {
					t.Errorf("%s of %s is tested, and cannot be", q.Metric, q.Policy)
				}
			}
			if !seen {
				t.Error("there is no such quantity")
			}
		}
	}
	for _, c := range []struct {
		name   string
		change func(old, now *accept.Run)
		causes string // besides the answers'
		check  func(t *testing.T, c *Comparison)
		says   []string
	}{
		{name: "answers alone", says: []string{`answers: a on d0: "old" → "new"`, "error of single on d1 (a+b): ",
			"at the accepted thresholds", "d0, a: ", " right → wrong: ", "d0, single: ", " accepted → deferred: "}},
		{name: "spec and program", change: func(old, now *accept.Run) {
			old.Inputs[accept.Spec]["policy.target"], now.Inputs[accept.Spec]["seed"] = "master", "2"
			now.Inputs[accept.Program] = map[string]string{"infnet": "0.2"}
		}, causes: "spec spec program", says: []string{`policy.target: "master" → (none)`, `seed: (none) → "2"`,
			`program: infnet: (none) → "0.2"`}},
		{name: "a model shared by two cascades", change: func(old, now *accept.Run) {
			for _, r := range []*accept.Run{old, now} {
				more := r.Pairs[0]
				more.Cascade = "a+b twice"
				r.Pairs = append(r.Pairs, more)
			}
		}, says: []string{"of single on d0 (a+b): ", "of single on d0 (a+b twice): "},
			check: func(t *testing.T, c *Comparison) {
				for _, m := range c.Moved {
					if m.Who == "a" && m.Cascade == "a+b twice" {
						t.Errorf("counted twice: %+v", m)
					}
				}
			}},
		{name: "measured times", change: func(old, now *accept.Run) {
			for _, r := range []*accept.Run{old, now} {
				r.Pairs[0].CostModel = latency
			}
		}, check: func(t *testing.T, c *Comparison) {
			for _, q := range c.Quantities {
				if q.Dataset == "d0" && q.Metric == costs {
					t.Errorf("the times of %s are compared", q.Policy)
				}
			}
		}},
		{name: "records in groups", change: func(old, now *accept.Run) {
			for _, r := range []*accept.Run{old, now} {
				for i := range r.Pairs {
					for k := range r.Pairs[i].IDs {
						r.Pairs[i].Group = append(r.Pairs[i].Group, k/4)
					}
				}
			}
		}, check: func(t *testing.T, c *Comparison) {
			for _, q := range c.Quantities {
				if q.Test == mcnemar {
					t.Errorf("%s of %s is tested record by record", q.Metric, q.Policy)
				}
			}
		}},
		{name: "calibrated confidences", change: func(old, now *accept.Run) {
			for _, r := range []*accept.Run{old, now} {
				r.Inputs[accept.Spec]["policy.calibration"] = "platt"
			}
		}, says: []string{"cannot be compared: error of single on d0"},
			check: untested(func(q *Quantity) bool { return q.Policy == "single" })},
		{name: "an accepted file as the new run", change: func(_, now *accept.Run) {
			for i := range now.Pairs {
				now.Pairs[i].Answers[0].Beta = nil
			}
		}, check: untested(func(q *Quantity) bool { return q.Policy == "single" })},
		{name: "a dataset more and one less", change: func(old, _ *accept.Run) { old.Pairs[0].Dataset = "gone" },
			says: []string{"new, with nothing to compare with: a+b on d0", "gone, and so not compared: a+b on gone"}},
		{name: "errors measured against the master", change: func(_, now *accept.Run) { now.Pairs[0].Setting = oracle },
			check: untested(func(q *Quantity) bool { return q.Dataset == "d0" && q.Metric == accept.Error })},
		{name: "cascades of another name", change: func(old, now *accept.Run) {
			old.Pairs[0].Cascade, old.Pairs[1].Cascade = "x", "x"
		}, says: []string{"a+b on d1 is compared with cascade x, which had its place"}},
		{name: "most test records are others", change: func(old, _ *accept.Run) {
			for i := range old.Pairs {
				for k := range old.Pairs[i].IDs[:60] {
					old.Pairs[i].IDs[k] += " of before"
				}
			}
		}, check: func(t *testing.T, c *Comparison) {
			if c.Verdict != Uncomparable || c.Incomplete {
				t.Errorf("%s", c.Summary)
			}
		}},
		{name: "incomplete", change: func(_, now *accept.Run) { now.Pairs[0].Incomplete = true },
			says: []string{"cannot be compared: of ", "cannot be compared: error of "},
			check: func(t *testing.T, c *Comparison) {
				untested(func(q *Quantity) bool { return q.Dataset == "d0" })(t, c)
				if !c.Incomplete {
					t.Error("and it is not said")
				}
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, now := twoRuns()
			if c.change != nil {
				c.change(old, now)
			}
			found, err := Runs(old, now, 0.05)
			if err != nil {
				t.Fatal(err)
			}
			var kinds []string
			for _, x := range found.Causes {
				if x.Kind != string(accept.Answers) {
					kinds = append(kinds, x.Kind)
				}
			}
			if got := strings.Join(kinds, " "); got != c.causes {
				t.Errorf("causes %q, want %q", got, c.causes)
			}
			says := append([]string{found.Summary}, found.Head()...)
			for _, part := range found.Parts() {
				says = append(append(says, part.Title), part.Lines...)
			}
			text := strings.Join(says, "\n")
			for _, want := range c.says {
				if !strings.Contains(text, want) {
					t.Errorf("not a word of %q:\n%s", want, text)
				}
			}
			if c.check != nil {
				c.check(t, found)
			}
		})
	}
}

// Sums of the same costs in another order differ in their last digits, which is no change.
func TestAnotherOrderIsNoChange(t *testing.T) {
	old, _ := twoRuns()
	now, _ := twoRuns()
	for k := range now.Pairs {
		p := &now.Pairs[k]
		slices.Reverse(p.IDs)
		slices.Reverse(p.Content)
		for i := range p.Answers {
			a := &p.Answers[i]
			for _, column := range []accept.Column[float64]{a.Cost, a.Beta} {
				slices.Reverse(column)
			}
			slices.Reverse(a.Right)
		}
		for i := range p.Rows {
			slices.Reverse(p.Rows[i].Final)
		}
	}
	c, err := Runs(old, now, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	rounded := 0
	for _, q := range c.Quantities {
		rounded += tell(q.Old != q.New)
		if q.Verdict != Same || q.Tested {
			t.Errorf("%s of %s is %s: %v, now %v", q.Metric, q.Policy, q.Verdict, q.Old, q.New)
		}
	}
	if rounded == 0 {
		t.Error("no sum differs in its last digits, so that nothing is tested")
	}
}

func TestUnrelatedRunsAreRefused(t *testing.T) {
	for name, change := range map[string]func(p *accept.Pair){
		"other datasets": func(p *accept.Pair) { p.Dataset += " of before" },
		"other records":  func(p *accept.Pair) { p.Content = slices.Repeat(accept.Column[uint32]{1 << 20}, len(p.IDs)) },
	} {
		t.Run(name, func(t *testing.T) {
			old, now := twoRuns()
			for i := range old.Pairs {
				change(&old.Pairs[i])
			}
			_, err := Runs(old, now, 0.05)
			var known *fault.Error
			if !errors.As(err, &known) || known.Kind != fault.Unrelated || !strings.Contains(err.Error(), "old (study s)") {
				t.Errorf("%v", err)
			}
		})
	}
}

// side makes a run of one pair of words such as "id=content" or "id=content/class".
func side(fields, labels string, words ...string) *accept.Run {
	p := accept.Pair{Dataset: "d", Labels: strings.Fields(labels)}
	for _, w := range words {
		id, rest, _ := strings.Cut(w, "=")
		content, class, classed := strings.Cut(rest, "/")
		p.IDs, p.Content = append(p.IDs, id), append(p.Content, uint32(content[0]))
		if classed {
			p.Class = append(p.Class, slices.Index(p.Labels, class))
		}
	}
	return &accept.Run{Inputs: map[accept.Kind]map[string]string{accept.Spec: {"datasets.d.fields." + fields: "x"}},
		Pairs: []accept.Pair{p}}
}

func TestRecordsArePairedByIdAndContent(t *testing.T) {
	for _, c := range []struct {
		name     string
		old, now *accept.Run
		pairs    [][2]int
	}{
		{"the same", side("f", "", "1=a", "2=b"), side("f", "", "1=a", "2=b"), [][2]int{{0, 0}, {1, 1}}},
		{"changed", side("f", "", "1=a", "2=b"), side("f", "", "1=a", "2=c"), [][2]int{{0, 0}}},
		{"added and gone", side("f", "", "1=a", "2=b"), side("f", "", "1=a", "3=c"), [][2]int{{0, 0}}},
		{"in another order", side("f", "", "1=a", "2=b"), side("f", "", "2=b", "1=a"), [][2]int{{1, 0}, {0, 1}}},
		{"other fields", side("f", "", "1=a", "2=b"), side("g", "", "1=x", "2=y"), [][2]int{{0, 0}, {1, 1}}},
		{"another class", side("f", "no yes", "1=a/no", "2=b/no"), side("f", "no yes", "1=a/no", "2=b/yes"),
			[][2]int{{0, 0}}},
		{"classes in another order", side("f", "no yes", "1=a/no", "2=b/yes"), side("f", "yes no", "1=a/no", "2=b/yes"),
			[][2]int{{0, 0}, {1, 1}}},
	} {
		s := newSubject(c.old, c.now, &c.old.Pairs[0], &c.now.Pairs[0])
		if diff := cmp.Diff(c.pairs, s.pairs); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
