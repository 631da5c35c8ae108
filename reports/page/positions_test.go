package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"infnet/harness/policy"
	"infnet/harness/result"
)

// thresholds are those of a point.
func (p *thresholdPath) thresholds(point int) (out policy.Thresholds) {
	for _, list := range p.Thetas {
		out = append(out, float64(list[point]))
	}
	return out
}

// Every position shows what a fit to its target finds on the fit part, and what counting gives on the test part.
func TestPositionsAreFits(t *testing.T) {
	for _, tt := range []struct {
		name             string
		records, classes int
		soft             bool
		change           func(c *result.Cascade)
	}{
		{name: "two classes", records: 400, classes: 2},
		{name: "a class that is never said, ties", records: 600, classes: 5},
		{name: "many classes, few records", records: 60, classes: 20},
		{name: "one class", records: 200, classes: 1},
		{name: "soft errors", records: 120, classes: 3, soft: true},
		{name: "by cost", records: 300, classes: 3, change: func(c *result.Cascade) { c.Objective = "cost" }},
		{name: "oracle setting", records: 300, classes: 3, change: func(c *result.Cascade) {
			c.Setting, c.Datasets[0].Budget.Target = "oracle", "0.93"
		}},
		{name: "a target that cannot be met", records: 300, classes: 3, change: func(c *result.Cascade) {
			c.Datasets[0].Budget.Target = "1"
		}},
		{name: "a target beyond the student", records: 300, classes: 3, change: func(c *result.Cascade) {
			c.Datasets[0].Budget.Target = "0"
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, list := study("drawn", tt.records, tt.classes, tt.soft)
			if tt.change != nil {
				tt.change(&r.Cascades[0])
			}
			g, x := groupOf(t, r, list)
			checkPositions(t, &g, x)
		})
	}
}

// groupOf is the one group of a study, and the columns it was made of.
func groupOf(t *testing.T, r *result.Results, list []result.Record) (group, *columns) {
	t.Helper()
	p := newPairs(r)
	for range p.watch(all(list)) {
	}
	groups, err := groupsOf(r, p)
	if err != nil || len(groups) != 1 {
		t.Fatalf("%d groups, %v", len(groups), err)
	}
	return groups[0], p[place{"s+m", "drawn"}]
}

func checkPositions(t *testing.T, g *group, x *columns) {
	t.Helper()
	budgets := g.Budgets
	if !slices.IsSorted(budgets) || len(budgets) < 3 {
		t.Fatalf("budgets %v", budgets)
	}
	options := policy.Options{Setting: policy.Setting(g.Setting), Objective: policy.Objective(g.Objective)}
	for _, form := range []struct {
		name string
		path *thresholdPath
		fit  func(policy.Records, policy.Options) (policy.Policy, error)
	}{{"single", g.Single, policy.FitSingle}, {"multi", g.Multi, policy.FitMulti}} {
		u := form.path
		for i, b := range budgets {
			var err error
			options.Target, err = policy.ParseTarget(g.Targets[i])
			if err != nil {
				t.Fatal(err)
			}
			want, err := form.fit(x.fit, options)
			if err != nil {
				t.Fatal(err)
			}
			test, err := x.test.Outcome(want.Decide(x.test))
			if err != nil {
				t.Fatal(err)
			}
			k := u.At[i]
			got := fmt.Sprint(b, u.Errors[k], u.Deferred[k], u.thresholds(k), u.TestErrors[k], u.TestDeferred[k])
			if now := fmt.Sprint(want.Budget.Errors.Units, want.FitError.Units, want.FitDeferred, want.Thresholds,
				test.Error.Units, test.Deferred); got != now {
				t.Fatalf("%s, position %d of %d: budget, errors, deferred, thresholds, and on the test part errors, deferred:\n"+
					"page %s\nfit  %s", form.name, i, len(budgets), got, now)
			}
		}
	}
}

// What is not as infnet fit has it is said.
func TestApart(t *testing.T) {
	for _, tt := range []struct {
		name, objective, method, want string
	}{
		{name: "as usual", objective: "deferrals", method: "exact"},
		{name: "in linear time", objective: "deferrals", method: "linear"},
		{name: "by cost", objective: "cost", method: "exact", want: "infnet fit minimises their number"},
		{name: "another method", objective: "deferrals", method: "lagrangian", want: "by the method lagrangian"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := study("drawn", 60, 3, false)
			c := &r.Cascades[0]
			c.Objective = tt.objective
			c.Datasets[0].Policies = []result.Policy{{Policy: "single", Method: tt.method}}
			got := apart(c, &c.Datasets[0])
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// Named targets have their own position, however many there are.
func TestNamedTargets(t *testing.T) {
	r, list := study("drawn", 400, 3, false)
	g, _ := groupOf(t, r, list)
	budgets := g.Budgets
	want := map[string]int64{"study": g.Fit.Master, "master": g.Fit.Master, "student": g.Fit.Student,
		"best": min(g.Fit.Master, g.Fit.Student)}
	for _, m := range g.Marks {
		if budgets[m.At] != want[m.Name] {
			t.Errorf("%s allows %d errors, want %d", m.Name, budgets[m.At], want[m.Name])
		}
	}
	if len(g.Marks) != len(want) {
		t.Errorf("%d named targets, want %d", len(g.Marks), len(want))
	}
}
