package openai

import (
	"math"
	"strings"
	"testing"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/wire"
	"infnet/backends/wording"
)

func lp(p float64) float64 { return math.Log(p) }

func plain(words ...string) []wanted {
	var out []wanted
	for _, w := range words {
		out = append(out, wanted{label: w, forms: []form{{word: w}}})
	}
	return out
}

// Expected values by hand.
func TestScore(t *testing.T) {
	p := func(text string, prob float64) piece { return piece{text: text, id: -1, lp: lp(prob)} }
	for _, test := range []struct {
		name  string
		want  []wanted
		top   []piece
		probs []float64 // of the labels; negative = a bound
	}{
		{"whole words", plain(" yes", " no"), []piece{p(" yes", .6), p(" no", .3)}, []float64{.6, .3}},
		{"outside the list: bounded by the last", plain(" yes", " no"), []piece{p(" yes", .6), p(" maybe", .1)},
			[]float64{.6, -.1}},
		{"the beginning of one label", plain(" Sci/Tech", " World"), []piece{p(" World", .5), p(" Sci", .2), p("x", .1)},
			[]float64{.2, .5}},
		{"beginnings of one label add up", plain(" Sci/Tech", " World"),
			[]piece{p(" Sci", .2), p(" Sc", .3), p("x", .1)}, []float64{.5, -.1}},
		{"the beginning of two labels is neither's", plain(" negative", " neglected"),
			[]piece{p(" neg", .5), p(" negative", .2), p("x", .1)}, []float64{.2, -.5}},
		{"one letter tells nothing", plain(" positive", " no"), []piece{p(" p", .5), p(" no", .2), p("x", .1)},
			[]float64{-.5, .2}},
		{"the label without its blank", plain(" yes", " no"), []piece{p("yes", .6), p(" no", .3)},
			[]float64{.6, .3}},
		{"another case", plain(" yes", " no"), []piece{p("Yes", .4), p(" no", .3), p(" yes", .1), p("NO", .1)},
			[]float64{.5, .4}},
		{"forms add up", []wanted{{forms: []form{{word: " yes"}, {word: "yes"}}}},
			[]piece{p("yes", .5), p(" yes", .2), p("x", .1)}, []float64{.7}},
		{"bounds of forms add up", []wanted{{forms: []form{{word: " yes"}, {word: "yes"}}}}, []piece{p("x", .1)},
			[]float64{-.2}},
		{"a known token is no other", []wanted{{forms: []form{{word: " yes", known: true,
			first: labelToken{id: 4, text: " y"}}}}}, []piece{p(" yes", .5), p(" y", .2), p("x", .1)},
			[]float64{.2}},
		{"by number", []wanted{{forms: []form{{word: " yes", known: true, first: labelToken{id: 4}}}}},
			[]piece{{text: "yes", id: 5, lp: lp(.5)}, {text: "yes", id: 4, lp: lp(.2)}}, []float64{.2}},
		{"by number, not there", []wanted{{forms: []form{{word: " yes", known: true, first: labelToken{id: 4}}}}},
			[]piece{{text: " yes", id: 5, lp: lp(.5)}}, []float64{-.5}},
		{"a sentinel is not seen", plain(" yes", " no"),
			[]piece{p(" yes", .6), p(" x", .1), {text: " no", id: -1, lp: sentinel}}, []float64{.6, -.1}},
	} {
		s := step{piece: test.top[0], top: test.top}
		bound, ok := least(s)
		if !ok {
			t.Errorf("%s: no bound", test.name)
		}
		for i, l := range scored(test.want, s, bound) {
			w := test.probs[i]
			if l.Seen != (w > 0) || math.Abs(math.Exp(l.Logprob)-math.Abs(w)) > 1e-12 {
				t.Errorf("%s: label %d: %+v (probability %v), want %v", test.name, i, l, math.Exp(l.Logprob), w)
			}
		}
	}
}

func TestSpelled(t *testing.T) {
	for name, want := range map[string]string{
		"▁yes": " yes", "Ġyes": " yes", "ĊĊ": "\n\n", "<0xE2>": "\xe2", `bytes:\xe2\x80`: "\xe2\x80",
		" yes": " yes", "<0xZZ>": "<0xZZ>", `bytes:\xq`: `bytes:\xq`, "": "",
	} {
		if got := spelled(name); got != want {
			t.Errorf("spelled(%q) = %q, want %q", name, got, want)
		}
	}
}

// scored reads labels whose tokens are not known by their words as well.
func scored(want []wanted, s step, bound float64) []backends.LabelScore {
	words := make([]string, len(want))
	for i, w := range want {
		if !w.forms[0].known {
			words[i] = w.forms[0].word
		}
	}
	return sought{want, wording.NewLabels(words)}.find(s).score(bound)
}

