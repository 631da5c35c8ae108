package openai

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"infnet/backends"
)

// entry is a token as a test's server writes it; value is JSON.
type entry struct{ token, value string }

// inShape is a reply of one token in a chat's shape or, with lists, in that of
// completions.
func inShape(lists bool, chosen entry, top ...entry) string {
	quoted := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	var out []string
	for _, e := range top {
		if lists {
			out = append(out, quoted(e.token)+":"+e.value)
		} else {
			out = append(out, `{"token":`+quoted(e.token)+`,"logprob":`+e.value+`}`)
		}
	}
	all := strings.Join(out, ",")
	if lists {
		return `{"choices":[{"index":0,"text":` + quoted(chosen.token) + `,"finish_reason":"length","logprobs":{"tokens":[` +
			quoted(chosen.token) + `],"token_logprobs":[` + chosen.value +
			`],"top_logprobs":[{` + all + `}]}}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`
	}
	return `{"choices":[{"index":0,"message":{"content":` + quoted(chosen.token) +
		`},"finish_reason":"length","logprobs":{"content":[{"token":` + quoted(chosen.token) + `,"logprob":` + chosen.value +
		`,"top_logprobs":[` + all + `]}]}}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`
}

// An unknown value bounds nothing: every position, value and mode in which one
// can stand. The labels are " yes" and " no"; what is expected is by hand.
func TestUnknownValues(t *testing.T) {
	const seen, bounded, fails = "seen", "bounded", "fails"
	for _, test := range []struct {
		name     string
		chosen   entry
		top      []entry
		chat     string // what becomes of " yes" where the value is in an ordered list
		lists    string // in a table by token, which has no order
		generate string // of a generation with these alternatives: fails or seen
	}{
		{"all known", entry{" yes", "-0.1"}, []entry{{" yes", "-0.1"}, {" no", "-3"}}, seen, seen, seen},
		{"the chosen label, not listed", entry{" yes", "?"}, []entry{{" no", "-3"}}, fails, fails, fails},
		{"the chosen label, listed alike", entry{" yes", "?"}, []entry{{" yes", "?"}, {" no", "-3"}}, fails, fails, fails},
		{"the chosen label, known in its entry alone", entry{" yes", "?"}, []entry{{" yes", "-0.1"}, {" no", "-3"}}, fails,
			fails, fails},
		{"the chosen label, unknown in its entry alone", entry{" yes", "-0.1"}, []entry{{" yes", "?"}, {" no", "-3"}}, fails,
			fails, fails},
		{"the chosen token, no label", entry{" maybe", "?"}, []entry{{" yes", "-2"}, {" no", "-3"}}, fails, fails, fails},
		{"the chosen token, its name unknown too", entry{"", "?"}, []entry{{" yes", "-2"}, {" no", "-3"}}, fails,
			fails, fails},
		{"the chosen token, alone", entry{" yes", "?"}, nil, fails, fails, fails},
		{"all", entry{" yes", "?"}, []entry{{" yes", "?"}, {" no", "?"}}, fails, fails, fails},
		{"a label before known ones", entry{" no", "-3"}, []entry{{" yes", "?"}, {" no", "-3"}}, fails, "?", fails},
		{"a label between known ones", entry{" no", "-1"}, []entry{{" no", "-1"}, {" yes", "?"}, {" x", "-4"}}, fails,
			"?", fails},
		{"a label behind the known ones", entry{" no", "-1"}, []entry{{" no", "-1"}, {" x", "-4"}, {" yes", "?"}}, "?",
			"?", "?"},
		{"the beginning of a label behind", entry{" no", "-1"}, []entry{{" no", "-1"}, {" ye", "?"}}, "?", "?", "?"},
		{"a label without its blank behind", entry{" no", "-1"}, []entry{{" no", "-1"}, {"yes", "?"}}, "?", "?", "?"},
		{"a token without a name", entry{" no", "-1"}, []entry{{" no", "-1"}, {"", "?"}}, "?", "?", "?"},
		{"no label, before known ones", entry{" no", "-3"}, []entry{{" x", "?"}, {" no", "-3"}, {" yes", "-4"}}, seen,
			seen, fails},
		{"no label, behind", entry{" no", "-3"}, []entry{{" no", "-3"}, {" yes", "-4"}, {" x", "?"}}, seen, seen, "?"},
	} {
		for _, value := range []string{"null", "-9999", "-9999.0", "-1e30"} {
			for _, lists := range []bool{false, true} {
				with := func(e entry) entry { return entry{e.token, strings.ReplaceAll(e.value, "?", value)} }
				var top []entry
				for _, e := range test.top {
					top = append(top, with(e))
				}
				mode, want, generated := backends.Chat, test.chat, test.generate
				if lists {
					if mode, want = backends.Raw, test.lists; test.chat == fails && test.lists == "?" ||
						generated == fails && test.lists == seen {
						generated = "?" // by its place it fails, and a table has none
					}
				}
				// "?" of what is expected: null bounds nothing, −9999 behind the
				// known ones is at most the last of them.
				decide := func(s string, known string) string {
					switch {
					case s != "?":
						return s
					case value == "null":
						return fails
					}
					return known
				}
				want, generated = decide(want, bounded), decide(generated, seen)
				m := open(t, static(t, says(200, inShape(lists, with(test.chosen), top...))), func(c *backends.OpenAIConfig) {
					c.Labels, c.TopLogprobs = backends.LabelsTopLogprobs, max(1, len(top)) // as many as there are: none was left out
				})
				name := fmt.Sprintf("%s, %s, %s", test.name, value, mode)

				r := backends.Request{Model: testID, Mode: mode, Prompt: "p", Labels: []string{" yes", " no"}}
				a := ask(t, m, r)
				got := fails
				if a.Failure == nil {
					if got = bounded; a.Labels[0].Seen {
						got = seen
					}
					least := math.Inf(1)
					for _, e := range top {
						var lp float64
						if json.Unmarshal([]byte(e.value), &lp) == nil && e.value != "null" && lp > sentinel {
							least = min(least, lp)
						}
					}
					if got == bounded && math.Exp(a.Labels[0].Logprob) < math.Exp(least)*(1-1e-12) {
						t.Errorf("%s: bounded by %v, the least known is %v", name, a.Labels[0].Logprob, least)
					}
				} else if a.Failure.Cause != backends.BadResponse {
					t.Errorf("%s: %v, want a bad response", name, a.Failure)
				}
				if got != want {
					t.Errorf("%s: the label is %s, want %s (%+v, %v)", name, got, want, a.Labels, a.Failure)
				}

				a = ask(t, m, backends.Request{Model: testID, Mode: mode, Prompt: "p", MaxTokens: 1, TopLogprobs: 3})
				if got := a.Failure != nil; got != (generated == fails) {
					t.Errorf("%s, generated: failed %v (%v), want %s", name, got, a.Failure, generated)
				}
			}
		}
	}
}

