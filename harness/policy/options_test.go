package policy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

func sprint(v any) string { return fmt.Sprintf("%v", v) }

func TestParseTarget(t *testing.T) {
	for _, tc := range []struct{ text, want, problem string }{
		{text: "master", want: "master"},
		{text: "min", want: "min"},
		{text: "0.9", want: "0.9"},
		{text: "1", want: "1"},
		{text: ".5", want: ".5"},
		{text: "9e-1", want: "9e-1"},
		{text: "", problem: "unknown target"},
		{text: "Master", problem: "unknown target"},
		{text: "1/2", problem: "unknown target"},
		{text: "0x1p-1", problem: "unknown target"},
		{text: "NaN", problem: "unknown target"},
		{text: "Inf", problem: "unknown target"},
		{text: "1e-999999999", problem: "unknown target"},
		{text: strings.Repeat("0", 101), problem: "unknown target"},
		{text: "1.0001", problem: "outside [0,1]"},
		{text: "-0.1", problem: "outside [0,1]"},
		{text: "90", problem: "outside [0,1]"},
	} {
		got, err := ParseTarget(tc.text)
		switch {
		case tc.problem != "" && (err == nil || !strings.Contains(err.Error(), tc.problem)):
			t.Errorf("ParseTarget(%q): error %v, want %q", tc.text, err, tc.problem)
		case tc.problem == "" && (err != nil || got.String() != tc.want):
			t.Errorf("ParseTarget(%q) = %s, %v, want %s", tc.text, got, err, tc.want)
		}
	}
	a, _ := ParseTarget("0.9")
	b, _ := ParseTarget("9e-1")
	if !a.Equal(b) || a.Equal(Best) || !(Target{}).Equal(Best) || Best.Equal(Master) {
		t.Error("targets compare wrongly")
	}
}

func FuzzParseTarget(f *testing.F) {
	f.Add("0.9")
	f.Add("best")
	f.Fuzz(func(t *testing.T, s string) {
		target, err := ParseTarget(s)
		if err != nil {
			return
		}
		again, err := ParseTarget(target.String())
		if err != nil || !again.Equal(target) {
			t.Fatalf("%q reads back as %v, %v", target, again, err)
		}
		if _, ok := target.Numeric(); ok {
			if b := NumericBudget(target, 1000, 1).Errors.Units; b < 0 || b > 1000 {
				t.Fatalf("%q allows %d errors in 1000 records", s, b)
			}
		}
	})
}

func TestTargetInTOML(t *testing.T) {
	var v struct {
		A, B, C Target
		Bad     *Target
	}
	if _, err := toml.Decode("A = 0.9\nB = \"student\"\nC = 1", &v); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(v.A, v.B, v.C); got != "0.9 student 1" {
		t.Errorf("read %s", got)
	}
	if _, err := toml.Decode("Bad = [1]", &v); err == nil {
		t.Error("an array was read as a target")
	}
}

// ⌊(1−ξ)N⌋ from the decimal, computed by hand.
func TestNumericBudget(t *testing.T) {
	for _, tc := range []struct {
		xi    string
		n     int
		scale int64
		want  int64
	}{
		{xi: "0.9", n: 10, scale: 1, want: 1}, // math.Floor((1−0.9)·10) is 0
		{xi: "0.8", n: 5, scale: 1, want: 1},
		{xi: "0.93", n: 100, scale: 1, want: 7},
		{xi: "0.999", n: 1000, scale: 1, want: 1},
		{xi: "0.95", n: 19, scale: 1, want: 0},
		{xi: "0", n: 7, scale: 1, want: 7},
		{xi: "1", n: 7, scale: 1, want: 0},
		{xi: "0.5", n: 3, scale: softScale, want: 3 << 31},
		{xi: "0.9", n: 1 << 30, scale: softScale, want: 461168601842738790}, // ⌊2⁶²/10⌋
	} {
		target, err := ParseTarget(tc.xi)
		if err != nil {
			t.Fatal(err)
		}
		if got := NumericBudget(target, tc.n, tc.scale).Errors.Units; got != tc.want {
			t.Errorf("ξ = %s over %d records in units of 1/%d: %d, want %d", tc.xi, tc.n, tc.scale, got, tc.want)
		}
	}
}
