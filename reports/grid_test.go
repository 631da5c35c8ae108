package reports

import (
	"bytes"
	"fmt"
	"testing"

	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

// came is what a policy comes to, by hand.
func came(policy string, err, excess float64, budget result.Kept) result.Realised {
	at := func(v, by float64) infer.Interval {
		return infer.Interval{Value: v, Low: v - by, High: v + by, Level: 0.95, N: 200}
	}
	return result.Realised{Policy: policy, Title: "Ours (" + policy + ")", Error: at(err, 0.02), Allowed: err - excess,
		Excess: at(excess, 0.01), Budget: budget, Saved: at(40, 5), Deferred: 0.25}
}

// written is a table as Markdown and as CSV.
func written(t *testing.T, x table.Table) (md, csv string) {
	t.Helper()
	var a, b bytes.Buffer
	if err := x.Markdown(&a); err != nil {
		t.Fatal(err)
	}
	if err := x.CSV(&b); err != nil {
		t.Fatal(err)
	}
	return a.String(), b.String()
}

// An axis is a table whose rows of a policy stand together; of seeds it says what the mean's interval is.
func TestGridTables(t *testing.T) {
	point := func(value, policy string) result.Point {
		return result.Point{Cascade: "small+large", Dataset: "reviews", Value: value, Fit: 800, Test: 200,
			Realised: came(policy, 0.1, 0.005, result.BudgetOpen)}
	}
	s := &result.Results{Name: "by hand", Level: 0.95, Grid: []result.Varied{
		{Axis: "target", Points: []result.Point{point("0.9", "single"), point("best", "single"), point("0.9", "multi"),
			point("best", "multi")}},
		{Axis: "seed", Points: []result.Point{point("1", "single"), point("2", "single"),
			point(result.OverSeeds, "single")}}}}
	goldenTables(t, "made/grid.md", s)
}

// goldenTables compares all tables of a study with a file.
func goldenTables(t *testing.T, name string, s *result.Results) {
	t.Helper()
	var all string
	for _, x := range Tables(s) {
		md, csv := written(t, x)
		all += md + "\n" + csv + "\n"
	}
	golden(t, name, []byte(all))
}

// movedOver is a policy transferred between so many domains: where it was fitted its budget is kept, and on the last it
// is broken.
func movedOver(n int, certified bool) *result.Results {
	x := result.Transferred{By: "dataset", Cascade: "small+large"}
	for i := range n {
		x.Domains = append(x.Domains, result.Domain{Name: fmt.Sprint("set", i+1), Fit: 100 + i, Test: 200 + i})
		for j := range n {
			c := result.Cell{FittedOn: fmt.Sprint("set", i+1), UsedOn: fmt.Sprint("set", j+1),
				Realised: came("single", 0.1, 0, result.BudgetOpen)}
			switch {
			case i == j:
				c.Realised = came("single", 0.1, -0.02, result.BudgetKept)
			case j == n-1:
				c.Realised = came("single", 0.15, 0.05, result.BudgetBroken)
			}
			c.Certified = certified
			x.Cells = append(x.Cells, c)
		}
	}
	return &result.Results{Name: "by hand", Level: 0.95, Transfer: []result.Transferred{x}}
}

// Of few domains a table has every pair, and of many each policy with how its budget fares elsewhere. A promise is
// marked where it does not hold.
func TestTransferTables(t *testing.T) {
	goldenTables(t, "made/transfer-2.md", movedOver(2, true))
	goldenTables(t, "made/transfer-7.md", movedOver(7, false))
}
