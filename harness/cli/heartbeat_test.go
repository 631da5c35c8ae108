package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"infnet/harness/collect"
	"infnet/harness/pipeline"
)

// A heartbeat says in one line how far a command is, with what is known.
func TestHeartbeat(t *testing.T) {
	whole := pipeline.Whole{Tasks: 6, Over: 2, Total: 1800, Done: 900, Asked: 600, Failed: 3, Took: 2 * time.Minute,
		Spent: collect.Spent{In: 1_234_000, Out: 600, Cost: 0.3456, Currency: "USD"}}
	for _, tt := range []struct {
		name  string
		task  *meter
		whole *pipeline.Whole
		want  string
	}{
		{name: "nothing known", want: "level=INFO msg=heartbeat after=1h0m0s\n"},
		{name: "a task", task: &meter{name: "fit the trees", done: 3, total: 9},
			want: "level=INFO msg=heartbeat after=1h0m0s task=\"fit the trees\" done=3/9\n"},
		{name: "a collection", task: &meter{name: "small · a", done: 100, total: 300}, whole: &whole,
			want: "level=INFO msg=heartbeat after=1h0m0s task=\"small · a\" done=100/300 all=900/1800 tasks=2/6 rate=5/s " +
				"left=3m0s tokens=1.23M cost=\"0.3456 USD\" failed=3\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			h := newHeartbeat(&out, time.Hour, false)
			defer h.stop()
			h.began = time.Now().Add(-time.Hour)
			h.at(tt.task)
			if tt.whole != nil {
				h.of(func() pipeline.Whole { return *tt.whole })
			}
			h.beat()
			if out.String() != tt.want {
				t.Errorf("%q, want\n%q", out.String(), tt.want)
			}
			h.stop()
			if h.beat(); strings.Count(out.String(), "\n") != 1 {
				t.Error("it beats after its end")
			}
		})
	}
}

func TestLasting(t *testing.T) {
	for d, want := range map[time.Duration]string{
		7 * time.Second: "7s", 250 * time.Second: "4m10s", 3*time.Hour + 12*time.Minute + 40*time.Second: "3h13m",
		123 * time.Hour: "5d03h", 59*time.Minute + 59*time.Second: "59m59s",
	} {
		if got := lasting(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	for n, want := range map[int64]string{812: "812", 9999: "9999", 12345: "12.3k", 4_560_000: "4.56M", 7e9: "7G"} {
		if got := short(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