// Tokens in parts of characters, thoughts kept out of the text, and what may stand behind the end of the text. Texts
// of tokens are divided by |; stops, too.
func TestTokens(t *testing.T) {
	for _, test := range []struct {
		name, text, tokens, stop, finish string
		want                             int  // tokens; -1 = a bad response
		end                              bool // the last is the end
	}{
		{"all", "a b", "a| b", "", "length", 2, false},
		{"an end token", "a b", "a| b|<eos>", "", "stop", 3, true},
		{"an end token without bytes", "a b", "a| b|", "", "stop", 3, true},
		{"a stop's tokens stay", "a", "a| b", " b", "stop", 2, false},
		{"an end with stops about", "a", "a|<eos>", " b", "stop", 2, true},
		{"parts of a character", "é", "\xc3|\xa9", "", "length", 2, false},
		{"thoughts before the text", "yes", "hm|.|yes", "", "length", 1, false},
		{"a blank trimmed", "yes", " yes", "", "length", 1, false},
		{"nothing said", "", "<eos>", "", "stop", 1, true},
		{"parts of a character without bytes", "für dich", "f|\uFFFD|\uFFFD|r| dich", "", "length",
			5, false},
		{"the same with an end", "größe", "gr|\uFFFD\uFFFD|\uFFFD|e|</s>", "", "stop", 5, true},
		{"the same at the end of the text", "ü", "\uFFFD|\uFFFD", "", "length", 2, false},
		{"parts of a character in another text", "nie", "f|\uFFFD|r", "", "length", -1, false},
		{"another text", "no", "yes", "", "length", -1, false},
		{"less than the text", "yes no", "yes", "", "length", -1, false},
		{"one more, ended", " a", " a| b", "", "stop", -1, false},
		{"two more, cut", " a", " a| b| c", "", "length", -1, false},
		{"one more behind an end token", " a", " a|<eos>| b", "", "stop", -1, false},
		{"two end tokens", " a", " a|<eos>|<eos>", "", "stop", -1, false},
		{"a token that goes on by itself", " a", " ab", "", "length", -1, false},
		{"an end token in bars", " a", " a|<¦im_end¦>", "", "stop", 2, true},
		{"an end token in other brackets", " a", " a|[SEP]", "", "stop", 2, true},
		{"blanks taken off", " a", " a|\n", "", "length", 2, false},
		{"blanks taken off, ended", " a", " a|\n|<eos>", "", "stop", 3, true},
		{"a stop", " a", " a|\n|\n", "\n\n", "stop", 3, false},
		{"a stop within a token", " a", " a|\n|\nQ", "\n\n", "stop", 3, false},
		{"a stop that begins within the last token", " a", " a\n|\n", "\n\n", "stop", 2, false},
		{"a stop behind a blank taken off", " a", " a|\n|Question|:", "Question:", "stop", 4, false},
		{"one more behind the stop", " a", " a| STOP| b", " STOP", "stop", -1, false},
		{"another word than the stop", " a", " a| b", " STOP", "stop", -1, false},
		{"one more behind parts of characters", "ü", "\uFFFD|\uFFFD| b", "", "stop", -1, false},
	} {
		var steps []step
		for _, s := range strings.Split(test.tokens, "|") {
			steps = append(steps, step{piece: piece{text: strings.ReplaceAll(s, "¦", "|"), id: -1, lp: -1}})
		}
		got, f := tokens(test.text, steps, backends.Request{Stop: []string{test.stop}}, test.finish, false)
		if (f != nil) != (test.want < 0) || f == nil && (len(got) != test.want || got[len(got)-1].End != test.end) {
			t.Errorf("%s: %+v, %v, want %d tokens, end %v", test.name, got, f, test.want, test.end)
		}
	}
}

func FuzzResponse(f *testing.F) {
	f.Add([]byte(chatty("-0.5", alternatives)))
	f.Add([]byte(`{"choices":[{"text":"ab","logprobs":{"tokens":["a","b"],"token_logprobs":[null,-1],"top_logprobs":[null,{"b":-1}]}}]}`))
	f.Add([]byte(`{"choices":[{"message":{"content":"é"},"finish_reason":"stop","logprobs":{"content":[{"token":"x","bytes":[195,-1,999],"logprob":-0.1}]}}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		_, _ = httpfailure.Message(body)
		_ = readTokens(body)
		r, fail := decode(&wire.Reply{Body: body})
		if fail != nil {
			return
		}
		steps, fail := r.steps()
		text, none := r.said()
		if fail != nil || none != nil || len(steps) == 0 {
			return
		}
		if got, fail := tokens(text, steps, backends.Request{}, r.finish(), false); fail == nil {
			for _, tok := range got {
				if math.IsNaN(tok.Logprob) || tok.Logprob > 0 || tok.Logprob <= sentinel {
					t.Errorf("a token with log-probability %v", tok.Logprob)
				}
			}
		}
		if bound, ok := least(steps[0]); ok {
			for _, l := range scored(plain(" a", " b"), steps[0], bound) {
				if math.IsNaN(l.Logprob) || l.Logprob > 0 {
					t.Errorf("a label with log-probability %v", l.Logprob)
				}
			}
		}
	})
}
