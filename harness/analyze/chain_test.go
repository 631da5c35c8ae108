package analyze

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"infnet/harness/records"
	"infnet/harness/result"
)

// chainTOML puts a third model between the two of handTOML, at three times the
// student's prices: answers cost 10, 30 and 100 on average of the fit part.
var chainTOML = strings.NewReplacer(
	"[[datasets]]", `[[models]]
name      = "middle"
backend   = "simulated"
simulated = { alpha = 1, beta = 1, intercept = 0 }
price_in  = 3_000_000
price_out = 6_000_000

[[datasets]]`,
	`["student", "master"]`, `["student", "middle", "master"]`,
).Replace(handTOML)

// middleSays is the middle model that goes with byHand: wrong on 5 and 9 of the fit
// part and on 13 and 15 of the test part.
var middleSays = []struct {
	class byte
	beta  float64
}{
	{'r', .90}, {'r', .90}, {'b', .80}, {'r', .90}, {'b', .55}, {'b', .90}, {'r', .85}, {'b', .90}, {'r', .60}, {'r', .70},
	{'r', .90}, {'b', .90}, {'b', .65}, {'b', .90}, {'r', .75}, {'r', .90}, {'r', .90}, {'b', .90}, {'b', .90}, {'r', .90},
}

// chainInput is the study by hand of three models. In the table byHand record
// 18 is blue and the student and the master both say red.
func chainInput(t *testing.T, head string, omit func(model string, record int) string) Input {
	t.Helper()
	var truth []byte
	for _, r := range byHand {
		truth = append(truth, r.truth)
	}
	return inputOf(t, load(t, chainTOML+head), truth, func(model string, i int) (byte, float64) {
		switch model {
		case "middle":
			return middleSays[i].class, middleSays[i].beta
		case "master":
			return byHand[i].master, .9
		}
		return byHand[i].student, byHand[i].beta
	}, omit)
}

// fittedPolicy returns a fitted policy of the results.
func fittedPolicy(t *testing.T, d result.Dataset, name string) result.Policy {
	t.Helper()
	k := slices.IndexFunc(d.Policies, func(p result.Policy) bool { return p.Policy == name })
	if k < 0 {
		t.Fatalf("there is no policy %q", name)
	}
	return d.Policies[k]
}

// All numbers by hand, from the tables byHand and middleSays.
func TestChainByHand(t *testing.T) {
	out, d := analysed(t, chainInput(t, "", nil))
	near(t, "B", d.Budget.Errors, 2) // the least of 4, 2 and 2
	for m, want := range []float64{10, 30, 100} {
		near(t, "cost of "+d.Costs[m].Model, d.Costs[m].Value, want)
	}
	// The chain: 9 and 10 go to the middle model, which is right on 10; its .60
	// on 9 is below .70, and the master is right. 3 and 7 stay wrong. With only
	// 10 deferred 3 errors stay; every other way costs 210 or more, this 160.
	for _, want := range []struct {
		name   string
		thetas []float64
		asked  []int
		cost   float64
	}{
		{"pair-1-2", []float64{.90}, []int{10, 7}, 31}, // all but 1, 2 and 6; 5 and 9 are wrong
		{"pair-1-3", []float64{.80}, []int{10, 5}, 60}, // as in TestRowsByHand
		{"pair-2-3", []float64{0}, []int{10, 0}, 30},   // the middle model makes two errors by itself
		{Chain, []float64{.70, .70}, []int{10, 2, 1}, 26},
	} {
		p := fittedPolicy(t, d, want.name)
		for k, theta := range thetas(t, d, want.name) {
			near(t, want.name+" θ", theta, want.thetas[k])
		}
		if diff := cmp.Diff(want.asked, p.FitAsked); diff != "" || !p.Feasible || p.FitErrors != 2 || !p.Certificate.Optimal {
			t.Errorf("%s: feasible %v with %v errors, asked (-want +got)\n%s", want.name, p.Feasible, p.FitErrors, diff)
		}
		near(t, want.name+" cost", p.FitCost, want.cost)
	}
	// Costs of one answer in the test part: 20, 60 and 200 in its first half,
	// 10, 30 and 100 in its second; all by the master is 1500.
	for _, want := range []struct {
		policy              string
		error, saved, query float64 // query: what all ten pay
		asked               []float64
	}{
		{"none", .3, 90, 150, []float64{1, 0, 0}},
		{"all", .2, 0, 1500, []float64{0, 0, 1}},
		{"only-2", .2, 70, 450, []float64{0, 1, 0}},
		// A coin at each stage: ½·3 + ¼·2 + ¼·2 errors; ½ and ¼ go on.
		{"random", .25, 50, 150 + .5*450 + .25*1500, []float64{1, .5, .25}},
		// 12, 16 and 18 by the middle model, the rest by the student.
		{"oracle-router", 0, 84, 110 + 120, []float64{.7, .3, 0}},
		// Accepts 11, 14, 16 and 19; 16, 13 and 15 are wrong.
		{"pair-1-2", .3, 72, 150 + 3*60 + 3*30, []float64{1, .6}},
		{"pair-1-3", .2, 50, 850, []float64{1, .4}},
		{"pair-2-3", .2, 70, 450, []float64{1, 0}},
		// 13 (.65) and 15 (.60) are deferred; the middle model's .65 on 13 goes
		// on to the master, its .75 on 15 stands, wrong. So do 12, 16 and 18.
		{Chain, .4, 74, 150 + 120 + 200, []float64{1, .2, .1}},
	} {
		r := rowNamed(t, d, want.policy)
		near(t, want.policy+" error", r.Error.Value, want.error)
		near(t, want.policy+" accuracy", r.Metrics["accuracy"].Value, 1-want.error)
		near(t, want.policy+" saved", r.Saved.Value, want.saved)
		near(t, want.policy+" saved per query", r.SavedPerQuery.Value, 100*(1-want.query/1500))
		for k, share := range want.asked {
			near(t, fmt.Sprintf("%s asks %s", want.policy, r.Asked[k].Model), r.Asked[k].Share.Value, share)
		}
	}
	// The pair to beat costs 30: the middle model alone does.
	x := d.Extra
	if x == nil || x.Model != "student" || x.Pair != "pair-2-3" {
		t.Fatalf("the extra model is %+v, want the student beside pair-2-3", x)
	}
	near(t, "difference of the savings", x.Saved.Value, 4)
	near(t, "difference of the errors", x.Error.Value, .2)
	if x.Pays != "unclear" || !(x.Saved.Low < 0 && x.Saved.High > 0) {
		t.Errorf("ten records tell that it pays: %s, %v", x.Pays, x.Saved)
	}
	checkChainPairs(t, out)
	checkChainLines(t, out)
}

