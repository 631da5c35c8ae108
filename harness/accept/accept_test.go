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
	r := &Run{Format: format, Version: Version, Study: "s", Accepted: "2026-01-31"}
	const test = 200
	for k := range 10 {
		p := Pair{Cascade: "a+b", Models: []string{"a", "b"}, Dataset: strings.Repeat("d", k+1),
			Labels: []string{"a", "b", "c", "d"}}
		row := Row{Policy: "single", Values: map[string]float64{}}
		for i := range test {
			p.IDs = append(p.IDs, strings.Repeat("x", i%7)+string(rune('a'+i%26)))
			p.Content, p.Class = append(p.Content, rng.Uint32()), append(p.Class, rng.IntN(4))
			row.Final = append(row.Final, rng.IntN(2))
		}
		for range p.Models {
			a := Answered{Scores: map[string][]Column[float64]{"rouge-l": {{}}}}
			for range test {
				a.Right, a.Cost = append(a.Right, rng.IntN(4) > 0), append(a.Cost, rng.Float64())
				a.Scores["rouge-l"][0] = append(a.Scores["rouge-l"][0], float64(rng.IntN(30))/30)
			}
			p.Answers = append(p.Answers, a)
		}
		p.Rows = []Row{row, row, row, row}
		r.Pairs = append(r.Pairs, p)
	}
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
	if diff := cmp.Diff(r.Pairs[3].Answers[1].Cost, back.Pairs[3].Answers[1].Cost); diff != "" {
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
	_, err = Decode(bytes.Replace(b, []byte(`"version": 3`), []byte(`"version": 9`), 1), "accepted.json")
	var known *fault.Error
	if !errors.As(err, &known) || known.Kind != fault.Unrelated || !strings.Contains(err.Error(), "version 9") {
		t.Errorf("version 9: %v", err)
	}
}
