package cli

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"infnet/harness/pipeline"
)

// saidWhole is how often a log line repeats how far a collection is as a whole.
const saidWhole = time.Minute

// overview shows a collection as a whole: the last bar on a terminal, a log line now and then elsewhere.
type overview struct {
	screen *screen
	now    func() pipeline.Whole

	mu   sync.Mutex
	bar  *mpb.Bar
	last time.Time
}

// moved is called when something was done.
func (o *overview) moved() {
	if o == nil {
		return
	}
	w := o.now()
	if o.screen.bars == nil {
		o.mu.Lock()
		due := time.Since(o.last) >= saidWhole
		if due {
			o.last = time.Now()
		}
		o.mu.Unlock()
		if due {
			o.screen.log.Info("collecting", wholeWords(w)...)
		}
		return
	}
	o.mu.Lock()
	if o.bar == nil && w.Tasks > 1 {
		o.bar = o.screen.bars.AddBar(0, mpb.BarPriority(math.MaxInt32), mpb.BarNoPop(),
			mpb.PrependDecorators(decor.Name(fmt.Sprintf("all %d tasks ", w.Tasks), decor.WCSyncSpaceR)),
			mpb.AppendDecorators(decor.Any(o.counts, decor.WCSyncSpace), decor.Any(o.words, decor.WCSyncSpace)))
	}
	bar := o.bar
	o.mu.Unlock()
	if bar != nil {
		bar.SetTotal(int64(w.Total), false)
		bar.SetCurrent(int64(w.Done))
	}
}

func (o *overview) counts(decor.Statistics) string {
	w := o.now()
	return fmt.Sprintf("%d/%d", w.Done, w.Total)
}

// words are the time left, tokens, money and failures, as far as they fit beside a bar.
func (o *overview) words(decor.Statistics) string {
	w := o.now()
	var parts []string
	if left := w.Left(); left > 0 {
		parts = append(parts, lasting(left)+" left")
	}
	if n := w.Spent.Tokens(); n > 0 {
		parts = append(parts, short(n)+" tokens")
	}
	if w.Spent.Currency != "" {
		parts = append(parts, fmt.Sprintf("%.3g %s", w.Spent.Cost, w.Spent.Currency))
	}
	if w.Failed > 0 && o.screen.width >= 100 {
		parts = append(parts, fmt.Sprintf("%d failed", w.Failed))
	}
	return strings.Join(parts, " ")
}

// finish leaves the last state on the screen.
func (o *overview) finish(context.Context) {
	o.moved()
	o.mu.Lock()
	bar := o.bar
	o.mu.Unlock()
	if bar == nil {
		return
	}
	if w := o.now(); w.Done >= w.Total {
		bar.SetTotal(int64(w.Total), true)
	} else {
		bar.Abort(false)
	}
}
