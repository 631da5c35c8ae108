package result_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/harness/result"
)

// Lists of numbers and words stand on one line, whatever the words hold; reading gives back what was written.
func TestEncodeFlat(t *testing.T) {
	s := &result.Results{Version: result.Version, Name: `a "quoted [1,
	2] \ {name}`, Warnings: []string{"ends with ,", "[", "]", `\`, `"`, "{"}}
	s.Cascades = []result.Cascade{{Models: []string{"a", "b"}, Datasets: []result.Dataset{{
		Curves: []result.Curve{{Theta: []result.Float{0, result.Float(math.Inf(1))}, Saved: []float64{1.5, -2}}},
	}}}}
	b, err := result.Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"theta": [0, "inf"],`, `"saved_pct": [1.5, -2],`,
		`"warnings": ["ends with ,", "[", "]", "\\", "\"", "{"]`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("no %s in\n%s", want, b)
		}
	}
	back, err := result.Decode(b, "results.json")
	if err != nil {
		t.Fatal(err)
	}
	again, err := result.Encode(back)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(b), string(again)); diff != "" {
		t.Errorf("written, read and written again (-first +second)\n%s", diff)
	}
}

// Whatever the texts, the file says what encoding/json says.
func TestEncodeIsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &result.Results{Version: result.Version, Warnings: rapid.SliceOf(rapid.String()).Draw(t, "warnings"),
			Name: rapid.String().Draw(t, "name")}
		got, err := result.Encode(s)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if err := json.Unmarshal(got, &a); err != nil {
			t.Fatalf("%v in\n%s", err, got)
		}
		if err := json.Unmarshal(plain, &b); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(b, a); diff != "" {
			t.Fatal(diff)
		}
	})
}

// A file of another version is refused by its version, whatever else is in it.
func TestOtherVersions(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"older", `{"version": 1, "provenance": {"program": "v0"}, "cascades": "of another shape"}`,
			`older infnet ("v0") in schema version 1`},
		{"newer", `{"version": 99, "study": 7}`, "newer infnet in schema version 99"},
		{"none", `{"study": "x"}`, "states no version"},
		{"not JSON", `version = 2`, "not a results file"},
		{"a list", `[]`, "not a results file"},
		{"another shape", `{"version": 2, "study": 7}`, "not a results file"},
	} {
		_, err := result.Decode([]byte(c.text), "runs/x/results.json")
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "runs/x/results.json: ") ||
			!strings.Contains(err.Error(), "analyze again") {
			t.Errorf("%s: %v, want an error that says %q", c.name, err, c.says)
		}
	}
}
