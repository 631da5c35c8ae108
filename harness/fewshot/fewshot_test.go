package fewshot

import (
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/backends"
)

// By hand.
func TestText(t *testing.T) {
	got, err := Text([]backends.Example{{Prompt: "1 + 1 =", Answer: " 2"},
		{Prompt: "{q0} {{.end}} {% if %}", Answer: " }{"}})
	const want = "1 + 1 = 2\n\n{q0} {{.end}} {% if %} }{\n\n"
	if err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

// Whatever examples say, the text is their concatenation.
func TestNothingInAnExampleIsATemplate(t *testing.T) {
	piece := rapid.StringOf(rapid.SampledFrom([]rune("{}%$q0a1.\n é\\\"")))
	rapid.Check(t, func(t *rapid.T) {
		var all []backends.Example
		want := ""
		for range rapid.IntRange(1, 4).Draw(t, "n") {
			e := backends.Example{Prompt: piece.Draw(t, "prompt"), Answer: piece.Draw(t, "answer")}
			all, want = append(all, e), want+e.Prompt+e.Answer+Separator
		}
		if got, err := Text(all); err != nil || got != want {
			t.Fatalf("%q, %v; want %q", got, err, want)
		}
	})
}
