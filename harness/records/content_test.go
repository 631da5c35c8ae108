package records

import (
	"math"
	"testing"
	"time"

	"infnet/backends"
)

// answersOf are answers as Read returns them.
func answersOf(list ...backends.Answer) *Answers {
	a := &Answers{}
	for _, x := range list {
		a.Keys = append(a.Keys, x.Key)
		a.given.add(x.Key, &x)
	}
	a.given.close()
	return a
}

// Whatever an answer says changes the hash, and nothing else does.
func TestContentSeesWhatAnswersSay(t *testing.T) {
	half := 0.5
	base := func() backends.Answer {
		return backends.Answer{Key: backends.Key{1}, Text: "yes",
			Tokens: []backends.Token{{Text: "yes", Logprob: -0.25}},
			Labels: []backends.LabelScore{{Logprob: math.Inf(-1), Seen: true}, {Logprob: -1}},
			Usage:  backends.Usage{Prompt: backends.Counted(10), Completion: backends.Counted(1)}}
	}
	other := backends.Answer{Key: backends.Key{2}, Text: "no"}
	_, want := answersOf(base(), other).Content()
	for _, c := range []struct {
		name   string
		change func(a *backends.Answer)
		same   bool
	}{
		{"nothing", func(*backends.Answer) {}, true},
		{"how long it took", func(a *backends.Answer) { a.Latency = time.Second }, true},
		{"the name it came under", func(a *backends.Answer) { a.Model = "alias" }, true},
		{"its text", func(a *backends.Answer) { a.Text = "yes " }, false},
		{"the last bit of a token", func(a *backends.Answer) { a.Tokens[0].Logprob = math.Nextafter(-0.25, 0) }, false},
		{"counted tokens", func(a *backends.Answer) { a.Usage.Completion = backends.Counted(2) }, false},
		{"its end", func(a *backends.Answer) { a.Finish = backends.FinishLength }, false},
		{"a confidence", func(a *backends.Answer) { a.Confidence = &half }, false},
		{"what a decision model says", func(a *backends.Answer) { a.Vendor = &backends.Vendor{} }, false},
		{"a grade", func(a *backends.Answer) { a.Grade = &half }, false},
		{"what was cut", func(a *backends.Answer) { a.Truncated = 1 }, false},
		{"its question", func(a *backends.Answer) { a.Key = backends.Key{3} }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			changed := base()
			c.change(&changed)
			if _, got := answersOf(changed, other).Content(); (got == want) != c.same {
				t.Errorf("the same hash: %v, want %v", got == want, c.same)
			}
		})
	}
	if n, got := answersOf(other, base(), other).Content(); got != want || n != 2 {
		t.Errorf("in another order, one question twice: %d answers and hash %s, want 2 and %s", n, got, want)
	}
}
