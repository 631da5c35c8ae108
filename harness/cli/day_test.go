package cli

import (
	"strings"
	"testing"
	"time"
)

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