// A value that no chosen token has stands for something else, and another's is
// a measurement however small.
func TestImpossibleValues(t *testing.T) {
	for _, c := range []struct {
		chosen, other string
		ok            bool
	}{
		{"-0.1", "-3", true}, {"-0.1", "-100", true}, {"-0.1", "-1000", true}, {"-30", "-40", true},
		{"-100", "-3", false}, {"-1000", "-3", false}, {"-100", "-100", false}, {"-9998", "-0.1", false},
	} {
		for _, lists := range []bool{false, true} {
			mode := backends.Chat
			if lists {
				mode = backends.Raw
			}
			m := open(t, static(t, says(200, inShape(lists, entry{" yes", c.chosen}, entry{" yes", c.chosen},
				entry{" no", c.other}))), func(o *backends.OpenAIConfig) {
				o.Labels, o.TopLogprobs = backends.LabelsTopLogprobs, 2
			})
			for _, r := range []backends.Request{
				{Model: testID, Mode: mode, Prompt: "p", Labels: []string{" yes", " no"}},
				{Model: testID, Mode: mode, Prompt: "p", MaxTokens: 1, TopLogprobs: 2},
			} {
				if a := ask(t, m, r); (a.Failure == nil) != c.ok || a.Failure != nil && a.Failure.Cause != backends.BadResponse {
					t.Errorf("chosen %s, other %s, %s, %d labels: %v, want an answer: %t", c.chosen, c.other, mode, len(r.Labels),
						a.Failure, c.ok)
				}
			}
		}
	}
}

// newServer answers every call with f.
func newServer(t *testing.T, f http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(f)
	t.Cleanup(srv.Close)
	return srv.URL
}
