package reports

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"infnet/harness/result"
)

// chained is a chain of three by hand, infeasible for its first pair.
func chained() result.Cascade {
	asked := func(share float64, models ...string) (out []result.Asked) {
		for i, m := range models {
			out = append(out, result.Asked{Model: m, Share: at(math.Pow(share, float64(i)), .01, 400)})
		}
		return out
	}
	row := func(policy, title string, asked []result.Asked) result.Row {
		r := classified(policy, title, .9, .9, 70, .1, .1, "cascade")
		r.Asked = asked
		return r
	}
	d := reviews()
	d.Budget = result.Budget{Target: "best", Errors: 40, Records: 400}
	d.Rows = []result.Row{
		row("pair-1-2", "Ours, small → mid", asked(.5, "small", "mid")),
		row("chain", "Ours, small → mid → big", asked(.5, "small", "mid", "big")),
	}
	d.Policies = []result.Policy{
		{Policy: "pair-1-2", Method: "exact", MinErrors: 60, FitErrors: 60, Budget: 40, FitAsked: []int{400, 200}, FitCost: 3,
			Thresholds:  []result.Threshold{{Model: "small", Theta: .7}},
			Certificate: &result.Certificate{Optimal: true}},
		{Policy: "chain", Method: "exact", Feasible: true, FitErrors: 40, Budget: 40, FitAsked: []int{400, 200, 100},
			FitCost:     12.5,
			Thresholds:  []result.Threshold{{Model: "small", Theta: .7}, {Model: "mid", Theta: result.Float(math.Inf(1))}},
			Certificate: &result.Certificate{LowerBound: 12.5, Optimal: true}},
	}
	c := plainCascade()
	c.Name, c.Models, c.Datasets = "small+mid+big", []string{"small", "mid", "big"}, []result.Dataset{d}
	return c
}

// A chain's thresholds have a row per stage, and a footnote where a pair cannot meet the budget.
func TestStagesOfAChain(t *testing.T) {
	c := chained()
	s := &result.Results{Version: result.Version, Name: "chained", Level: .95, Cascades: []result.Cascade{c}}
	var out bytes.Buffer
	if err := Terminal(&out, s, Screen{All: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Stages of chains", "small (student), mid and big (master)", "60 / 40", "200 / 400", "100 / 400", "inf",
		"Infeasible: no thresholds meet the budget",
		"25.0 [24.0, 26.0]", "12.5", "Deferred, of a chain: share of the records asked of the last model",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the tables do not say %q:\n%s", want, &out)
		}
	}
	c.Within, c.Models = "the whole chain", c.Models[:2]
	s.Cascades[0] = c
	out.Reset()
	if err := Terminal(&out, s, Screen{All: true}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "A pair that is part of a chain is measured on the records") {
		t.Errorf("a pair does not say what contains it:\n%s", &out)
	}
}