// Each pair has an analysis of its own, as a study of that pair alone has.
func checkChainPairs(t *testing.T, out *Output) {
	t.Helper()
	if n := len(out.Result.Cascades); n != 4 {
		t.Fatalf("%d cascades, want the chain and three pairs", n)
	}
	_, alone := analysed(t, handInput(t, load(t, handTOML), byHand, nil))
	pair := out.Result.Cascades[2]
	if pair.Within != "student+middle+master" || pair.Name != "student+middle+master (student+master)" {
		t.Errorf("the pair is %q within %q", pair.Name, pair.Within)
	}
	if diff := cmp.Diff(alone.Rows, pair.Datasets[0].Rows,
		cmpopts.IgnoreFields(result.Rival{}, "Saved", "Error")); diff != "" {
		t.Errorf("the pair within the chain and alone (-alone +within)\n%s", diff)
	}
}

// What the records say of the chain's decisions.
func checkChainLines(t *testing.T, out *Output) {
	t.Helper()
	stages := map[string]result.Decision{}
	for _, l := range policyLines(t, out) {
		for _, d := range l.Decisions {
			if l.Cascade == "student+middle+master" && d.Policy == Chain {
				stages[l.ID] = d
			}
		}
	}
	theta := []result.Float{.70, .70}
	for id, want := range map[string]result.Decision{
		"9":  {Policy: Chain, Deferred: true, Asked: []int{0, 1, 2}, Stage: 2, Thetas: theta},
		"10": {Policy: Chain, Asked: []int{0, 1}, Stage: 1, Thetas: theta},
		"11": {Policy: Chain, Asked: []int{0}, Stage: 0, Thetas: theta},
		"13": {Policy: Chain, Deferred: true, Asked: []int{0, 1, 2}, Stage: 2, Thetas: theta},
		"15": {Policy: Chain, Asked: []int{0, 1}, Stage: 1, Thetas: theta},
	} {
		if diff := cmp.Diff(want, stages[id]); diff != "" {
			t.Errorf("record %s (-want +got)\n%s", id, diff)
		}
	}
}

// A record that one of three did not answer counts for no pair either.
func TestChainMissingAnswers(t *testing.T) {
	out, _ := analysed(t, chainInput(t, "", func(model string, record int) string {
		if model == "middle" && (record == 4 || record == 20) {
			return records.NotCollected
		}
		return ""
	}))
	for _, c := range out.Result.Cascades {
		got := c.Datasets[0].Counts
		want := result.Counts{Records: 20, Used: 18, Fit: 9, Test: 9,
			Missing: []result.Missing{{Model: "middle", Cause: records.NotCollected, Count: 2}}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: counts (-want +got)\n%s", c.Name, diff)
		}
	}
}

