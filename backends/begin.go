package backends

import "context"

type beginKey struct{}

// Begin attaches to calls, the context of calls in flight, a second context that ends earlier: no call may start once
// begin is done.
func Begin(calls, begin context.Context) context.Context {
	return context.WithValue(calls, beginKey{}, begin)
}

// MayBegin reports whether calls may start.
func MayBegin(ctx context.Context) bool {
	begin, ok := ctx.Value(beginKey{}).(context.Context)
	return ctx.Err() == nil && (!ok || begin.Err() == nil)
}

// Beginning returns a context that is done when ctx is done or when no more calls may start. Use it
// to wait before a call or a retry. cancel releases it.
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
