package openai

import (
	"context"
	"math"
	"strings"
	"testing"

	"infnet/backends"
)

// Scores are means over the target's tokens of what the fake model says of
// them: truth, token by token, as the fake splits the text.
func TestScoreByEcho(t *testing.T) {
	_, url := serve(t, flavours["vllm"])
	m := open(t, url)
	pairs := []backends.Pair{
		{Source: "the cat", Target: "sat on mat"},
		{Source: "the cat ", Target: " sat"},
		{Source: "a dog", Target: ""},
		{Source: "the cat", Target: "sat on mat"},
	}
	got, err := m.Score(context.Background(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range pairs {
		source, target := strings.TrimRight(p.Source, " "), " "+strings.TrimLeft(p.Target, " ")
		if p.Target == "" {
			target = "\n"
		}
		text, sum, n := source, 0.0, 0
		ids, words := split(target)
		for k, id := range ids {
			if id >= len(vocabulary) { // a character that the fake has no word for
				n = 0
				break
			}
			sum += truth(text)[id]
			text += words[k]
			n++
		}
		if n == 0 {
			continue
		}
		if want := sum / float64(n); math.Abs(got[i]-want) > 1e-6 {
			t.Errorf("%q after %q scores %v, want %v", p.Target, p.Source, got[i], want)
		}
	}
	if got[0] != got[3] {
		t.Errorf("one pair scores %v and %v", got[0], got[3])
	}
}

func TestMeanOfTarget(t *testing.T) {
	piece := func(text string, lp float64) step { return step{piece: piece{text: text, lp: lp}} }
	for _, c := range []struct {
		name  string
		steps []step
		want  float64
		fails string
	}{
		{name: "plain", steps: []step{piece("ab", -9), piece(" c", -1), piece("d", -3)}, want: -2},
		{name: "beginning of sequence", steps: []step{piece("<s>", 0), piece("ab", -9), piece(" cd", -4)}, want: -4},
		{name: "a token across the border", steps: []step{piece("a", -9), piece("b c", -5), piece("d", -3)}, want: -3},
		{name: "generated beyond the target", steps: []step{piece("ab", -9), piece(" cd", -4), piece("!", -7)}, want: -4},
		{name: "not echoed", steps: []step{piece("x", -1)}, fails: "does not echo"},
		{name: "unknown", steps: []step{piece("ab", -9), piece(" cd", math.NaN())}, fails: "no log-probability"},
		{name: "all across the border", steps: []step{piece("ab cd", -1)}, fails: "no token of its own"},
	} {
		got, f := meanOfTarget(c.steps, "ab", " cd")
		switch {
		case c.fails != "":
			if f == nil || !strings.Contains(f.Message, c.fails) {
				t.Errorf("%s: %v, %v, want a failure about %q", c.name, got, f, c.fails)
			}
		case f != nil || got != c.want:
			t.Errorf("%s: %v, %v, want %v", c.name, got, f, c.want)
		}
	}
}
