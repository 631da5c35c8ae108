package collect

import (
	"context"
	"time"

	"infnet/backends"
)

// settle is how long calls may take to return once their context is done; those that ignore it are abandoned.
const settle = 700 * time.Millisecond

// brief is how long an in-process model may continue: its work costs nothing but time, and it stops
// when its context is done.
const brief = 300 * time.Millisecond

// patience is how long calls to a model may continue after the last one was started.
func (o Options) patience(k backends.Kind) time.Duration {
	if k.InProcess() {
		return min(o.Grace, brief)
	}
	return o.Grace
}

// linger returns the context of calls in flight. New calls start only until ctx is done; the returned context then
// continues for the model's patience, or until Options.Hurry is closed. stop ends it at once.
func (o Options) linger(ctx context.Context, k backends.Kind) (calls context.Context, stop context.CancelFunc) {
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	unwatch := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(o.patience(k))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-o.Hurry:
		case <-own.Done():
		}
		cancel(context.Cause(ctx))
	})
	return backends.Begin(own, ctx), func() {
		unwatch()
		cancel(context.Canceled)
	}
}

// announce calls Options.Waiting where waiting for calls takes long.
func (o Options) announce(calls int, k backends.Kind) {
	if p := o.patience(k); o.Waiting != nil && calls > 0 && p > brief {
		select {
		case <-o.Hurry:
		default:
			o.Waiting(calls, p)
		}
	}
}
