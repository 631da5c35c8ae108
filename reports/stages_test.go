package reports

import (
	"math"
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

// A chain's thresholds have a row per stage, and a footnote where a pair cannot meet the budget; a pair says what chain
// contains it.
func TestStagesOfAChain(t *testing.T) {
	c := chained()
	pair := chained()
	pair.Within, pair.Models = "the whole chain", pair.Models[:2]
	goldenTables(t, "made/chain.md", &result.Results{Version: result.Version, Name: "chained", Level: .95,
		Cascades: []result.Cascade{c, pair}})
}
