package collect

import (
	"context"
	"time"

	"infnet/backends"
)

// settle is how long calls may take to come back once their context is done;
// those that ignore it are left behind.
const settle = 700 * time.Millisecond

// brief is the patience with a model in this process: what it computes is paid
// for with time alone, and it stops when it is told to.
const brief = 300 * time.Millisecond

// patience is how long calls to a model may go on after no further ones begin.
func (o Options) patience(k backends.Kind) time.Duration {
	if k == backends.OpenAI || k == backends.HuggingFace {
		return o.Grace
	}
	return min(o.Grace, brief)
}

// linger returns the context of calls: it goes on after ctx, under which calls
// are begun, is done, for so long or until somebody hurries. stop ends it at
// once.
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

// tell says that calls under way are waited for, where that takes a while.
func (o Options) tell(calls int, k backends.Kind) {
	if p := o.patience(k); o.Waiting != nil && calls > 0 && p > brief {
		select {
		case <-o.Hurry:
		default:
			o.Waiting(calls, p)
		}
	}
}
