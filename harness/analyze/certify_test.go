package analyze

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"infnet/harness/dataset"
	"infnet/harness/policy"
	"infnet/harness/result"
	"infnet/harness/spec"
)

// Every pair of an objective, a guarantee and grouped records, next to every other way to find a policy, and every
// method once: a study comes through, its files of thresholds are valid, and no note speaks of deferrals where a cost
// is meant.
func TestObjectivesMethodsAndGuaranteesTogether(t *testing.T) {
	t.Parallel()
	var compare []string
	for _, c := range spec.Comparands() {
		if c == spec.Comparand(policy.Linear) {
			continue // of the oracle setting
		}
		compare = append(compare, fmt.Sprintf("%q", c))
	}
	promises := []string{"", `{ method = "ltt", margin = 0.1 }`, `{ method = "crc", margin = 0.1 }`}
	run := func(method spec.Solver, objective policy.Objective, promise string, grouped bool) {
		text := fmt.Sprintf("[policy]\ntarget = \"master\"\nobjective = %q\nmethod = %q\n", objective, method)
		if method == spec.Solver(policy.Exact) {
			text += "compare = [" + strings.Join(compare, ", ") + "]\n"
		}
		if grouped {
			promise = strings.Replace(promise, "margin", "max_cluster = 3, margin", 1)
		}
		if promise != "" {
			text += "guarantee = " + promise + "\n"
		}
		if method == spec.Solver(policy.Linear) {
			text = strings.Replace(text, `"master"`, "0.8\nsetting = \"oracle\"", 1)
			text = strings.ReplaceAll(text, ", margin = 0.1", "")
		}
		t.Run(text, func(t *testing.T) {
			together(t, fmt.Sprintf(drawnTOML, text, worse, better, classify), objective, promise, grouped)
		})
	}
	objectives := policy.Objectives()
	for o, objective := range objectives {
		for p, promise := range promises {
			run(spec.Solver(policy.Exact), objective, promise, (o+p)%2 == 1)
		}
	}
	for m, method := range spec.Solvers() {
		if method != spec.Solver(policy.Exact) && !testing.Short() {
			run(method, objectives[m%len(objectives)], promises[(m/len(objectives)+2)%len(promises)], false)
		}
	}
}

func together(t *testing.T, text string, objective policy.Objective, promise string, grouped bool) {
	in := drawn(t, load(t, text), 90, func(i int, e *dataset.Example) {
		if grouped {
			e.Group = fmt.Sprint(i / 3)
		}
	})
	out, d := analysed(t, in)
	for _, b := range out.Datasets {
		if _, err := b.Deployments("0123"); err != nil {
			t.Errorf("files of thresholds: %v", err)
		}
	}
	for _, p := range d.Policies {
		certified := strings.HasSuffix(p.Policy, "-guarantee")
		if certified != (p.Certificate == nil) && p.Feasible {
			t.Errorf("%s: certificate %+v", p.Policy, p.Certificate)
		}
		if c := p.Certificate; c != nil && (c.Gap < 0 || objective == policy.Deferrals && c.Gap > float64(d.Counts.Fit)) {
			t.Errorf("%s: gap %v of %d records", p.Policy, c.Gap, d.Counts.Fit)
		}
	}
	promised := 0
	for _, r := range d.Rows {
		says := strings.Contains(r.Title, ", certified")
		if says != r.Certified {
			t.Errorf("row %q is certified: %t", r.Title, r.Certified)
		}
		if r.Promise != nil {
			promised++
			if grouped != (r.Promise.Clusters > 0) {
				t.Errorf("row %q: %d clusters, grouped %t", r.Title, r.Promise.Clusters, grouped)
			}
		}
		if objective == policy.Cost && slices.ContainsFunc(r.Notes, func(n result.Note) bool {
			inRecords := strings.Contains(n.Text, "it defers") || strings.Contains(n.Text, "are deferred")
			return inRecords || (n.Kind == "randomised" || n.Kind == "generalised") && !strings.Contains(n.Text, "cost")
		}) {
			t.Errorf("row %q speaks of deferrals: %v", r.Title, r.Notes)
		}
		if c := r.Compared; c != nil && objective == policy.Cost && !(c.ExactCost > 0 && c.Cost > 0) {
			t.Errorf("row %q: costs %v of %v", r.Title, c.Cost, c.ExactCost)
		}
	}
	if want := 2; promise != "" && promised != want {
		t.Errorf("%d rows with a promise, want %d", promised, want)
	}
}
