package analyze

import (
	"strings"
	"testing"
	"time"

	"infnet/backends"
)

// Percentiles by hand: ten queries of 1 to 10 s; the smallest time that half of them do not exceed is 5 s, and 95 % and
// 99 % only 10 s. A query that is 1 s or 9 s by a coin counts half at both.
func TestQuantilesOfTimes(t *testing.T) {
	var all times
	ones := make([]uint8, 10)
	for i := range ones {
		all, ones[i] = append(all, taken{i, float64(i + 1), 1}), 1
	}
	for _, tt := range []struct {
		name   string
		times  times
		counts []uint8
		want   [3]float64
	}{
		{name: "ten queries", times: all, counts: ones, want: [3]float64{5, 10, 10}},
		{name: "a resample of the first alone", times: all, counts: []uint8{10, 0, 0, 0, 0, 0, 0, 0, 0, 0},
			want: [3]float64{1, 1, 1}},
		{name: "a coin", times: times{{0, 1, 0.5}, {0, 9, 0.5}}, counts: []uint8{1}, want: [3]float64{1, 9, 9}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := make([]float64, 3)
			tt.times.quantiles(tt.counts, []float64{0.5, 0.95, 0.99}, got)
			if [3]float64(got) != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

// The study by hand, where the student takes 1 s and the master 4 s: a deferred query takes 5 s, one that goes straight
// to the master 4 s. With objective latency the thresholds are those of the fewest deferrals, as all take the same.
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
	text := handTOML + "\n[policy]\nobjective = \"latency\"\n\n[report]\nlatency = true\n"
	_, d := analysed(t, handInput(t, load(t, text), byHand, nil, timed))
	single := rowNamed(t, d, Single)
	near(t, "mean", single.Latency.Mean.Value, 1+4*single.Deferred.Value)
	near(t, "p99", single.Latency.P99.Value, 5)
	near(t, "the student's p99", rowNamed(t, d, "none").Latency.P99.Value, 1)
	near(t, "the master's p50", rowNamed(t, d, "all").Latency.P50.Value, 4)
	near(t, "θ", thetas(t, d, Single)[0], thetas(t, plain, Single)[0])

	// Where a time is missing there is no table, and nothing to minimise.
	in := handInput(t, load(t, text), byHand, nil)
	if _, err := Run(t.Context(), in); err == nil ||
		!strings.Contains(err.Error(), "needs the measured time of every answer of master") {
		t.Errorf("without times: %v", err)
	}
}
