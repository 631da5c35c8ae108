package retry_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/retry"
)

func TestDo(t *testing.T) {
	loading := fmt.Errorf("probe: %w", &backends.Failure{Cause: backends.ServerError, Status: 503, Message: "loading"})
	waiting := &backends.Failure{Cause: backends.RateLimited, RetryAfter: time.Millisecond, Message: "wait"}
	wrong := &backends.Failure{Cause: backends.Unauthorized, Message: "who are you?"}
	for _, test := range []struct {
		name   string
		errors []error // of the calls, in order; then nil
		calls  int
		want   error
	}{
		{"at once", nil, 1, nil},
		{"after two", []error{loading, waiting}, 3, nil},
		{"lasting", []error{loading, wrong}, 2, wrong},
		{"other errors last", []error{errors.ErrUnsupported}, 1, errors.ErrUnsupported},
		{"tries used up", []error{loading, loading, loading, loading}, 3, loading},
	} {
		calls, waits := 0, 0
		err := retry.Do(t.Context(), retry.Options{Tries: 3, First: time.Millisecond,
			Notify: func(int, backends.Failure, time.Duration) { waits++ }}, func(context.Context) error {
			calls++
			if calls <= len(test.errors) {
				return test.errors[calls-1]
			}
			return nil
		})
		if !errors.Is(err, test.want) || calls != test.calls || waits != calls-1 {
			t.Errorf("%s: %v after %d calls and %d waits, want %v after %d", test.name, err, calls, waits, test.want, test.calls)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if err := retry.Do(ctx, retry.Options{First: time.Hour},
		func(context.Context) error { return loading }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
