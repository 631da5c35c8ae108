package pipeline_test

import (
	"strings"
	"testing"
	"time"

	"infnet/harness/pipeline"
)

// watcher keeps what a collection says of itself as a whole: when it begins, and when it is over.
type watcher struct {
	pipeline.Silent
	before, after pipeline.Whole
	ended         int
}

func (w *watcher) Whole(now func() pipeline.Whole) (end func()) {
	w.before = now()
	return func() {
		w.after = now()
		w.ended++
	}
}

// The whole is known before the first call, equal requests are taken off it as they are met, and a second collection
// has nothing to ask. (The fourth row asks what the first does: 3 requests to each model.)
func TestWhole(t *testing.T) {
	w := &watcher{}
	st, err := open(t, strings.Replace(text, "Item {item}:", "Item {item} is {colour}:", 1), rows, w)
	if err != nil {
		t.Fatal(err)
	}
	for k, asked := range []int{6, 0} {
		if _, err := st.Collect(t.Context(), pipeline.CollectOptions{}); err != nil {
			t.Fatal(err)
		}
		if w.before.Tasks != 2 || w.before.Total != 8 || w.before.Done != 0 || w.ended != k+1 {
			t.Errorf("at first: %+v, ended %d times", w.before, w.ended)
		}
		if a := w.after; a.Tasks != 2 || a.Over != 2 || a.Total != 8-2*(1-k) || a.Done != a.Total || a.Asked != asked ||
			a.Failed != 0 || a.Spent.Tokens() == 0 != (asked == 0) {
			t.Errorf("at last: %+v, want %d asked", a, asked)
		}
	}
}

// By hand: 30 of 90 in 10 seconds are 3 a second, and the other 50 take 16.7 s.
func TestWholeRate(t *testing.T) {
	for _, tt := range []struct {
		name string
		w    pipeline.Whole
		rate float64
		left time.Duration
	}{
		{name: "nothing yet", w: pipeline.Whole{Total: 90}},
		{name: "under way", w: pipeline.Whole{Total: 90, Done: 40, Asked: 30, Took: 10 * time.Second}, rate: 3,
			left: 50 * time.Second / 3},
		{name: "over", w: pipeline.Whole{Total: 90, Done: 90, Asked: 30, Took: 10 * time.Second}, rate: 3},
		{name: "slower than can be said", w: pipeline.Whole{Total: 1 << 40, Asked: 1, Took: time.Hour}, rate: 1. / 3600,
			left: 50 * 365 * 24 * time.Hour},
	} {
		if got := tt.w.Rate(); got != tt.rate {
			t.Errorf("%s: rate %v, want %v", tt.name, got, tt.rate)
		}
		if got := tt.w.Left(); got.Round(time.Millisecond) != tt.left.Round(time.Millisecond) {
			t.Errorf("%s: %v left, want %v", tt.name, got, tt.left)
		}
	}
}
