package pace

import (
	"testing"
	"time"
)

// By hand: sixteen calls at once, twelve of them refused for 10 s. Four were taken in 10 s, so the next come a gap of
// 10 s / 4 / 1.05 apart, none before the time.
func TestOpensCarefully(t *testing.T) {
	start := time.Unix(1e9, 0)
	var p Pace
	for range 16 {
		if p.Due().After(start) {
			t.Fatal("it holds back calls before any was refused")
		}
		p.Start(start)
	}
	for range 12 {
		p.Refused(start, 0, 10*time.Second)
	}
	again := start.Add(10 * time.Second)
	if got := p.Due(); !got.Equal(again) {
		t.Errorf("due %v, want %v", got, again)
	}
	if epoch := p.Start(again); epoch != 1 {
		t.Errorf("epoch %d, want 1", epoch)
	}
	if gap, want := p.Due().Sub(again).Round(time.Microsecond), 2380952*time.Microsecond; gap != want {
		t.Errorf("the second call comes after %v, want %v", gap, want)
	}
	p.Refused(again, 0, time.Second) // a late word about the first sixteen
	if p.shut {
		t.Error("a refusal of an earlier call shut it again")
	}
}

// Where a server refuses whatever comes, one call goes at each of its times, and the waits that it does not name
// double up to eight seconds: 0.25, 0.5, 1, 2, 4, 8, 8 …
func TestNothingIsTaken(t *testing.T) {
	now := time.Unix(1e9, 0)
	var p Pace
	for i, want := range []float64{0.25, 0.5, 1, 2, 4, 8, 8} {
		epoch := p.Start(now)
		p.Refused(now, epoch, 0)
		if wait := p.Due().Sub(now).Seconds(); wait < want || i < 6 && wait > 2*want {
			t.Errorf("wait %d: %v s, want %v s", i, wait, want)
		}
		now = p.Due()
	}
}
