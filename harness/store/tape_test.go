package store

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/backends"
)

// A tape gives back what it was given, answers and failures, by number and by request.
func TestTape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tape Tape
		var kept []backends.Answer
		for i := range rapid.IntRange(1, 20).Draw(t, "answers") {
			a := drawRecord(t).Answer
			a.Key = backends.Key{byte(i)}
			if a.Cost != nil {
				a.Cost.Currency = "EUR" // a currency is UTF-8
			}
			if rapid.Bool().Draw(t, "fails") {
				a = backends.Answer{Key: a.Key, Failure: &backends.Failure{Cause: backends.NotRecorded, Message: fmt.Sprint(i)}}
			}
			n, err := tape.Add(a)
			if err != nil || n != i {
				t.Fatalf("number %d (%v), want %d", n, err, i)
			}
			kept = append(kept, a)
			if i%2 == 0 {
				tape.Serve(a.Key, n)
			}
		}
		for i, want := range kept {
			got, err := tape.At(i)
			if diff := cmp.Diff(want, got, nans); err != nil || diff != "" {
				t.Fatalf("%v (-want +got)\n%s", err, diff)
			}
			got, ok, err := tape.Answer(want.Key)
			if err != nil || ok != (i%2 == 0) || ok && cmp.Diff(want, got, nans) != "" {
				t.Fatalf("answer %d: %v, %v", i, ok, err)
			}
		}
		if want := (len(kept) + 1) / 2; tape.Len() != want {
			t.Fatalf("%d requests are served, want %d", tape.Len(), want)
		}
	})
}
