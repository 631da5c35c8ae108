package reports

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

// pooled is a pool by hand: two models on one dataset, where the cascade of both saves, or not.
func pooled(verdict string, saved infer.Interval) *result.Results {
	at := func(v float64) infer.Interval {
		return infer.Interval{Value: v, Low: v / 2, High: 2 * v, Level: 0.95, N: 100}
	}
	errs := infer.Interval{Value: 0.01, Low: -0.01, High: 0.03}
	signal, structure, choice := at(0.0004), at(0.0001), at(0)
	inf := result.Float(math.Inf(1))
	return &result.Results{Name: "by hand", Level: 0.95,
		Pools: []result.Pool{{Name: "two", Models: []string{"small", "large"},
			Unit: "USD", Datasets: []result.PoolDataset{{Name: "reviews", Counts: result.Counts{Records: 200, Used: 200},
				Families: []result.PoolFamily{{Kind: "single", Tried: 2}, {Kind: "cascade", Tried: 40}},
				Models: []result.PoolModel{
					{Model: "small", Error: at(0.2), Cost: at(0.0005),
						Worth: []result.PriceRange{{From: 0, To: 0.01}}},
					{Model: "large", Error: at(0.1), Cost: at(0.002)},
				},
				Envelope: []result.PoolChoice{
					{PoolPolicy: result.PoolPolicy{Kind: "single", Models: []string{"small"}}, Price: result.PriceRange{To: 0.01},
						Error: at(0.2), Cost: at(0.0005)},
					{PoolPolicy: result.PoolPolicy{Kind: "cascade", Models: []string{"small", "large"}, Thetas: []result.Float{0.75}},
						Price: result.PriceRange{From: 0.01, To: inf}, Error: at(0.1), Cost: at(0.001)}},
				Savings: []result.PoolSaving{
					{Model: "small"},
					{Model: "large", Rival: &result.Rival{First: "large", Second: "large", Verdict: verdict, Margin: .02, Saved: saved,
						Error: errs, Than: "large"},
						Cascade: &result.PoolChoice{PoolPolicy: result.PoolPolicy{Kind: "cascade", Models: []string{"small", "large"}},
							Cost: at(0.001), Error: at(0.1)},
						Signal: &signal, Structure: &structure, Choice: &choice},
				},
				Pairs: []result.PoolPair{
					{Student: "small", Master: "large", Ratio: 0.25, FitEven: 0.8,
						BreakEven: &infer.Interval{Value: 0.7, Low: 0.65, High: 0.75},
						Even: []result.PoolEven{
							{Share: 1, FitEven: 0.3, BreakEven: &infer.Interval{Value: 0.22, Low: 0.2, High: 0.24}},
							{Share: 0.5, FitEven: 0.4, BreakEven: &infer.Interval{Value: 0.35, Low: 0.24, High: 0.46}}}},
					{Student: "large", Master: "small", Ratio: 4},
				},
			}}}}}
}

// Where nothing is worth it, a pool's table says that.
func TestPoolVerdicts(t *testing.T) {
	saves := infer.Interval{Value: 0.5, Low: 0.25, High: 0.75}
	for verdict, want := range map[string]string{
		"worth it": "worth it is small → large for the error of large: it costs 50.0 % [25.0, 75.0] less than any single " +
			"model, or random mix of two, that errs at most 2.0 points more, and errs 1.00 points more [-1.00, 3.00].",
		"not shown": "no cascade is shown to be worth it. Ask a single model, by the price of an error: small, large.",
		"errs more": "no cascade is shown to be worth it. Ask a single model, by the price of an error: small, large. " +
			"small → large errs 1.00 points more [-1.00, 3.00] than large.",
	} {
		if got := poolVerdict(&pooled(verdict, saves).Pools[0].Datasets[0]); got != want {
			t.Errorf("%s: %s\nwant %s", verdict, got, want)
		}
	}
}

// The tables of a pool, to the byte.
func TestPoolGolden(t *testing.T) {
	s := pooled("worth it", infer.Interval{Value: 0.5, Low: 0.25, High: 0.75})
	worth, csv := written(t, pools(s))
	golden(t, "pools/tables.md", []byte(worth+csv))
}

// A large or small price is written as the numbers of the table are, in every format; files keep the text. 4.1e+11 is
// 4.1 times the 11th power of 10.
func TestPricesOfWorth(t *testing.T) {
	inf := result.Float(math.Inf(1))
	s := pooled("worth it", infer.Interval{Value: 0.5, Low: 0.25, High: 0.75})
	s.Pools[0].Datasets[0].Models[0].Worth = []result.PriceRange{{To: 2e-7}, {From: 3e-6, To: 5e12}, {From: 0.25, To: 3},
		{From: 4.1e11, To: inf}}
	x := pools(s)
	var plain, latex, csv bytes.Buffer
	if err := errors.Join(x.Terminal(&plain, table.Look{}), x.LaTeX(&latex), x.CSV(&csv)); err != nil {
		t.Fatal(err)
	}
	const words = "≤ 2e-07, 3e-06 to 5e+12, 0.25 to 3, ≥ 4.1e+11"
	const math = `$\leq$ $2\times10^{-7}$, $3\times10^{-6}$ to $5\times10^{12}$, 0.25 to 3, $\geq$ $4.1\times10^{11}$`
	if !strings.Contains(plain.String(), words) || !strings.Contains(csv.String(), words) ||
		!strings.Contains(latex.String(), math) {
		t.Errorf("no %q in\n%s\n%s\nor no %s in\n%s", words, &plain, &csv, math, &latex)
	}
}
