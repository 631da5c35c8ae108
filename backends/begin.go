package backends

import "context"

type beginKey struct{}

// Begin returns calls, the context under which calls under way go on, with the
// one under which calls are begun, which ends earlier: whoever is told to stop
// lets what is paid for arrive, and begins nothing new.
func Begin(calls, begin context.Context) context.Context {
	return context.WithValue(calls, beginKey{}, begin)
}

// Beginning returns a context that is done when ctx is, or when no call may be
// begun any more: for waits before a call, be it the first or another try.
// cancel frees it.
func Beginning(ctx context.Context) (begin context.Context, cancel context.CancelFunc) {
	begin, end := context.WithCancelCause(ctx)
	unwatch := func() bool { return true }
	if outer, ok := ctx.Value(beginKey{}).(context.Context); ok {
		unwatch = context.AfterFunc(outer, func() { end(context.Cause(outer)) })
	}
	return begin, func() {
		unwatch()
		end(context.Canceled)
	}
}
