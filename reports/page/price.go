package page

import (
	"cmp"
	"math"

	"infnet/harness/cost"
	"infnet/harness/result"
)

// pricedRow is a row of the table whose saving follows from its deferrals and the price ratio.
type pricedRow struct {
	Policy   string      `json:"policy"`
	Title    string      `json:"title"`
	Charge   cost.Charge `json:"charge"`
	Baseline bool        `json:"baseline,omitempty"`
	Overhead float64     `json:"overhead,omitempty"` // of making its score, in percent of the master's cost
	Deferred span        `json:"deferred"`
	Error    span        `json:"error"`
}

// pricedLine is a policy's curve on the test part, as far as prices move it.
type pricedLine struct {
	Policy   string      `json:"policy"`
	Title    string      `json:"title"`
	Charge   cost.Charge `json:"charge"`
	Overhead float64     `json:"overhead,omitempty"`
	Deferred []int64     `json:"deferred"` // in millionths of the records
	Error    []int64     `json:"error"`
}

// price fills in what depends on the price ratio. A row whose saving does not follow from it, to rounding, is left out.
func (g *group) price(d *result.Dataset) {
	if len(d.Costs) != 2 || !(d.Costs[1].Value > 0) || math.IsInf(d.Costs[0].Value/d.Costs[1].Value, 0) {
		return
	}
	ratio := d.Costs[0].Value / d.Costs[1].Value
	g.Ratio = &ratio
	overhead := map[string]float64{}
	ours := cmp.Or(d.Row("multi"), d.Row("single"))
	for i := range d.Curves {
		c := &d.Curves[i]
		overhead[c.Policy] = c.Overhead
		g.Curves = append(g.Curves, pricedLine{Policy: c.Policy, Title: c.Title, Charge: cost.Charge(c.Charge),
			Overhead: c.Overhead, Deferred: millionths(c.Deferred), Error: millionths(c.Error)})
	}
	for i := range d.Rows {
		r := &d.Rows[i]
		p := pricedRow{Policy: r.Policy, Title: r.Title, Charge: cost.Charge(r.Charge), Baseline: r.Baseline,
			Overhead: overhead[r.Policy], Deferred: span{r.Deferred.Value, r.Deferred.Low, r.Deferred.High},
			Error: span{r.Error.Value, r.Error.Low, r.Error.High}}
		if r.Compared == nil && math.Abs(saved(p.Charge, ratio, p.Deferred.Value, p.Overhead)-r.Saved.Value) < 1e-6 {
			g.Rows = append(g.Rows, p)
		}
		if r == ours && r.Rival != nil && r.Rival.BreakEven != nil {
			g.Even = &span{r.Rival.BreakEven.Value, r.Rival.BreakEven.Low, r.Rival.BreakEven.High}
		}
	}
}

// saved is what a policy saves, in percent of the master's cost.
func saved(charge cost.Charge, ratio, deferred, overhead float64) float64 {
	return float64(100*(1-charge.Expected(ratio, 1, deferred))) - overhead
}

func millionths(shares []float64) []int64 {
	out := make([]int64, len(shares))
	for i, v := range shares {
		out[i] = int64(math.Round(1e6 * v))
	}
	return out
}
