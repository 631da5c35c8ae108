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
			s := newScreen(&out, screenFlags{Quiet: true, Heartbeat: time.Hour})
			s.began = time.Now().Add(-time.Hour)
			s.task = tt.task
			if tt.whole != nil {
				s.whole = &overview{now: func() pipeline.Whole { return *tt.whole }}
			}
			s.heartbeat(time.Hour)
			if out.String() != tt.want {
				t.Errorf("%q, want\n%q", out.String(), tt.want)
			}
			s.wait()
			if s.heartbeat(time.Hour); strings.Count(out.String(), "\n") != 1 {
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

func TestNothingHiddenReachesTheTerminal(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "é 日本 a\tb\n", "é 日本 a\tb\n"},
		{"escape", "\x1b[31mred\x1b[0m", "�[31mred�[0m"},
		{"bell, carriage return", "a\a\rb", "a��b"},
		{"C1 control", "a\u009b2Jb", "a�2Jb"},
		{"not UTF-8", "a\x9bb", "a�b"},
		{"direction override", "a\u202eb", "a�b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for size := 1; size <= len(c.in); size++ { // in pieces, too
				var out bytes.Buffer
				w := newVisible(&out)
				for rest := c.in; rest != ""; {
					n := min(size, len(rest))
					if got, err := w.Write([]byte(rest[:n])); got != n || err != nil {
						t.Fatal(got, err)
					}
					rest = rest[n:]
				}
				if out.String() != c.want {
					t.Errorf("pieces of %d: %q, want %q", size, out.String(), c.want)
				}
			}
		})
	}
}

// A day may be the one that has begun somewhere on earth, and no later one.
func TestCheckDay(t *testing.T) {
	now := time.Date(2026, 12, 31, 23, 30, 0, 0, time.FixedZone("west", -3*3600)) // in UTC the 1st, 02:30
	for _, tt := range []struct{ name, day, wrong string }{
		{name: "long ago", day: "1999-12-31"},
		{name: "today in UTC", day: "2027-01-01"},
		{name: "tomorrow in UTC", day: "2027-01-02"},
		{name: "a day later", day: "2027-01-03", wrong: "2027-01-02 is the latest by this machine's clock"},
		{name: "the last day", day: "9999-12-31", wrong: "this day is yet to come"},
		{name: "no day", day: "2026-02-30", wrong: "want a day"},
		{name: "another form", day: "31.12.2026", wrong: "want a day"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := checkDay(tt.day, now)
			if tt.wrong == "" && err != nil || tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)) {
				t.Errorf("error %v, want %q", err, tt.wrong)
			}
		})
	}
}