// drawnChain is drawnTOML with a third model between the two.
func drawnChain(head, data string) string {
	return strings.NewReplacer(
		"[[datasets]]", "[[models]]\nname = \"middle\"\nbackend = \"simulated\"\nsimulated = { alpha = 3, beta = 1, "+
			"intercept = 0.4, slope = -0.35 }\n\n[[datasets]]",
		`["student", "master"]`, `["student", "middle", "master"]`,
	).Replace(fmt.Sprintf(drawnTOML, head, worse, better, data))
}

// A chain's curve begins where only the first model is asked and ends where all are; its own place is its row's; what
// pairs do at its cost is read off their curves by hand.
func TestChainHasACurve(t *testing.T) {
	t.Parallel()
	text := strings.NewReplacer(`model = "tokens"`, `model = "fixed"`, `name      = "student"`,
		"name = \"student\"\nfixed_cost = 1", `name = "middle"`, "name = \"middle\"\nfixed_cost = 4",
		`name      = "master"`, "name = \"master\"\nfixed_cost = 40").Replace(drawnChain("", classify))
	_, d := analysed(t, drawn(t, load(t, text), 240, nil))
	c, chain := curveOf(t, d, Chain), rowNamed(t, d, Chain)
	none, all, last := rowNamed(t, d, "none"), rowNamed(t, d, "all"), len(c.Saved)-1
	near(t, "saved at the beginning", c.Saved[0], none.Saved.Value)
	near(t, "error at the beginning", c.Error[0], none.Error.Value)
	near(t, "asked at the beginning", c.Deferred[0], 0)
	spent := 0.0
	for _, cost := range d.Costs {
		spent += cost.Value
	}
	near(t, "saved at the end", c.Saved[last], 100*(1-spent/d.Costs[2].Value))
	near(t, "error at the end", c.Error[last], all.Error.Value)
	near(t, "asked at the end", c.Deferred[last], 1)
	near(t, "accuracy at the end", c.Metrics["accuracy"][last], all.Metrics["accuracy"].Value)
	near(t, "its own saving", c.Chosen.Saved, chain.Saved.Value)
	near(t, "its own error", c.Chosen.Error, chain.Error.Value)
	near(t, "its own deferral", c.Chosen.Deferred, chain.Deferred.Value)
	if c.Family != "chain" || len(c.Band.Low) != bandSteps+1 || len(d.Matched) != 3 {
		t.Fatalf("a curve of %s, %d steps of a band, %d comparisons", c.Family, len(c.Band.Low), len(d.Matched))
	}
	for _, pair := range []string{"pair-1-2", "pair-1-3", "pair-2-3"} {
		p, m := curveOf(t, d, pair), match(t, d, Chain, pair)
		near(t, "our saving", float64(m.Cost.Curve.Saved.Value), chain.Saved.Value)
		near(t, "our error", float64(m.Error.Curve.Error.Value), chain.Error.Value)
		if !m.Error.Fitted.Clipped && m.Error.Fitted.Saved.Value > p.Saved[0]+1e-9 {
			t.Errorf("%s saves %v, more than its first model alone", pair, m.Error.Fitted.Saved)
		}
		for k := 1; k < len(p.Saved); k++ { // savings fall along a curve
			if hi, lo := p.Saved[k-1], p.Saved[k]; lo <= chain.Saved.Value && chain.Saved.Value <= hi {
				f := (hi - chain.Saved.Value) / (hi - lo)
				near(t, pair+" errs at our cost", float64(m.Cost.Curve.Error.Value), (1-f)*p.Error[k-1]+f*p.Error[k])
				break
			}
		}
	}
}

// In the oracle setting the last model's answer is the reference, of the pair
// of the first two as well.
func TestChainOracleByHand(t *testing.T) {
	_, d := analysed(t, chainInput(t, "\n[policy]\nsetting = \"oracle\"\ntarget = 0.9\n", nil))
	near(t, "B", d.Budget.Errors, 1)
	// The student disagrees with the master on 3, 4, 7 and 9, the middle model
	// on 4, 5, 9 and 10. Deferring 10, 9, 5, 8, 7, 4, 3, 2, 1 and 6 one by one
	// makes 4 errors, then 5, 5, 6, 6, 5, 5, 4, 4, 4 and 4: never one.
	if p := fittedPolicy(t, d, "pair-1-2"); p.Feasible {
		t.Errorf("the pair of the first two meets the budget: %+v", p)
	}
	near(t, "the master's error", rowNamed(t, d, "all").Error.Value, 0)
	near(t, "the student's error", rowNamed(t, d, "none").Error.Value, .3)  // 12, 16 and 17
	near(t, "the middle's error", rowNamed(t, d, "only-2").Error.Value, .4) // 13, 15, 17 and 18
	if p := fittedPolicy(t, d, Chain); !p.Feasible || p.FitErrors > 1 {
		t.Errorf("the chain misses the budget: %+v", p)
	}
}
