package collect_test

import (
	"strings"
	"testing"
	"time"

	"infnet/harness/collect"
)

func TestReadShard(t *testing.T) {
	for _, test := range []struct{ text, want, fault string }{
		{text: "3/16", want: "3/16"},
		{text: "1/1", want: "1/1"},
		{text: "16/16", want: "16/16"},
		{text: "0/16", fault: "is no shard"},
		{text: "17/16", fault: "is no shard"},
		{text: "-1/16", fault: "is no shard"},
		{text: "3/0", fault: "is no shard"},
		{text: "3/-4", fault: "is no shard"},
		{text: "1/100001", fault: "is no shard"},
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
