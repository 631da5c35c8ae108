package collect

import (
	"math"
	"testing"
	"time"
)

func TestSumsOfTokensDoNotGoRound(t *testing.T) {
	const most = math.MaxInt64
	for _, c := range []struct {
		name     string
		a, b, to int64
	}{
		{"small", 2, 3, 5}, {"down", 5, -7, -2},
		{"at the end", most, 1, most}, {"both", most, most, most},
		{"at the other end", math.MinInt64, -1, math.MinInt64},
	} {
		if got := plus(c.a, c.b); got != c.to {
			t.Errorf("%s: %d, want %d", c.name, got, c.to)
		}
	}
	if got := whole(7.5); got != 8 {
		t.Errorf("7.5 tokens are %d", got)
	}
	if got := whole(2 * most); got != most {
		t.Errorf("tokens beyond the range: %d", got)
	}
	l := Limits{Tokens: most - 10}
	if why := l.over(Spent{In: most, Out: most}, Spent{}, Spent{In: 1}); why != "tokens" {
		t.Errorf("beyond the range is within the limit: %q", why)
	}
	b := NewSpending(Limits{Time: math.MaxInt64})
	defer b.Close()
	ctx, stop := b.deadline(t.Context())
	defer stop()
	if at, _ := ctx.Deadline(); ctx.Err() != nil || at.Before(time.Now()) {
		t.Errorf("the longest budget of time is over at its start: deadline %v", at)
	}
}
