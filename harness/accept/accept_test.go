package accept

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/harness/fault"
	"infnet/harness/result"
)

// Every column comes back as it went in, numbers to the bit.
func TestColumnsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type columns struct {
			Bits    Column[bool]
			Words   Column[string]
			Numbers Column[float64]
		}
		in := columns{rapid.SliceOf(rapid.Bool()).Draw(t, "bits"), rapid.SliceOf(rapid.String()).Draw(t, "words"),
			rapid.SliceOf(rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1. / 3}))).
				Draw(t, "numbers")}
		b, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var out columns
		if err := json.Unmarshal(b, &out); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(out)
		if err != nil || !bytes.Equal(b, again) || len(out.Numbers) != len(in.Numbers) {
			t.Fatalf("%s became %s (%v)", b, again, err)
		}
		for i := range in.Numbers {
			if math.Float64bits(in.Numbers[i]) != math.Float64bits(out.Numbers[i]) {
				t.Fatalf("%v became %v", in.Numbers[i], out.Numbers[i])
			}
		}
	})
}

// What is no column is an error, and no panic.
func TestDamagedColumns(t *testing.T) {
	for name, text := range map[string]string{"nothing": `""`, "no base64": `"?"`, "no deflate": `"AAAA"`,
		"no text": `3`, "another type": `"` + packed(t, []string{"a"}) + `"`, "cut off": `"` + packed(t, []int{1})[:4] + `"`} {
		var c Column[int]
		if err := c.UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%s: no error, and %v", name, c)
		}
	}
}

// packed is a column's text.
func packed[T any](t *testing.T, list []T) string {
	t.Helper()
	b, err := Column[T](list).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Trim(string(b), `"`)
}

// large is a run of as many records as the nightly study has, on ten datasets.
func large() *Run {
	rng := rand.New(rand.NewPCG(1, 2))
	r := &Run{Format: format, Version: Version, Study: "s", Accepted: "2026-01-31", Level: 0.95}
	c := Cascade{Name: "a+b", Models: []string{"a", "b"}}
	const n, test = 1000, 200
	for k := range 10 {
		d := Data{Name: strings.Repeat("d", k+1), Hash: "h", Records: n, Labels: []string{"a", "b", "c", "d"}}
		m := Measured{Dataset: d.Name, Used: n, Fit: n - test, Test: test}
		row := Row{Policy: "single", Values: map[string]Estimate{}}
		for i := range n {
			d.IDs = append(d.IDs, strings.Repeat("x", i%7)+string(rune('a'+i%26)))
			d.Content, d.Class = append(d.Content, rng.Uint32()), append(d.Class, rng.IntN(4))
			m.Part, row.Final = append(m.Part, FitPart), append(row.Final, rng.IntN(2))
		}
		for i := range test {
			m.Part[i*5] = TestPart
		}
		for _, name := range c.Models {
			a := Answered{Model: name, Scores: map[string][]Column[float64]{"rouge-l": {{}}}}
			for range n {
				a.Right = append(a.Right, rng.IntN(4) > 0)
			}
			for range test {
				a.Cost = append(a.Cost, rng.Float64())
				a.Scores["rouge-l"][0] = append(a.Scores["rouge-l"][0], float64(rng.IntN(30))/30)
			}
			m.Models = append(m.Models, a)
		}
		m.Rows = []Row{row, row, row, row}
		r.Data, c.Datasets = append(r.Data, d), append(c.Datasets, m)
	}
	r.Cascades = []Cascade{c}
	return r
}

// A run of the nightly's size fits into 200 kB, and comes back from its file.
func TestAcceptedFileIsSmallAndComplete(t *testing.T) {
	r := large()
	b, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > 200_000 {
		t.Errorf("%d bytes", len(b))
	}
	back, err := Decode(b, "accepted.json")
	if err != nil {
		t.Fatal(err)
	}
	again, err := back.Encode()
	if err != nil || !bytes.Equal(b, again) {
		t.Errorf("what was read is written otherwise (%v)", err)
	}
	if diff := cmp.Diff(r.Cascades[0].Datasets[3].Models[1].Cost,
		back.Cascades[0].Datasets[3].Models[1].Cost); diff != "" {
		t.Errorf("costs:\n%s", diff)
	}
	if _, err := Decode(bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")), "accepted.json"); err != nil {
		t.Errorf("checked out with other line ends: %v", err)
	}
}

// Wherever a byte is another one, the file is refused.
func TestDamageIsSeen(t *testing.T) {
	b, err := large().Encode()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		at := rng.IntN(len(b))
		damaged := bytes.Clone(b)
		damaged[at] ^= 1 << rng.IntN(7)
		if damaged[at] == '\r' || b[at] == '\r' {
			continue
		}
		if _, err := Decode(damaged, "accepted.json"); err == nil {
			t.Errorf("byte %d: %q instead of %q, and nothing is said", at, damaged[at], b[at])
		}
	}
	for _, n := range []int{0, 1, len(b) / 2, len(b) - 3} {
		if _, err := Decode(b[:n], "accepted.json"); err == nil {
			t.Errorf("the first %d of %d bytes are taken for the file", n, len(b))
		}
	}
}

func TestOtherVersionsAreUnrelated(t *testing.T) {
	b, err := large().Encode()
	if err != nil {
		t.Fatal(err)
	}
	_, err = Decode(bytes.Replace(b, []byte(`"version": 2`), []byte(`"version": 3`), 1), "accepted.json")
	var known *fault.Error
	if !errors.As(err, &known) || known.Kind != fault.Unrelated || !strings.Contains(err.Error(), "version 3") {
		t.Errorf("version 3: %v", err)
	}
}

// A recorded confidence is part of what a model says; where there are probabilities or tokens, it follows from them.
func TestWhatAModelSaid(t *testing.T) {
	first := result.RecordAnswer{Text: "12", Beta: 0.9}
	for _, c := range []struct {
		name   string
		change func(a *result.RecordAnswer)
		same   bool
	}{
		{name: "nothing", change: func(*result.RecordAnswer) {}, same: true},
		{name: "the text", change: func(a *result.RecordAnswer) { a.Text = "13" }},
		{name: "the recorded confidence", change: func(a *result.RecordAnswer) { a.Beta = 0.8 }},
		{name: "the time it took", change: func(a *result.RecordAnswer) { a.LatencySecs = 3 }, same: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			second := first
			c.change(&second)
			if same := said(&first) == said(&second); same != c.same {
				t.Errorf("the same: %v, want %v", same, c.same)
			}
		})
	}
	first.Probs = []result.Float{0.9, 0.1}
	calibrated := first
	calibrated.Beta = 0.7
	if said(&first) != said(&calibrated) {
		t.Error("another calibration is taken for another answer")
	}
}
