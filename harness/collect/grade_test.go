package collect_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/harness/collect"
)

// A program that fails keeps what it graded in earlier calls, and goes on there; it spends no tokens.
func TestGrades(t *testing.T) {
	st := newStore(t)
	var list []backends.Pair
	for _, answer := range []string{"a", "b", "c", "d", "e", "a"} {
		list = append(list, backends.Pair{Source: "{}", Target: answer})
	}
	var asked []string
	fails := true
	right := 1.0
	job := collect.TextJob[backends.Pair, *float64]{Making: collect.Grades, Name: "grade", Batch: 2,
		Model: backends.ModelID{ID: "grade", Kind: backends.Command}, All: slices.Values(list),
		Open: func() (func(context.Context, []backends.Pair) ([]*float64, error), error) {
			return func(_ context.Context, batch []backends.Pair) ([]*float64, error) {
				if fails && len(asked) == 2 {
					return nil, errors.New("line 1 of its output")
				}
				for _, p := range batch {
					asked = append(asked, p.Target)
				}
				return []*float64{&right, nil}[:len(batch)], nil
			}, nil
		}}
	run := func() (collect.Computed, error) {
		b := collect.NewSpending(collect.Limits{Tokens: 1})
		defer b.Close()
		return job.Run(t.Context(), st, collect.Options{Spending: b}, nil)
	}
	rep, err := run()
	if err == nil || !strings.Contains(err.Error(), "grades by grade: line 1 of its output") || rep.Made != 2 {
		t.Errorf("%+v, %v", rep, err)
	}
	fails = false
	rep, err = run()
	if err != nil || rep.OnDisk != 2 || rep.Made != 3 || strings.Join(asked, "") != "abcde" { // "a" is there twice
		t.Errorf("%+v, %v, asked %v", rep, err, asked)
	}
	grades, err := st.Grades(job.Model)
	if err != nil {
		t.Fatal(err)
	}
	defer grades.Close()
	a, okA, _ := grades.Get(list[0])
	b, okB, _ := grades.Get(list[1])
	if !okA || *a != 1 || !okB || b != nil {
		t.Errorf("%v %v, %v %v", a, okA, b, okB)
	}
}
