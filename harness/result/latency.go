package result

import "infnet/metrics/infer"

// Latency is how long queries take, in seconds: a query pays the time of every model
// that it asks, on the same record, and of models in parallel that of the slowest. A
// percentile is the smallest time that at least so many of the queries do not exceed.
type Latency struct {
	Mean infer.Interval `json:"mean"`
	P50  Estimate       `json:"p50"`
	P95  Estimate       `json:"p95"`
	P99  Estimate       `json:"p99"`
}
