package cli

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"infnet/harness/pipeline"
)

var _ pipeline.Overview = (*screen)(nil)

// overview shows a collection as a whole: the last bar on a terminal, a log line now and then elsewhere.
type overview struct {
	screen *screen
	now    func() pipeline.Whole
	said   pace
	drawn  sync.Once
	bar    *mpb.Bar
}

// Whole shows a collection of several tasks as a line of its own below the bars, and in heartbeats.
func (s *screen) Whole(now func() pipeline.Whole) (end func()) {
	o := &overview{screen: s, now: now, said: pace{last: time.Now()}}
	s.at(nil, o)
	return func() {
		s.at(nil, nil)
		o.moved()
		switch w := now(); {
		case o.bar == nil:
		case w.Done >= w.Total:
			o.bar.SetTotal(int64(w.Total), true)
		default:
			o.bar.Abort(false)
		}
	}
}

// moved is called when something was done.
func (o *overview) moved() {
	if o == nil {
		return
	}
	w := o.now()
	switch {
	case o.screen.bars == nil:
		if o.said.due(time.Minute) {
			o.screen.log.Info("collecting", wholeWords(w)...)
		}
	case w.Tasks > 1:
		o.drawn.Do(func() {
			o.bar = o.screen.bars.AddBar(0, mpb.BarPriority(math.MaxInt32), mpb.BarNoPop(),
				mpb.PrependDecorators(decor.Name(fmt.Sprintf("all %d tasks ", w.Tasks), decor.WCSyncSpaceR)),
				mpb.AppendDecorators(decor.Any(o.counts, decor.WCSyncSpace), decor.Any(o.words, decor.WCSyncSpace)))
		})
		o.bar.SetTotal(int64(w.Total), false)
		o.bar.SetCurrent(int64(w.Done))
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

// wholeWords are the sums of a collection for a log line. What is not known, or nothing, is left out.
func wholeWords(w pipeline.Whole) []any {
	about := []any{"all", fmt.Sprintf("%d/%d", w.Done, w.Total), "tasks", fmt.Sprintf("%d/%d", w.Over, w.Tasks)}
	if r := w.Rate(); r > 0 {
		about = append(about, "rate", fmt.Sprintf("%.3g/s", r))
	}
	if left := w.Left(); left > 0 {
		about = append(about, "left", lasting(left))
	}
	if n := w.Spent.Tokens(); n > 0 {
		about = append(about, "tokens", short(n))
	}
	if w.Spent.Currency != "" {
		about = append(about, "cost", fmt.Sprintf("%.4g %s", w.Spent.Cost, w.Spent.Currency))
	}
	if w.Failed > 0 {
		about = append(about, "failed", w.Failed)
	}
	return about
}

// lasting is a duration with its two largest units: 5d03h, 3h12m, 4m10s.
func lasting(d time.Duration) string {
	switch {
	case d >= 100*time.Hour:
		d = d.Round(time.Hour)
		return fmt.Sprintf("%dd%02dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
	case d >= time.Hour:
		d = d.Round(time.Minute)
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return d.Round(time.Second).String()
}

// short is a count with three digits: 812, 12.3k, 4.56M.
func short(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.3gG", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.3gM", float64(n)/1e6)
	case n >= 1e4:
		return fmt.Sprintf("%.3gk", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}
