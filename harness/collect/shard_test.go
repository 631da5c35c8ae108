package collect_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"infnet/harness/collect"
	"infnet/harness/store"
)

func TestReadShard(t *testing.T) {
	for _, test := range []struct{ text, want, fault string }{
		{text: "3/16", want: "3/16"},
		{text: "1/1", want: "1/1"},
		{text: "16/16", want: "16/16"},
		{text: "0/16", fault: "names shard 0 of 16"},
		{text: "17/16", fault: "names shard 17 of 16"},
		{text: "-1/16", fault: "names shard -1 of 16"},
		{text: "3/0", fault: "into 0 shards"},
		{text: "3/-4", fault: "into -4 shards"},
		{text: "1/100001", fault: "into 100001 shards"},
		{text: "3", fault: "is no shard"},
		{text: "", fault: "is no shard"},
		{text: "3/16/2", fault: "is no shard"},
		{text: "3 / 16", fault: "is no shard"},
		{text: "1e1/16", fault: "is no shard"},
		{text: "99999999999999999999/16", fault: "is no shard"},
	} {
		var s collect.Shard
		err := s.UnmarshalText([]byte(test.text))
		if s.String() != test.want || (err == nil) != (test.fault == "") ||
			err != nil && !strings.Contains(err.Error(), test.fault) {
			t.Errorf("%q: %v, %v; want %q, %q", test.text, s, err, test.want, test.fault)
		}
	}
}

// runShard collects as a process with a shard does.
func runShard(t *testing.T, root string, j collect.Job, shard collect.Shard, retry bool) collect.JobReport {
	t.Helper()
	st := store.Open(root, store.Options{Shard: shard.Word()})
	rep, err := collect.Run(context.Background(), st, []collect.Job{j},
		collect.Options{Shard: shard, RetryFailed: retry}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rep.Jobs[0]
}

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
				rep := runShard(t, st.Root(), j, shard, false)
				if rep.Missing() != 0 || rep.Total != rep.Had+rep.Shared+rep.Asked {
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

// Shards together spend no more than the study may.
func TestShareOfLimits(t *testing.T) {
	l := collect.Limits{Tokens: 1000, Cost: 8, Time: time.Hour}
	want := collect.Limits{Tokens: 62, Cost: 0.5, Time: time.Hour} // 1000/16 = 62.5; 8/16
	if got := l.Share(collect.Shard{K: 2, N: 16}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := (collect.Limits{Tokens: 3}).Share(collect.Shard{K: 2, N: 16}); got.Tokens != 1 {
		t.Errorf("%+v: 0 would be no limit", got)
	}
	if got := l.Share(collect.Shard{}); got != l {
		t.Errorf("%+v without shards", got)
	}
}
