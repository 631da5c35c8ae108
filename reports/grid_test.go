package reports

import (
	"bytes"
	"fmt"
	"strings"
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
	all := Tables(s)
	if len(all) != 2 || all[0].Kind != "grid-target" || all[1].Kind != "grid-seed" {
		t.Fatalf("%d tables", len(all))
	}
	md, csv := written(t, all[0])
	for _, want := range []string{"10.0 [8.0, 12.0]", "0.5 [-0.5, 1.5]", "open", "40.0 [35.0, 45.0]", "25.0", "9.5",
		"hold together over the rows of this table"} {
		if !strings.Contains(md, want) {
			t.Errorf("no %q in\n%s", want, md)
		}
	}
	if lines := strings.Count(csv, "\n"); lines != 5 || strings.Count(md, "reviews") != 1 {
		t.Errorf("%d lines of CSV:\n%s%s", lines, csv, md)
	}
	if md, csv = written(t, all[1]); !strings.Contains(md, "Nadeau") || !strings.Contains(csv, ",mean,800,200,single,") {
		t.Errorf("seeds:\n%s%s", md, csv)
	}
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
			switch c.Certified = certified; {
			case i == j:
				c.Realised = came("single", 0.1, -0.02, result.BudgetKept)
				c.Certified = certified
			case j == n-1:
				c.Realised = came("single", 0.15, 0.05, result.BudgetBroken)
				c.Certified = certified
			}
			x.Cells = append(x.Cells, c)
		}
	}
	return &result.Results{Name: "by hand", Level: 0.95, Transfer: []result.Transferred{x}}
}

// Of few domains a table has every pair, and of many each policy with how its budget fares elsewhere. A promise is
// marked where it does not hold.
func TestTransferTables(t *testing.T) {
	all := Tables(movedOver(2, true))
	if len(all) != 1 || all[0].Kind != "transfer" {
		t.Fatalf("%d tables", len(all))
	}
	md, csv := written(t, all[0])
	if n := strings.Count(md, "<sup>a</sup>"); n != 3 { // two cells off the diagonal, and the footnote
		t.Errorf("%d marks:\n%s", n, md)
	}
	for _, want := range []string{"set1", "broken", "kept", "of them it says nothing", "5.0 [4.0, 6.0]"} {
		if !strings.Contains(md, want) {
			t.Errorf("no %q in\n%s", want, md)
		}
	}
	if !strings.Contains(csv, ",set1,set2,100,201,single,") {
		t.Errorf("no cell in\n%s", csv)
	}
	md, csv = written(t, Tables(movedOver(7, false))[0])
	if n := strings.Count(md, "Ours (single)"); n != 7 || strings.Contains(md, "<sup>") ||
		!strings.Contains(md, "1, 5, 0") {
		t.Errorf("%d rows of 7:\n%s", n, md)
	}
	if n := strings.Count(csv, "\n"); n != 50 {
		t.Errorf("%d lines of CSV, want 49 pairs and a head", n)
	}
}
