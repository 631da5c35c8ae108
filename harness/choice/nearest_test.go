package choice

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run
)

func TestNearestSeesSwappedLetters(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		// by hand: one swap each; two slips of four letters are too many
		{"sede", "seed"}, {"naem", "name"}, {"taks", "task"}, {"sdee", ""},
	} {
		if got := Nearest(tt.in, []string{"study", "seed", "name", "task"}); got != tt.want {
			t.Errorf("Nearest(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// slips is distance by its definition: the best last slip of all.
func slips(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	x, y := a[:len(a)-1], b[:len(b)-1]
	change := slips(x, y)
	if a[len(x)] != b[len(y)] {
		change++
	}
	best := min(change, slips(x, b)+1, slips(a, y)+1)
	if len(x) > 0 && len(y) > 0 && a[len(x)] == b[len(y)-1] && a[len(x)-1] == b[len(y)] {
		best = min(best, slips(x[:len(x)-1], y[:len(y)-1])+1)
	}
	return best
}

func TestDistanceIsItsDefinition(t *testing.T) {
	word := rapid.StringOfN(rapid.SampledFrom([]rune("abcö")), 0, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		if got, want := distance(a, b), slips([]rune(a), []rune(b)); got != want {
			t.Fatalf("distance(%q, %q) = %d, want %d", a, b, got, want)
		}
	})
}

func TestNearest(t *testing.T) {
	for _, test := range []struct {
		name string
		in   string
		want string
	}{
		{"one letter", "promt", "prompt"},
		{"case", "PROMPT", "prompt"},
		{"swapped", "labesl", "labels"},
		{"nothing near", "temperature", ""},
		{"empty", "", ""},
		{"first of equals", "abels", "labels"},
		{"long", strings.Repeat("x", 100000), ""},
	} {
		if got := Nearest(test.in, []string{"labels", "prompt", "limit"}); got != test.want {
			t.Errorf("%s: Nearest(%.20q) = %q, want %q", test.name, test.in, got, test.want)
		}
	}
	// By hand; Levenshtein's own example words.
	for _, d := range []struct {
		a, b string
		want int
	}{{"kitten", "sitting", 3}, {"", "abc", 3}, {"abc", "abc", 0}, {"größe", "grösse", 2}} {
		if got := distance(d.a, d.b); got != d.want {
			t.Errorf("distance(%s, %s) = %d, want %d", d.a, d.b, got, d.want)
		}
	}
}
