package reports

import (
	"testing"

	"infnet/harness/result"
)

// Every way in which answers can end, counted.
func TestCutNote(t *testing.T) {
	got := cutNote([]result.Cut{
		{Model: "a", Finish: "length", Count: 3, Answers: 40, MaxTokens: 30}, {Model: "a", Finish: "", Count: 2, Answers: 40,
			MaxTokens: 30},
		{Model: "b", Finish: "not said", Count: 1, Answers: 40, MaxTokens: 30}, {Model: "b", Finish: "recitation", Count: 1,
			Answers: 40, MaxTokens: 30},
	}, 100).Text
	want := `3 of 40 answers of a were cut at max_tokens = 30; whether 2 of 40 answers of a were cut is not recorded; ` +
		`1 of 40 answers of b ended for a reason that the server does not say; 1 of 40 answers of b ended by "recitation".`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
