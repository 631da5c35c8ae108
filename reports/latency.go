package reports

import (
	"fmt"
	"math"

	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

// latencies is how long queries take with every policy, where the study asks for it.
func latencies(s *result.Results, c *result.Cascade) (table.Table, bool) {
	t := table.Table{Caption: caption(c, "How long a query takes, in seconds: "), Of: c.Name, Kind: "latency",
		Columns: []table.Column{
			{Head: table.Words("Dataset"), Fields: []string{"dataset"}, Merge: true},
			{Head: table.Words("Policy"), Fields: []string{"policy"}},
			{Head: table.Words("Mean"), Fields: []string{"mean"}, Align: table.Right},
			{Head: table.Words("p50"), Fields: []string{"p50"}, Align: table.Right},
			{Head: table.Words("p95"), Fields: []string{"p95"}, Align: table.Right},
			{Head: table.Words("p99"), Fields: []string{"p99"}, Align: table.Right},
			{Head: table.Words("p50 / master's"), Fields: []string{"p50_of_master"}, Exact: true, Align: table.Right},
			{Head: table.Words("p99 / master's"), Fields: []string{"p99_of_master"}, Exact: true, Align: table.Right},
		}}
	for i := range c.Datasets {
		d := &c.Datasets[i]
		var master *result.Latency
		for _, r := range d.Rows {
			if r.Policy == "all" {
				master = r.Latency
			}
		}
		var group []table.Row
		for _, r := range d.Rows {
			if r.Latency == nil || r.Compared != nil {
				continue
			}
			row := table.Row{table.Of(table.Name(d.Name)), table.Of(table.Plain(r.Title))}
			row = append(row, threeDigits(&r.Latency.Mean, 1))
			for _, e := range []result.Estimate{r.Latency.P50, r.Latency.P95, r.Latency.P99} {
				iv := infer.Interval{Value: float64(e.Value), Low: float64(e.Low), High: float64(e.High)}
				row = append(row, threeDigits(&iv, 1))
			}
			p50, p99 := math.NaN(), math.NaN()
			if master != nil {
				p50, p99 = float64(r.Latency.P50.Value/master.P50.Value), float64(r.Latency.P99.Value/master.P99.Value)
			}
			group = append(group, append(row, table.Of(table.Num(table.Exactly(p50, 2))),
				table.Of(table.Num(table.Exactly(p99, 2)))))
		}
		if len(group) > 0 {
			t.Groups = append(t.Groups, group)
		}
	}
	t.Remark(table.Plain(fmt.Sprintf("Measured on the test part%s. A query takes the time "+
		"of every "+
		"model that it asks, on the same record, and in an ensemble that of the slowest; what a learner takes to decide "+
		"is left "+
		"out. A percentile is the smallest time that at least so many of the queries do not exceed; its interval "+
		"is of order statistics, and [at least …] where the sample has none that is large enough.", withRanges(s, false))))
	return t, len(t.Groups) > 0
}
