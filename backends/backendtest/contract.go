package backendtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

type asker[T, V any] func(context.Context, []T) ([]V, error)

// contract is what models and embedders keep alike.
type contract[T, V any] struct {
	open   func(t *testing.T) asker[T, V] // once for each test
	items  []T
	differ func(a, b V) string // "" = equal, bit for bit
	spoil  func(*T)            // changes all that an item holds
	clone  func([]T) []T
	hint   time.Duration // how long a call may go on when its context is done; 0 = 10 s
}

func (c contract[T, V]) run(t *testing.T) {
	t.Run("company", c.company)
	t.Run("concurrency", c.concurrency)
	t.Run("what was asked is left alone", c.untouched)
	t.Run("empty", func(t *testing.T) { all(t, c.open(t), nil) })
	t.Run("cancelled", c.cancelled)
}

// all asks, and insists on one value for each item.
func all[T, V any](t *testing.T, ask asker[T, V], items []T) []V {
	t.Helper()
	values, err := ask(t.Context(), items)
	if err != nil {
		t.Fatalf("asked %d: %v", len(items), err)
	}
	if len(values) != len(items) {
		t.Fatalf("%d values for %d items", len(values), len(items))
	}
	return values
}

// company: the same bits alone, together, reversed, doubled and from another instance.
func (c contract[T, V]) company(t *testing.T) {
	ask := c.open(t)
	want := all(t, ask, c.items)
	reversed := slices.Clone(c.items)
	slices.Reverse(reversed)
	back := all(t, ask, reversed)
	slices.Reverse(back)
	twice := all(t, ask, slices.Concat(c.items, c.items))
	other := all(t, c.open(t), c.items)
	for i := range c.items {
		for _, got := range []struct {
			how   string
			value V
		}{
			{"alone", all(t, ask, c.items[i:i+1])[0]}, {"in reverse order", back[i]}, {"doubled, first", twice[i]},
			{"doubled, second", twice[len(want)+i]}, {"from another instance", other[i]},
		} {
			if why := c.differ(want[i], got.value); why != "" {
				t.Errorf("item %d %s: %s", i, got.how, why)
			}
		}
	}
}

// concurrency: many callers at once get what one caller gets.
func (c contract[T, V]) concurrency(t *testing.T) {
	ask := c.open(t)
	want := all(t, ask, c.items)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for k := range c.items {
				i := (k + g) % len(c.items)
				values, err := ask(t.Context(), c.items[i:i+1])
				if err != nil || len(values) != 1 {
					t.Errorf("caller %d, item %d: %d values, error %v", g, i, len(values), err)
				} else if why := c.differ(want[i], values[0]); why != "" {
					t.Errorf("caller %d, item %d: %s", g, i, why)
				}
			}
		})
	}
	wg.Wait()
}

// untouched: the caller's items are neither changed nor kept.
func (c contract[T, V]) untouched(t *testing.T) {
	ask := c.open(t)
	items := c.clone(c.items)
	want := all(t, ask, items)
	if now, before := fmt.Sprintf("%+v", items), fmt.Sprintf("%+v", c.items); now != before {
		t.Errorf("the items became %s, from %s", now, before)
	}
	for i := range items { // who kept them would answer otherwise
		c.spoil(&items[i])
	}
	for i, v := range all(t, ask, c.items) {
		if why := c.differ(want[i], v); why != "" {
			t.Errorf("item %d after its first slice was reused: %s", i, why)
		}
	}
}

// many: more items than any call takes, in order.
func (c contract[T, V]) many(t *testing.T) {
	ask := c.open(t)
	want := all(t, ask, c.items)
	var items []T
	for i := range 300 {
		items = append(items, c.items[i*i%len(c.items)])
	}
	for i, v := range all(t, ask, items) {
		if why := c.differ(want[i*i%len(c.items)], v); why != "" {
			t.Fatalf("item %d has the value of another: %s", i, why)
		}
	}
}

// cancelled: before a call, and during it, which then returns soon, with an error or, if it was quicker, with every
// value.
func (c contract[T, V]) cancelled(t *testing.T) {
	ask := c.open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ask(ctx, c.items); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	var many []T
	for len(many) < 2000 {
		many = append(many, c.items...)
	}
	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(5*time.Millisecond, cancel)
	done := make(chan error, 1)
	go func() {
		values, err := ask(ctx, many)
		if err == nil && len(values) != len(many) {
			err = fmt.Errorf("%d values for %d items and no error", len(values), len(many))
		}
		done <- err
	}()
	if c.hint == 0 {
		c.hint = 10 * time.Second
	}
	select {
	case err := <-done:
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want context.Canceled", err)
		}
	case <-time.After(c.hint + 5*time.Millisecond):
		t.Fatalf("still busy %v after the context was done", c.hint)
	}
}
