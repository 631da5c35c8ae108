package reports

import (
	"fmt"
	"math"

	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

// latencies is how long queries take with every policy, where the study asks for it.
func latencies(s *result.Results) (t table.Table, ok bool) {
	t = table.Table{Kind: "latency"}
	var list []place
	var groups [][]policyRow
	for _, p := range places(s) {
		var group []policyRow
		for i := range p.d.Rows {
			if r := &p.d.Rows[i]; r.Latency != nil && r.Compared == nil {
				group = append(group, policyRow{p, r})
			}
		}
		if len(group) > 0 {
			list, groups = append(list, p), append(groups, group)
		}
	}
	if len(list) == 0 {
		return t, false
	}
	t.Caption = cascadesCaption("How long a query takes, in seconds: ", cascadesOf(list))
	percentile := func(head, field string, of func(l *result.Latency) result.Estimate) column[policyRow] {
		return cells(table.Words(head), []string{field}, func(x policyRow) table.Cell {
			e := of(x.r.Latency)
			iv := infer.Interval{Value: float64(e.Value), Low: float64(e.Low), High: float64(e.High)}
			return threeDigits(&iv, 1)
		}, alignRight)
	}
	ofMaster := func(head, field string, of func(l *result.Latency) result.Estimate) column[policyRow] {
		return number(head, field, func(x policyRow) table.Part {
			for i := range x.d.Rows {
				if r := &x.d.Rows[i]; r.Policy == "all" && r.Latency != nil {
					return table.Num(table.Exactly(float64(of(x.r.Latency).Value/of(r.Latency).Value), 2))
				}
			}
			return table.Num(table.Exactly(math.NaN(), 2))
		}, exact)
	}
	p50 := func(l *result.Latency) result.Estimate { return l.P50 }
	p95 := func(l *result.Latency) result.Estimate { return l.P95 }
	p99 := func(l *result.Latency) result.Estimate { return l.P99 }
	fill(&t, append(whereColumns[policyRow](&t, list),
		text("Policy", "policy", func(x policyRow) string { return x.r.Title }),
		text("Policy id", "policy_id", func(x policyRow) string { return x.r.Policy }, csvOnly),
		cells(table.Words("Mean"), []string{"mean"}, func(x policyRow) table.Cell {
			return threeDigits(&x.r.Latency.Mean, 1)
		}, alignRight),
		percentile("p50", "p50", p50), percentile("p95", "p95", p95), percentile("p99", "p99", p99),
		ofMaster("p50 / master's", "p50_of_master", p50), ofMaster("p99 / master's", "p99_of_master", p99)), groups)
	t.Remark(table.Plain(fmt.Sprintf("Measured on the test part%s. A query takes the time of every model that it asks, "+
		"on the same record, and in an ensemble that of the slowest; what a learner takes to decide is left out. A "+
		"percentile is the smallest time that at least so many of the queries do not exceed; its interval is of order "+
		"statistics, and [at least …] where the sample has none that is large enough.", withRanges(s, false))))
	return t, true
}
