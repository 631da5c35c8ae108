package grade_test

import (
	"testing"

	"infnet/metrics/grade"
)

// All verdicts in this file are by hand.

func TestNumber(t *testing.T) {
	for _, tc := range []struct {
		answer, reference string
		want              grade.Verdict
	}{
		{"42", "42.0", grade.Right},
		{" 42. ", "42", grade.Right},
		{"41", "42", grade.Wrong},
		{"1,234.5", "1234.50", grade.Right},
		{"12,34", "1234", grade.Undecided},
		{"0,111", "111", grade.Undecided},
		{"0.5", "1/2", grade.Right},
		{"1 1/2", "1.5", grade.Right},
		{"1/0", "1", grade.Undecided},
		{"0.3333", "1/3", grade.Wrong},
		{"$5", "5", grade.Right},
		{`\$5`, "$5", grade.Right},
		{"US$5", "$5", grade.Right},
		{"$5$", "5", grade.Right},
		{"$5", "€5", grade.Undecided},
		{"-$5", "$-5", grade.Right},
		{"-5", "5", grade.Wrong},
		{"−5", "-5", grade.Right},
		{"--5", "5", grade.Undecided},
		{"5%", "0.05", grade.Right},
		{"5%", "5", grade.Undecided},
		{`5\%`, "5 percent", grade.Right},
		{"5%", "6", grade.Wrong},
		{"0%", "0", grade.Right},
		{"1e3", "1000", grade.Right},
		{"1.2×10^3", "1200", grade.Right},
		{`1.2 \times 10^{-3}`, "0.0012", grade.Right},
		{"1e9999", "1", grade.Undecided},
		{".", "0", grade.Undecided},
		{"", "0", grade.Undecided},
		{"42 apples", "42", grade.Undecided},
		{"forty-two", "42", grade.Undecided},
		{"42", "forty-two", grade.Undecided},
	} {
		if got := grade.Number(tc.answer, []string{tc.reference}); got != tc.want {
			t.Errorf("%q against %q: %v, want %v", tc.answer, tc.reference, got, tc.want)
		}
	}
}

func TestChoice(t *testing.T) {
	for _, tc := range []struct {
		answer, reference string
		want              grade.Verdict
	}{
		{"B", "B", grade.Right},
		{"(b)", "B", grade.Right},
		{"B.", "C", grade.Wrong},
		{"**B) Rome", "B", grade.Right},
		{"Rome", "B", grade.Undecided},
		{"the Rome.", "B. Rome", grade.Right},
		{"B", "B. Rome", grade.Right},
		{"C", "B. C", grade.Wrong}, // a letter is a letter, even if it is the text
		{"Paris", "B. Rome", grade.Undecided},
		{"Because", "B", grade.Undecided},
		{"B", "Paris", grade.Undecided},
	} {
		if got := grade.Choice(tc.answer, []string{tc.reference}); got != tc.want {
			t.Errorf("%q against %q: %v, want %v", tc.answer, tc.reference, got, tc.want)
		}
	}
}

func TestContains(t *testing.T) {
	for _, tc := range []struct {
		answer, reference string
		want              grade.Verdict
	}{
		{"It is the Eiffel Tower.", "Eiffel tower", grade.Right},
		{"It is the Eiffel and other tower", "Eiffel tower", grade.Wrong},
		{"Parisian", "Paris", grade.Wrong},
		{"", "Paris", grade.Wrong},
		{"It is -5.", "5", grade.Wrong},
		{"It is 1.5", "15", grade.Wrong},
		{"5% of it", "5 percent", grade.Right},
		{"about $1,000.", "1000", grade.Right},
		{"(1,2)", "12", grade.Wrong},
		{"$.50", "50", grade.Wrong},
		{"the", "the", grade.Undecided}, // SQuAD's form of it has no word
	} {
		if got := grade.Contains(tc.answer, []string{tc.reference}); got != tc.want {
			t.Errorf("%q against %q: %v, want %v", tc.answer, tc.reference, got, tc.want)
		}
	}
}

func TestJSON(t *testing.T) {
	for _, tc := range []struct {
		answer, reference string
		want              grade.Verdict
	}{
		{`{"a": 1, "b": [true, null]}`, `{"b":[true,null],"a":1.0}`, grade.Right},
		{`[1, 2]`, `[2, 1]`, grade.Wrong},
		{`1`, `"1"`, grade.Wrong},
		{`-0.5`, `-5e-1`, grade.Right},
		{`-0.5`, `0.5`, grade.Wrong},
		{`{"a": 1}`, `{"a": 1, "b": null}`, grade.Wrong},
		{`1e9999`, `1e9999`, grade.Right},
		{`{"a": 1} x`, `{"a": 1}`, grade.Undecided},
		{`Paris`, `"Paris"`, grade.Undecided},
		{`1`, `one`, grade.Undecided},
	} {
		if got := grade.JSON(tc.answer, []string{tc.reference}); got != tc.want {
			t.Errorf("%q against %q: %v, want %v", tc.answer, tc.reference, got, tc.want)
		}
	}
}
