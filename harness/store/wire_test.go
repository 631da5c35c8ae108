package store

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"infnet/backends"
)

var nans = cmpopts.EquateNaNs()

// oddTexts are what escaping and UTF-8 may stumble over.
var oddTexts = []string{"", "plain", `a "quote" and a \\`, "<b>&amp;</b>", "\b\f\n\r\t\x00\x1f\x7f", "ü€😀",
	"\u2028\u2029\u2027\u202a",
	"half \xe2\x80", "\xff", "\xe2", "â", "end\xe2\x80\xa8"}

// drawText is any text, valid or not.
func drawText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom(oddTexts), rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
}

func drawNumber() *rapid.Generator[float64] {
	return rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, -0.5, 1e21, 1e-7, 5e-324,
		math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN()}))
}

func drawRecord(t *rapid.T) Record {
	a := backends.Answer{Text: drawText().Draw(t, "text"), Model: drawText().Draw(t, "model"),
		Finish: backends.Finish(drawText().Draw(t, "finish")), Truncated: rapid.IntRange(0, 3).Draw(t, "truncated"),
		NoLogprobs: rapid.Bool().Draw(t, "unscored"), Whole: rapid.Bool().Draw(t, "whole"),
		Latency: time.Duration(rapid.Int64().Draw(t, "latency")),
		By:      backends.LabelMode(rapid.SampledFrom([]string{"", "token-ids", "top-logprobs"}).Draw(t, "by")),
		Batch:   rapid.SampledFrom([]string{"", "openai", "vllm"}).Draw(t, "batch"),
		System:  drawText().Draw(t, "system")}
	copy(a.Key[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "key"))
	optional := func(name string) *float64 {
		if !rapid.Bool().Draw(t, name) {
			return nil
		}
		f := drawNumber().Draw(t, name)
		return &f
	}
	a.Confidence, a.Grade = optional("confidence"), optional("grade")
	for range rapid.IntRange(0, 3).Draw(t, "tokens") {
		k := backends.Token{Text: drawText().Draw(t, "token"), Logprob: drawNumber().Draw(t, "lp"),
			End: rapid.Bool().Draw(t, "end")}
		for range rapid.IntRange(0, 2).Draw(t, "top") {
			k.Top = append(k.Top, backends.Alternative{Text: drawText().Draw(t, "other"), Logprob: drawNumber().Draw(t, "lp")})
		}
		a.Tokens = append(a.Tokens, k)
	}
	for range rapid.IntRange(0, 3).Draw(t, "labels") {
		a.Labels = append(a.Labels, backends.LabelScore{Logprob: drawNumber().Draw(t, "lp"),
			Seen: rapid.Bool().Draw(t, "seen")})
	}
	if rapid.Bool().Draw(t, "mass") {
		a.LabelMass = &backends.Mass{Low: drawNumber().Draw(t, "low"), High: drawNumber().Draw(t, "high")}
	}
	if rapid.Bool().Draw(t, "cost") {
		a.Cost = &backends.Money{Amount: rapid.Float64Range(0, 1e300).Draw(t, "amount"),
			Currency: drawText().Draw(t, "currency")}
	}
	if rapid.Bool().Draw(t, "prompt") {
		a.Usage.Prompt = backends.Counted(rapid.IntRange(0, 1<<30).Draw(t, "n"))
	}
	if rapid.Bool().Draw(t, "completion") {
		a.Usage.Completion = backends.Counted(rapid.IntRange(0, 1<<30).Draw(t, "n"))
	}
	a.Usage.Cached = rapid.IntRange(0, 5).Draw(t, "cached")
	return Record{Example: drawText().Draw(t, "id"), Answer: a}
}

// What an answer is comes back from its line with the same bits, sealed or not, whatever its texts and numbers are.
func TestAnswersComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawRecord(t)
		object, err := appendAnswer(nil, want)
		if err != nil {
			t.Fatal(err)
		}
		sealed := seal(nil, object)
		end := len(sealed) - 1
		if bytes.IndexByte(sealed, '\n') != end || intact(sealed[:end]) != nil {
			t.Fatalf("not one line with its checksum: %q", sealed)
		}
		if k, err := lineKey(sealed[:end]); err != nil || k != want.Answer.Key {
			t.Fatalf("key %v, %v", k, err)
		}
		for _, line := range [][]byte{object, sealed[:end]} {
			got, err := decodeAnswer(line)
			if diff := cmp.Diff(want, got, nans); err != nil || diff != "" {
				t.Fatalf("%s: %v (-want +got)\n%s", line, err, diff)
			}
		}
	})
}

// Lines as they are, and one from before.
func TestLinesByHand(t *testing.T) {
	minus := -0.5
	want := Record{Example: "a", Answer: backends.Answer{Text: "<x>\n", Confidence: &minus,
		Tokens: []backends.Token{{Text: "\xff", Logprob: minus,
			Top: []backends.Alternative{{Text: "y", Logprob: math.Inf(-1)}}}},
		LabelMass: &backends.Mass{Low: 0.25, High: 1}, Cost: &backends.Money{Amount: 1e-9, Currency: "USD"}, Latency: 7}}
	const line = `{"key":"0000000000000000000000000000000000000000000000000000000000000000","id":"a","text":"<x>\n",` +
		`"tokens":[{"t":{"b64":"/w=="},"lp":-0.5,"top":[{"t":"y","lp":"-inf"}]}],"usage":{"cached":0},"confidence":-0.5,` +
		`"mass":[0.25,1],"cost":{"amount":1e-9,"currency":"USD"},"latency_ns":7}`
	if got, err := appendAnswer(nil, want); err != nil || string(got) != line {
		t.Errorf("line %s, %v\nwant %s", got, err, line)
	}
	got, err := decodeAnswer([]byte(line))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	for _, bad := range []string{`{"text":1}`, `{"confidence":"many"}`, `{"text":"a","text":"b"}`, `{"text":"\xff"}`, `{`} {
		if _, err := decodeAnswer([]byte(bad)); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}
