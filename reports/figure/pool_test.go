package figure

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/metrics/infer"
)

// pooled is a pool by hand: three models, of which the first costs so much.
func pooled(cheapest float64) *result.Results {
	at := func(v float64) infer.Interval { return infer.Interval{Value: v, Low: v / 2, High: 2 * v} }
	even := func(v, low, high float64) []result.PoolEven {
		return []result.PoolEven{{Share: 1, BreakEven: &infer.Interval{Value: v, Low: low, High: high}}, {Share: 0.5}}
	}
	choice := func(cost, err float64) result.PoolChoice { return result.PoolChoice{Cost: at(cost), Error: at(err)} }
	return &result.Results{Name: "by hand", Level: 0.95,
		Style: style.Style{Figures: []style.Format{style.SVG}, Draw: style.Kinds()},
		Pools: []result.Pool{{Name: "three", Unit: "USD",
			Datasets: []result.PoolDataset{{Name: "reviews",
				Families: []result.PoolFamily{{Kind: "single", Test: []result.PoolPoint{{Cost: cheapest, Error: 0.4}, {Cost: 0.001,
					Error: 0.2}, {Cost: 0.01, Error: 0.1}}}},
				Models: []result.PoolModel{{Model: "small", Error: at(0.4), Cost: at(cheapest)},
					{Model: "medium & co_1", Error: at(0.2), Cost: at(0.001)}, {Model: "large", Error: at(0.1), Cost: at(0.01)}},
				Envelope: []result.PoolChoice{choice(cheapest, 0.4), choice(0.0008, 0.15), choice(0.004, 0.08)},
				Oracle:   []result.PoolPoint{{Cost: cheapest, Error: 0.3}, {Cost: 0.0006, Error: 0.05}},
				Pairs: []result.PoolPair{
					{Student: "small", Master: "large", Ratio: 0.01, Even: even(0.4, 0.3, 0.5)},
					{Student: "medium & co_1", Master: "large", Ratio: 0.1, Even: even(0.2, 0.05, 0.35)},
					{Student: "small", Master: "medium & co_1", Ratio: 0.1, Even: []result.PoolEven{{Share: 1}, {Share: 0.5}}},
					{Student: "large", Master: "small", Ratio: result.Float(math.Inf(1))},
				}}}}}}
}

// What is drawn of a pool, to the byte: with costs on a logarithmic axis, and on a linear one where a model is free.
func TestPoolGolden(t *testing.T) {
	for _, tt := range []struct {
		name     string
		cheapest float64
	}{{"priced", 0.0001}, {"free", 0}} {
		t.Run(tt.name, func(t *testing.T) {
			files := write(t, pooled(tt.cheapest))
			got, path := files["reviews/pool.svg"], filepath.Join("testdata", "pool-"+tt.name+".svg")
			if len(got) == 0 {
				t.Fatal("no pool is drawn")
			}
			for name, data := range files {
				if bytes.Contains(data, []byte("NaN")) {
					t.Errorf("%s has a number that is none", name)
				}
			}
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("%v (go test -update writes it)", err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s (-want +got; go test -update accepts it):\n%s", path, diff)
			}
		})
	}
}
