package collect_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"testing"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/store"
)

// Shards in any order, twice, lost and of different divisions end with the answers of one process, and a process
// without a shard asks for what they left only.
func TestShardsCollectEverything(t *testing.T) {
	const n = 500
	want := newStore(t)
	j := drawn(t, n, 0)
	if _, err := collect.Run(context.Background(), want, []collect.Job{j}, collect.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		shards []collect.Shard
	}{
		{"in order", []collect.Shard{{K: 1, N: 3}, {K: 2, N: 3}, {K: 3, N: 3}}},
		{"in another order, and one twice", []collect.Shard{{K: 3, N: 3}, {K: 1, N: 3}, {K: 3, N: 3}, {K: 2, N: 3}}},
		{"one lost", []collect.Shard{{K: 3, N: 4}, {K: 1, N: 4}}},
		{"overlapping divisions", []collect.Shard{{K: 2, N: 3}, {K: 1, N: 2}, {K: 7, N: 16}}},
		{"more shards than requests", []collect.Shard{{K: 999, N: 1000}, {K: 1, N: 1000}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			st := newStore(t)
			asked := 0
			for _, shard := range test.shards {
				own := store.Open(st.Root(), store.Options{Shard: shard.Word()}) // as a process with a shard has it
				all, err := collect.Run(context.Background(), own, []collect.Job{j}, collect.Options{Shard: shard}, nil)
				if err != nil {
					t.Fatal(err)
				}
				rep := all.Jobs[0]
				if rep.Missing() != 0 || rep.Total != rep.OnDisk+rep.Shared+rep.Asked {
					t.Errorf("shard %v: %+v", shard, rep)
				}
				asked += rep.Asked
			}
			rep, err := collect.Run(context.Background(), st, []collect.Job{j}, collect.Options{}, nil)
			if err != nil || rep.Asked()+asked != n {
				t.Errorf("%d and %d were asked, %v; want %d together", asked, rep.Asked(), err, n)
			}
			same(t, contents(t, want, j), contents(t, st, j))
		})
	}
}

// Shards are disjoint, together everything, and about equally large.
func TestShardsDivide(t *testing.T) {
	const n, keys = 16, 16000
	var size [n + 1]int
	for i := range keys {
		k := backends.Key(sha256.Sum256(fmt.Append(nil, i)))
		in := 0
		for j := 1; j <= n; j++ {
			if (collect.Shard{K: j, N: n}).Has(k) {
				size[j]++
				in++
			}
		}
		if in != 1 || !(collect.Shard{}).Has(k) || collect.Of(k, 1) != 1 {
			t.Fatalf("key %d is in %d shards", i, in)
		}
	}
	for j, got := range size[1:] { // the binomial's mean 1000 and standard deviation 31; six of them
		if got < 1000-186 || got > 1000+186 {
			t.Errorf("shard %d has %d of %d keys", j+1, got, keys)
		}
	}
}
