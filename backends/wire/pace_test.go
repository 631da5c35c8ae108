package wire

import (
	"math"
	"testing"
	"time"
)

// By hand: sixteen calls at once, twelve of them refused for 10 s. Four were taken in 10 s, so the next come a gap of
// 10 s / 4 apart, none before the time.
func TestOpensCarefully(t *testing.T) {
	start := time.Unix(1e9, 0)
	var p pace
	for range 16 {
		if p.next.After(start) {
			t.Fatal("it holds back calls before any was refused")
		}
		p.start(start)
	}
	for range 12 {
		p.refused(start, 0, 10*time.Second)
	}
	again := start.Add(10 * time.Second)
	if got := p.next; !got.Equal(again) {
		t.Errorf("due %v, want %v", got, again)
	}
	if epoch := p.start(again); epoch != 1 {
		t.Errorf("epoch %d, want 1", epoch)
	}
	if gap, want := p.next.Sub(again).Round(time.Microsecond), 2500*time.Millisecond; gap != want {
		t.Errorf("the second call comes after %v, want %v", gap, want)
	}
	p.refused(again, 0, time.Second) // a late word about the first sixteen
	if p.shut {
		t.Error("a refusal of an earlier call shut it again")
	}
}

// Where a server refuses whatever comes and names no time, one call goes after each wait: of a second, or a twelfth of
// the time since the first once that is longer, and at most of 15 s. By hand: 1, 1, … up to 12 s, then each of 13/12.
// So it is where it names a time that is not true, from the third on, but with a quarter of a second for the one.
func TestNothingIsTaken(t *testing.T) {
	for _, named := range []time.Duration{0, 100 * time.Millisecond} {
		now := time.Unix(1e9, 0)
		first := now
		var p pace
		for i := range 80 {
			epoch := p.start(now)
			p.refused(now, epoch, named)
			want := min(15, now.Sub(first).Seconds()/12)
			if named == 0 {
				want = max(want, 1)
			} else if want = max(want, 0.25); i == 0 {
				want = 0.1 // then a trial's quarter of a second
			}
			if wait := p.next.Sub(now).Seconds(); math.Abs(wait-want) > 1e-6 {
				t.Errorf("wait %d: %v s, want %v s", i, wait, want)
			}
			now = p.next
		}
	}
}
