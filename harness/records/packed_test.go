package records

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/backends"
)

// numbers are log-probabilities and the values that servers send in their place.
var numbers = rapid.OneOf(rapid.Float64(),
	rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.Inf(-1), math.Inf(1)}))

func someAnswer(t *rapid.T) backends.Answer {
	text := rapid.OneOf(rapid.SampledFrom([]string{"", "yes", " no", strings.Repeat("long ", 40)}), rapid.String())
	a := backends.Answer{
		Text: text.Draw(t, "text"), NoLogprobs: rapid.Bool().Draw(t, "unscored"), Whole: rapid.Bool().Draw(t, "whole"),
		Truncated: rapid.Int().Draw(t, "truncated"), Latency: time.Duration(rapid.Int64().Draw(t, "latency")),
		By: backends.LabelMode(text.Draw(t, "by")), Finish: backends.Finish(text.Draw(t, "finish")),
		Model: text.Draw(t, "model"), Batch: rapid.SampledFrom([]string{"", "openai", "vllm"}).Draw(t, "batch"),
		System: text.Draw(t, "system"),
	}
	a.Thoughts, a.Thinks = text.Draw(t, "thoughts"), rapid.Bool().Draw(t, "thinks")
	a.Usage.Thoughts = rapid.IntRange(0, 9).Draw(t, "thought")
	a.Usage.Cached = rapid.Int().Draw(t, "cached")
	if rapid.Bool().Draw(t, "prompt") {
		a.Usage.Prompt = backends.Counted(rapid.IntRange(0, math.MaxInt).Draw(t, "prompt"))
	}
	if rapid.Bool().Draw(t, "completion") {
		a.Usage.Completion = backends.Counted(rapid.IntRange(0, 9).Draw(t, "completion"))
	}
	if rapid.Bool().Draw(t, "recorded") {
		a.Confidence, a.Grade = new(numbers.Draw(t, "confidence")), new(numbers.Draw(t, "grade"))
		a.Cost = &backends.Money{Amount: numbers.Draw(t, "amount"), Currency: text.Draw(t, "currency")}
		a.LabelMass = &backends.Mass{Low: numbers.Draw(t, "low"), High: numbers.Draw(t, "high")}
	}
	if rapid.Bool().Draw(t, "decided") {
		a.Vendor = &backends.Vendor{Probability: numbers.Draw(t, "probability")}
		if rapid.Bool().Draw(t, "sure") {
			a.Vendor.Confidence = new(numbers.Draw(t, "vendor's"))
		} else {
			a.Vendor.Temperature = new(numbers.Draw(t, "temperature"))
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "tokens") {
		token := backends.Token{Text: text.Draw(t, "token"), Logprob: numbers.Draw(t, "lp"), End: rapid.Bool().Draw(t, "end")}
		for range rapid.IntRange(0, 2).Draw(t, "top") {
			token.Top = append(token.Top, backends.Alternative{Text: text.Draw(t, "other"), Logprob: numbers.Draw(t, "lp")})
		}
		a.Tokens = append(a.Tokens, token)
	}
	if rapid.Bool().Draw(t, "equal") {
		a.Tokens = slices.Repeat([]backends.Token{{Text: text.Draw(t, "token"), Logprob: numbers.Draw(t, "lp")}}, 3)
	}
	for range rapid.IntRange(0, 4).Draw(t, "labels") {
		a.Labels = append(a.Labels, backends.LabelScore{Logprob: numbers.Draw(t, "lp"), Seen: rapid.Bool().Draw(t, "seen")})
	}
	switch rapid.IntRange(0, 8).Draw(t, "odd") {
	case 0:
		a.Failure = &backends.Failure{Message: text.Draw(t, "message")}
	case 1:
		a.Calls = []backends.Usage{{Cached: 1}}
	}
	return a
}

// Every answer comes out as it went in, and what is looked at without unpacking is
// what the answer has.
func TestPackedAnswersComeOutAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p packed
		answers := make([]*backends.Answer, rapid.IntRange(1, 2*blockSize+1).Draw(t, "examples"))
		keys := make([]backends.Key, len(answers))
		few := []backends.Answer{someAnswer(t), someAnswer(t), someAnswer(t)}
		for i := range answers {
			if keys[i] = (backends.Key{byte(i), byte(i >> 8)}); i%7 == 3 {
				p.add(keys[i], nil)
				continue
			}
			a := few[i%len(few)]
			if a.Key = keys[i]; i%11 == 5 {
				a.Key[31] = 1 // of another request
			}
			answers[i] = &a
			p.add(keys[i], &a)
		}
		p.close()
		for i, want := range answers {
			got := p.at(i, keys[i], true)
			if want == nil {
				if !reflect.DeepEqual(got, backends.Answer{}) || p.start[i] != absent || p.bits(i) != 0 {
					t.Fatalf("example %d has no answer: %+v", i, got)
				}
				continue
			}
			if !reflect.DeepEqual(got, *want) {
				t.Fatalf("answer %d: %+v, want %+v", i, got, *want)
			}
			a := Answers{given: p}
			if head := a.Head(i); p.odd[i].Key == (backends.Key{}) {
				head.Key, head.Tokens, head.Labels = want.Key, want.Tokens, want.Labels
				head.Confidence, head.Grade, head.Cost, head.LabelMass = want.Confidence, want.Grade, want.Cost, want.LabelMass
				head.Vendor = want.Vendor
				if !reflect.DeepEqual(head, *want) {
					t.Fatalf("the head of answer %d: %+v, want %+v", i, head, *want)
				}
			}
			if a.Unscored(i) != want.NoLogprobs || a.States(i) != (want.Confidence != nil) {
				t.Fatalf("answer %d: unscored %v, states %v of %+v", i, a.Unscored(i), a.States(i), want)
			}
		}
	})
}

// Long texts come out again from wherever they are: memory, a temporary file, and memory where there can be no file.
func TestPackedAnswersOfLongTexts(t *testing.T) {
	for _, tmp := range []string{t.TempDir(), t.TempDir() + "/missing"} {
		t.Setenv("TMPDIR", tmp)
		var p packed
		text := func(i int) string { return strings.Repeat(string(rune('a'+i%26)), 60+i*3000) }
		const n = 80 // more than a spool keeps in memory
		for i := range n {
			p.add(backends.Key{}, &backends.Answer{Text: text(i), Model: "m", Tokens: []backends.Token{{Text: text(i / 2)}}})
		}
		p.close()
		for i := range n {
			k := (i * 37) % n
			a := p.at(k, backends.Key{}, true)
			if a.Text != text(k) || a.Model != "m" || a.Tokens[0].Text != text(k/2) {
				t.Fatalf("%s: answer %d came out as another one, of %d characters", tmp, k, len(a.Text))
			}
		}
	}
}
