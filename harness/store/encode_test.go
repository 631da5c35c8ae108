package store

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"infnet/backends"
)

// byStandardLibrary is an answer's line as encoding/json writes it.
func byStandardLibrary(r Record) ([]byte, error) {
	w := wireAnswer{
		Key: r.Answer.Key, Example: text(r.Example), Text: text(r.Answer.Text),
		Usage: r.Answer.Usage, Truncated: r.Answer.Truncated, Unscored: r.Answer.NoLogprobs, By: string(r.Answer.By),
		Finish: text(r.Answer.Finish), Model: text(r.Answer.Model), Latency: r.Answer.Latency,
	}
	w.Given, w.Grade = (*number)(r.Answer.Confidence), (*number)(r.Answer.Grade)
	w.Cost, w.Whole, w.Batch = r.Answer.Cost, r.Answer.Whole, text(r.Answer.Batch)
	w.System = text(r.Answer.System)
	if m := r.Answer.LabelMass; m != nil {
		w.Mass = &wireMass{number(m.Low), number(m.High)}
	}
	for _, t := range r.Answer.Tokens {
		wt := wireToken{Text: text(t.Text), Logprob: number(t.Logprob), End: t.End}
		for _, a := range t.Top {
			wt.Top = append(wt.Top, wireToken{Text: text(a.Text), Logprob: number(a.Logprob)})
		}
		w.Tokens = append(w.Tokens, wt)
	}
	for _, s := range r.Answer.Labels {
		w.Labels = append(w.Labels, wireLabel{number(s.Logprob), s.Seen})
	}
	return json.Marshal(w)
}

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
		By:      backends.LabelMode(rapid.SampledFrom([]string{"", "echo", "top-logprobs"}).Draw(t, "by")),
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

// A line has the bytes that encoding/json gives it, and reads back as it reads it.
func TestLinesAreThoseOfTheStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecord(t)
		want, err := byStandardLibrary(r)
		if err != nil {
			t.Fatal(err)
		}
		object, err := encodeAnswer(r)
		if err != nil || string(object) != string(want) {
			t.Fatalf("line %s (%v)\nwant %s", object, err, want)
		}
		sealed := seal(nil, object)
		for _, line := range [][]byte{object, sealed[:len(sealed)-1]} {
			got, ok := readAnswer(line)
			if !ok {
				continue // a text that is not UTF-8
			}
			slow, err := decodeAny(line)
			if diff := cmp.Diff(slow, got, nans); err != nil || diff != "" {
				t.Fatalf("%s: %v (-encoding/json +ours)\n%s", line, err, diff)
			}
		}
	})
}

// A line that was changed is read as encoding/json reads it, or left to it.
func TestChangedLinesAreReadAsByTheStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line, err := encodeAnswer(drawRecord(t))
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			at := rapid.IntRange(0, len(line)-1).Draw(t, "at")
			line[at] = rapid.SampledFrom([]byte(`"\{}[]:,u0123abtn xe+-.`+"\x00\x1f\xff")).Draw(t, "byte")
		}
		got, ok := readAnswer(line)
		if !ok {
			return
		}
		slow, err := decodeAny(line)
		if diff := cmp.Diff(slow, got, nans); err != nil || diff != "" {
			t.Fatalf("%s: %v (-encoding/json +ours)\n%s", line, err, diff)
		}
	})
}

// A plain line takes the short way.
func TestPlainLinesAreReadWithoutReflection(t *testing.T) {
	lp := -0.5
	line, err := encodeAnswer(Record{Example: "a", Answer: backends.Answer{Text: "x\n", Confidence: &lp, Grade: &lp,
		Tokens: []backends.Token{{Text: "x", Logprob: lp, Top: []backends.Alternative{{Text: "y", Logprob: math.Inf(-1)}}}},
		Cost:   &backends.Money{Amount: 1e-9, Currency: "USD"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := readAnswer(line); !ok {
		t.Errorf("%s is not read by the fast reader", line)
	}
}

// A line of a vector reads as encoding/json reads it, or is left to it.
func TestVectorLinesAreReadAsByTheStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := wireVector{Dim: rapid.IntRange(0, 3).Draw(t, "dim"), Vector: rapid.SliceOf(rapid.Byte()).Draw(t, "v")}
		line, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := readVector(line); !ok || got.Dim != want.Dim || string(got.Vector) != string(want.Vector) {
			t.Fatalf("%s is read as %v (%v)", line, got, ok)
		}
		at := rapid.IntRange(0, len(line)-1).Draw(t, "at")
		line[at] = rapid.SampledFrom([]byte(`"\{},:0aA=+/`+"\n")).Draw(t, "byte")
		got, ok := readVector(line)
		if !ok {
			return
		}
		var slow wireVector
		if err := json.Unmarshal(line, &slow); err != nil || slow.Dim != got.Dim ||
			string(slow.Vector) != string(got.Vector) {
			t.Fatalf("%s: read %v, encoding/json %v (%v)", line, got, slow, err)
		}
	})
}
