package backends

import (
	"encoding/json"
	"testing"
)

// A count comes through Known alone, is left out of JSON where it is unknown,
// and no sum takes the unknown for 0.
func TestCounts(t *testing.T) {
	for _, test := range []struct {
		name, json string
		usage      Usage
	}{
		{"known", `{"prompt":5,"completion":1,"cached":2}`, Usage{Counted(5), Counted(1), 2, 0}},
		{"known to be none", `{"prompt":5,"completion":0,"cached":0}`, Usage{Counted(5), Counted(0), 0, 0}},
		{"a part", `{"completion":1,"cached":0}`, Usage{Completion: Counted(1)}},
		{"unknown", `{"cached":0}`, Usage{}},
	} {
		b, err := json.Marshal(test.usage)
		if err != nil || string(b) != test.json {
			t.Errorf("%s: written %s, %v; want %s", test.name, b, err, test.json)
		}
		var got Usage
		if err := json.Unmarshal([]byte(test.json), &got); err != nil || got != test.usage {
			t.Errorf("%s: read %v, %v", test.name, got, err)
		}
	}
	for _, bad := range []string{`{"prompt":-1}`, `{"prompt":1.5}`, `{"prompt":"5"}`} {
		if err := json.Unmarshal([]byte(bad), &Usage{}); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
	if n, ok := Counted(2).Plus(Counted(3)).Known(); n != 5 || !ok {
		t.Errorf("2 + 3 = %d, %t", n, ok)
	}
	for _, sum := range []Count{Counted(2).Plus(Count{}), Count{}.Plus(Counted(2)), Count{}.Plus(Count{})} {
		if n, ok := sum.Known(); n != 0 || ok {
			t.Errorf("a sum with an unknown is %d", n)
		}
	}
}

// What the calls of failures and of further tries took is kept.
func TestCallsAreKept(t *testing.T) {
	one, two := Usage{Prompt: Counted(1), Completion: Counted(1)}, Usage{Prompt: Counted(2)}
	key, f := Key{1}, &Failure{Cause: BadResponse}
	for _, test := range []struct {
		name   string
		answer Answer
		want   []Usage
	}{
		{"an answer", Answer{Key: key, Usage: one}, nil},
		{"an answer that is refused", Answer{Key: key, Usage: one}.Failed(f), []Usage{one}},
		{"of several calls", Answer{Key: key, Usage: one, Calls: []Usage{one, two}}.Failed(f), []Usage{one, two}},
		{"a failure that nothing answered", Answer{Key: key, Failure: f}.Failed(f), nil},
		{"the first try", Answer{Key: key, Usage: one}.After(Answer{}), nil},
		{"after a failure that was answered",
			Answer{Key: key, Usage: one}.After(Answer{Key: key, Failure: f, Calls: []Usage{two}}), []Usage{two, one}},
		{"after one that was not", Answer{Key: key, Usage: one}.After(Answer{Key: key, Failure: f}), nil},
		{"two failures", Answer{Key: key, Failure: f,
			Calls: []Usage{one}}.After(Answer{Key: key, Failure: f, Calls: []Usage{two}}), []Usage{two, one}},
	} {
		if got := test.answer.Calls; len(got) != len(test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		} else {
			for i := range got {
				if got[i] != test.want[i] {
					t.Errorf("%s: %v, want %v", test.name, got, test.want)
				}
			}
		}
	}
}

// What a call can have taken, at the bounds of its rule (by hand: 16 more than 100 allowed; 16 · 3 + 64 = 112 for three
// bytes of text; 16 · 10 + 10,000 for a prompt of ten).
func TestCredibleUsage(t *testing.T) {
	for _, c := range []struct {
		name                         string
		completion, allowed, text    int
		prompt, bytes                int
		completionKnown, promptKnown bool
	}{
		{"as usual", 5, 100, 20, 12, 40, true, true},
		{"at the limit", 116, 100, -1, 12, 40, true, true},
		{"beyond the limit", 117, 100, -1, 12, 40, false, true},
		{"500,000 of 16", 500_000, 16, 60, 12, 40, false, true},
		{"thoughts before a letter", 1000, 4096, -1, 12, 40, true, true},
		{"a short text", 112, 4096, 3, 12, 40, true, true},
		{"1,000 tokens a character", 3000, 4096, 3, 12, 40, false, true},
		{"one too many", 113, 4096, 3, 12, 40, false, true},
		{"a long system prompt of the provider's", 5, 100, 20, 10_160, 10, true, true},
		{"too long for any", 5, 100, 20, 10_161, 10, true, false},
	} {
		u := Usage{Prompt: Counted(c.prompt), Completion: Counted(c.completion), Cached: 3}
		got := u.Credible(c.bytes, c.allowed, c.text)
		if got.Prompt.IsZero() == c.promptKnown || got.Completion.IsZero() == c.completionKnown ||
			got.Prompt.IsZero() != (got.Cached == 0) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	if got := (Usage{}).Credible(1, 1, 0); got != (Usage{}) {
		t.Errorf("of nothing: %+v", got)
	}
}
