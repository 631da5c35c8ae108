package fitting

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infnet/harness/outcomes"
	"infnet/harness/policy"
	"infnet/harness/policy/guarantee"
)

// tenRows by hand: the student errs on rows 3, 7, 9 and 10, the master on 4 and 10. A query costs 1 at the student and
// 4 at the master.
const tenRows = `confidence,class,student,master,student_cost,master_cost
0.95,red,1,1,1,4
0.90,red,1,1,1,4
0.85,red,0,1,1,4
0.80,red,1,0,1,4
0.70,red,1,1,1,4
0.95,blue,1,1,1,4
0.75,blue,0,1,1,4
0.70,blue,1,1,1,4
0.60,red,0,1,1,4
0.55,blue,0,0,1,4
`

func logOf(t *testing.T, text string, change func(*outcomes.Columns)) *outcomes.Log {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := outcomes.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var c outcomes.Columns
	change(&c)
	f.Recognise(&c, nil)
	f.RecogniseCosts(&c)
	l, err := f.Read(c)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The better model errs twice, so two errors are allowed: per class 0.7 for red and 0.95 for blue defer four rows, and
// a query costs 1 + 4 · 0.4 = 2.6. Of the 24 pairs of a right and a wrong answer the confidence orders 19.
func TestFit(t *testing.T) {
	l := logOf(t, tenRows, func(*outcomes.Columns) {})
	r, err := Fit(l, Options{Options: policy.Options{Target: policy.Best}, Share: 1, Seed: 42})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Fit) != 10 || len(r.Test) != 0 || r.Part() != "fit part" || r.Split != "" {
		t.Errorf("%d rows fit, %d test on the %s, split %q", len(r.Fit), len(r.Test), r.Part(), r.Split)
	}
	if !r.AUROC.Defined || math.Abs(r.AUROC.Value-19./24) > 1e-12 {
		t.Errorf("AUROC %+v, want 19/24", r.AUROC)
	}
	if len(r.Policies) != 2 || r.Best().Name != "a threshold per class" {
		t.Fatalf("policies %+v", r.Policies)
	}
	if theta := r.Best().Policy.Thresholds; !slices.Equal(theta, []float64{0.7, 0.95}) {
		t.Errorf("thresholds %v, want 0.7 for red and 0.95 for blue", theta)
	}
	m := r.Best().Measured
	if m.Deferred.Value != 0.4 || m.Error.Value != 0.2 || m.Cost == nil || m.Cost.Cascade/float64(m.Cost.Queries) != 2.6 {
		t.Errorf("measured %+v with cost %+v", m, m.Cost)
	}
	if math.Abs(m.Cost.Saved.Value-35) > 1e-9 { // 35 % of what the master alone costs: 2.6 of 4
		t.Errorf("saved %v", m.Cost.Saved.Value)
	}
	if m.Rival != nil {
		t.Errorf("a verdict on rows that chose the thresholds: %+v", m.Rival)
	}
	text, err := r.Deployment("devel")
	if err != nil || !strings.Contains(string(text), "theta = 0.95") {
		t.Errorf("deployment %v:\n%s", err, text)
	}
}

// The frontier begins with the fewest errors and ends where nothing is deferred.
func TestFrontier(t *testing.T) {
	l := logOf(t, tenRows, func(c *outcomes.Columns) { c.Single = true })
	o := policy.Options{Target: policy.Best}
	r, err := Fit(l, Options{Options: o, Share: 1, Seed: 42})
	if err != nil {
		t.Fatal(err)
	}
	points, n, err := r.Frontier(o)
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Collect(points)
	if len(all) != n || n < 2 {
		t.Fatalf("%d points, %d announced", len(all), n)
	}
	if last := all[n-1]; last.Deferred != 0 || last.Error.String() != "4" {
		t.Errorf("the last point defers %d with %s errors, want 0 and the student's 4", last.Deferred, last.Error)
	}
	for i := 1; i < n; i++ {
		if all[i].Deferred >= all[i-1].Deferred {
			t.Errorf("point %d defers %d, the one before it %d", i, all[i].Deferred, all[i-1].Deferred)
		}
	}
}

// An option that the log does not allow is refused.
func TestFitRefuses(t *testing.T) {
	l := logOf(t, tenRows, func(*outcomes.Columns) {})
	for _, tt := range []struct {
		name    string
		options Options
	}{
		{name: "clusters without groups",
			options: Options{Share: 1, Guarantee: &guarantee.Terms{Method: guarantee.LearnThenTest, Delta: .05, MaxCluster: 3}}},
		{name: "no row fits", options: Options{Share: 0.01}},
	} {
		tt.options.Target = policy.Best
		if _, err := Fit(l, tt.options); err == nil {
			t.Errorf("%s: accepted", tt.name)
		}
	}
}
