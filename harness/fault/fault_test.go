package fault_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"infnet/harness/fault"
)

func TestWrapKeepsWhatIsKnown(t *testing.T) {
	plain := errors.New("no such file")
	for _, tt := range []struct {
		name string
		err  error
		want fault.Kind // of the error; "" = none
	}{
		{name: "nothing failed", err: nil},
		{name: "a plain error has the kind it is given", err: plain, want: fault.Data},
		{name: "the innermost kind wins", err: fmt.Errorf("dataset a: %w", fault.Spec.Wrap(plain)), want: fault.Spec},
		{name: "an interruption has no kind", err: fmt.Errorf("dataset a: %w", context.Canceled)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := fault.Data.Wrap(tt.err)
			var e *fault.Error
			kind := fault.Kind("")
			if errors.As(got, &e) {
				kind = e.Kind
			}
			if kind != tt.want || !errors.Is(got, tt.err) {
				t.Errorf("kind %q of %v, want %q of %v", kind, got, tt.want, tt.err)
			}
		})
	}
}
