package result

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"
)

var (
	someText = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "plain", "a \"b\" \\ c", "tab\tend\n", "<&>",
		"Grüße", "\u2028 \u2029", "\ufffd", "\x7f", "日本"}))
	someNumber = rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, 0.1, 1e-6, 9.9e-7,
		1e-9, 1.5e-10, 1e20, 1e21, -1e21, 3e-100, 5e-324, math.MaxFloat64}))
	someFloat = rapid.Map(rapid.OneOf(someNumber, rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1)})),
		func(x float64) Float { return Float(x) })
)

func someRecord(t *rapid.T) (r Record) {
	text := func() string { return someText.Draw(t, "text") }
	floats := rapid.SliceOfN(someFloat, 0, 3)
	r = Record{Cascade: text(), Dataset: text(), ID: text(), Row: rapid.Int().Draw(t, "row"), Group: text(),
		Part: PartTest, Prompt: text(), Class: text(), References: rapid.SliceOfN(someText, 0, 2).Draw(t, "references")}
	for range rapid.IntRange(0, 2).Draw(t, "models") {
		a := RecordAnswer{Model: text(), Key: text(), Cause: text(), Refused: text(), AnsweredBy: text(), Text: text(),
			Class: text(), Probs: floats.Draw(t, "probs"), Beta: someNumber.Draw(t, "beta"),
			BetaLow: someNumber.Draw(t, "low"), BetaHigh: someNumber.Draw(t, "high"), Unseen: rapid.IntRange(0, 1).Draw(t, "n"),
			LabelMass: floats.Draw(t, "mass"), Correct: rapid.Bool().Draw(t, "right"), Error: someNumber.Draw(t, "error"),
			Cost: someNumber.Draw(t, "cost"), Prompted: rapid.Int().Draw(t, "n"), Completed: rapid.Int().Draw(t, "n"),
			Estimated: text(), Finish: text(), Truncated: rapid.IntRange(0, 1).Draw(t, "n"),
			LatencySecs: someNumber.Draw(t, "s"), Scores: rapid.MapOfN(someText, someFloat, 0, 3).Draw(t, "scores")}
		for range rapid.IntRange(0, 2).Draw(t, "tokens") {
			a.Tokens = append(a.Tokens, RecordToken{Text: text(), Logprob: someFloat.Draw(t, "lp"),
				End: rapid.Bool().Draw(t, "end")})
		}
		r.Models = append(r.Models, a)
	}
	for range rapid.IntRange(0, 2).Draw(t, "decisions") {
		d := Decision{Policy: text(), Deferred: rapid.Bool().Draw(t, "deferred"), Stage: rapid.IntRange(-1, 2).Draw(t, "n"),
			Asked: rapid.SliceOfN(rapid.Int(), 0, 2).Draw(t, "asked"), Thetas: floats.Draw(t, "thetas")}
		if rapid.Bool().Draw(t, "scored") {
			d.Theta, d.Score = new(someFloat.Draw(t, "theta")), new(someNumber.Draw(t, "score"))
		}
		r.Decisions = append(r.Decisions, d)
	}
	if rapid.Bool().Draw(t, "lists") && r.Decisions == nil {
		r.Decisions, r.Models = []Decision{}, []RecordAnswer{}
	}
	return r
}

// A line has the bytes that encoding/json gives it.
func TestLinesAreThoseOfEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := someRecord(t)
		var want bytes.Buffer
		encoder := json.NewEncoder(&want)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(r); err != nil {
			t.Fatal(err)
		}
		got, err := r.AppendLine([]byte("before\n"))
		if err != nil || string(got) != "before\n"+want.String() {
			t.Fatalf("%v\n%s want\n%s", err, got, want.Bytes())
		}
	})
}

// A text that is not UTF-8 is mended: JSON has none.
func TestLinesAreUTF8(t *testing.T) {
	r := Record{ID: "bad \xff"}
	if b, err := r.AppendLine(nil); err != nil || !bytes.Contains(b, []byte("\"id\":\"bad \ufffd\"")) {
		t.Errorf("%s, %v", b, err)
	}
}

func TestLinesRefuseWhatIsNoNumber(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		r := Record{ID: "7", Models: []RecordAnswer{{Cost: x}}}
		if b, err := r.AppendLine(nil); err == nil || len(b) > 0 {
			t.Errorf("a cost of %v: %q, no error", x, b)
		}
	}
}
