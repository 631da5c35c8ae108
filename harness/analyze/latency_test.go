package analyze

import (
	"testing"
	"time"

	"infnet/backends"
)

// The study by hand, where the student takes 1 s and the master 4 s: a deferred query takes 5 s, one that goes straight
// to the master 4 s.
func TestLatencyOfRows(t *testing.T) {
	timed := func(model string, _ int, a *backends.Answer) {
		if a.Latency = time.Second; model == "master" {
			a.Latency = 4 * time.Second
		}
	}
	_, plain := analysed(t, handInput(t, load(t, handTOML), byHand, nil, timed))
	if r := rowNamed(t, plain, Single); r.Latency != nil {
		t.Errorf("latency %+v, and nobody asked", r.Latency)
	}
	text := handTOML + "\n[report]\nlatency = true\n"
	_, d := analysed(t, handInput(t, load(t, text), byHand, nil, timed))
	single := rowNamed(t, d, Single)
	near(t, "mean", single.Latency.Mean.Value, 1+4*single.Deferred.Value)
	near(t, "p99", float64(single.Latency.P99.Value), 5)
	near(t, "the student's p99", float64(rowNamed(t, d, "none").Latency.P99.Value), 1)
	near(t, "the master's p50", float64(rowNamed(t, d, "all").Latency.P50.Value), 4)

	// Where a time is missing there is no table.
	if _, d = analysed(t, handInput(t, load(t, text), byHand, nil)); rowNamed(t, d, Single).Latency != nil {
		t.Error("times that nobody measured")
	}
}
