package extract_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/metrics/extract"
)

func finder(t testing.TB, ways ...extract.Way) *extract.Finder {
	f, err := extract.New(ways)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What is expected is what a reader of the reply would underline; by hand.
func TestFind(t *testing.T) {
	for _, tc := range []struct {
		way         extract.Way
		reply, want string // "" = nothing is found
	}{
		{"boxed", `So \boxed{42}.`, "42"},
		{"boxed", `\boxed{1}, no: \boxed{\frac{1}{2}}`, `\frac{1}{2}`},
		{"boxed", `\boxed{\{1, 2\}}`, `\{1, 2\}`},
		{"boxed", `\boxed{2} or $\boxed{3}$`, ""}, // two answers
		{"boxed", `\boxed{2}, \boxed{2}`, "2"},
		{"boxed", `\boxed{\boxed{2}}`, "2"},
		{"boxed", `first \boxed{3}, then \boxed{4`, ""},
		{"boxed", `\boxed 5`, ""},
		{"boxed", `\boxed{ }`, ""},
		{"after:Answer:", "Answer: 3\nNo.\n**answer:** 4\nbye", "4"},
		{"after:Answer:", "Answer:\n\n 12\n13", "12"},
		{"after:Answer:", "Answer: 3\nAnswer:", ""},
		{"after:####", "1 + 1 = 2\n#### 2", "2"},
		{"after:####", "###### 2", "2"},
		{"last-number", "It is 3, so 1,234.5 apples.", "1,234.5"},
		{"last-number", "from 12-15", ""}, // which of the two?
		{"last-number", "10 to 15 minutes", ""},
		{"last-number", "$10–$15", ""},
		{"last-number", "either 2 or 3", ""},
		{"last-number", "(3, 4)", ""},
		{"last-number", "12/25/2024", ""},
		{"last-number", "at 12:30", ""},
		{"last-number", "10 000", ""}, // or 10000
		{"last-number", "1'000", ""},
		{"last-number", "1_000", ""},
		{"last-number", "version 1.2.3", ""},
		{"last-number", "10²", ""},
		{"last-number", "1½", ""},
		{"last-number", `2\pi`, ""},
		{"last-number", "2√3", ""},
		{"last-number", "5 ± 0.1", ""},
		{"last-number", "3 × 4", ""},
		{"last-number", "3 × 4 = 12", "12"},
		{"last-number", "90 thousand dollars", ""},
		{"last-number", "minus 5", ""},
		{"last-number", "In 2019 there were 45.", "45"},
		{"last-number", "Step 8: 5 are left", "5"},
		{"last-number", "3 + 4\n7", "7"},
		{"last-number", "1. It is 12.\n2. That is the answer.", "12"},
		{"last-number", "It is\n12.", "12"},
		{"last-number", "12 - 15 = -3.", "-3"},
		{"last-number", "- 5 apples", "5"},
		{"last-number", "the price is -$4.50", "-$4.50"},
		{"last-number", "US$5", "$5"},
		{"last-number", "it grew by 12 %", "12 %"},
		{"last-number", `it grew by $12\%$`, `$12\%`},
		{"last-number", "take 1 1/2 cups", "1 1/2"},
		{"last-number", "1e-3 grams", "1e-3"},
		{"last-number", "3 of x2", "3"},
		{"last-number", `it is $\frac{3}{4}$`, ""},
		{"last-number", `it is $10^{6}$`, ""},
		{"last-number", `it is 1{,}000`, ""},
		{"last-number", "10, 20, 30", ""},
		{"last-number", "none", ""},
		{"letter", "B", "B"},
		{"letter", "(b)", "b"},
		{"letter", "**B.** Paris", "B"},
		{"letter", "B) Paris", "B"},
		{"letter", "Because it rains", ""},
		{"letter", "The answer is (C).", "C"},
		{"letter", "The answer is A. No, wait.\nThe answer is D because it is.", "D"},
		{"letter", "The answer is A because it is.", "A"},
		{"letter", "The answer is A good one", ""},
		{"letter", "the answer is a matter of taste", ""},
		{"letter", "The answer is I think unclear", ""},
		{"letter", "Option A is wrong. The correct option is C", "C"},
		{"letter", "Answer: **B**", "B"},
		{"letter", "**Answer:** B", "B"},
		{"letter", "The answer is option D", "D"},
		{"letter", "The answer is A or B", ""},
		{"letter", `\boxed{\text{E}}`, "E"},
		{"letter", "Let me see.\n\nC\n", "C"},
		{"letter", "A is too large. B is too small.", ""},
		{"letter", "The answer is Berlin", ""},
		{"letter", "The answer isn't B", ""},
		{"json:answer", `Here: {"why": "x", "answer": "a \"b\""}`, `a "b"`},
		{"json:a.b[1]", `{"a": {"b": [1, 22]}} done`, "22"},
		{"json:a", `{"a": 1} and {"b": 2}`, ""},
		{"json:a", `{"a": 1, "a": 2}`, ""},
		{"json:", "```json\n[1, 2]\n```", "[1, 2]"},
		{"json:a", `{ is a brace; {"a": 5}`, "5"},
		{"re:(?i)final: (\\w+)", "final: a, Final: b", "b"},
		{"re:[0-9]+", "1 22", "22"},
		{"re:(x)?y", "y", ""},
	} {
		reply := tc.reply
		got, ok := finder(t, tc.way).Find(reply, true)
		if got.Text != tc.want || ok != (tc.want != "") {
			t.Errorf("%s in %q: %q, want %q", tc.way, reply, got.Text, tc.want)
		}
		if place := reply[got.Start:got.End]; !strings.HasPrefix(string(tc.way), "json:") && place != tc.want {
			t.Errorf("%s in %q: the bytes are of %q, want %q", tc.way, reply, place, tc.want)
		}
	}
}

// Thoughts are searched where a way says so: those in the reply, then those apart from it; and nothing that is said.
func TestFindInThoughts(t *testing.T) {
	for _, tc := range []struct {
		ways            []extract.Way
		reply, thoughts string
		ended           bool
		want            string
		at              int // -1 = apart
	}{
		{[]extract.Way{"last-number", "thoughts:last-number"}, "<think>3</think>4", "", true, "4", 16},
		{[]extract.Way{"last-number", "thoughts:last-number"}, "<think>3</think>no", "", true, "3", 7},
		{[]extract.Way{"last-number", "thoughts:boxed"}, "no", `so \boxed{5}`, true, "5", -1},
		{[]extract.Way{"thoughts:boxed"}, "", `so \boxed{5}, or`, false, "5", -1},
		{[]extract.Way{"thoughts:last-number"}, "", "so 5, or", false, "", 0},
		{[]extract.Way{"thoughts:last-number"}, "It", "so 5, or", false, "5", -1}, // the thoughts had ended
		{[]extract.Way{"thoughts:last-number"}, "4", "", true, "", 0},
		{[]extract.Way{"last-number"}, "", "5", true, "", 0},
		{[]extract.Way{"thoughts:json:a"}, "", `{"a": "x"}`, true, "x", -1},
	} {
		f := finder(t, tc.ways...)
		got, ok := f.FindIn(tc.reply, tc.thoughts, tc.ended)
		if got.Text != tc.want || ok != (tc.want != "") || got.Apart != (tc.at < 0) || tc.at > 0 && got.Start != tc.at {
			t.Errorf("%v in %q and %q: %+v, want %q", tc.ways, tc.reply, tc.thoughts, got, tc.want)
		}
	}
	if finder(t, "boxed").Minds() || !finder(t, "boxed", "thoughts:boxed").Minds() {
		t.Error("who searches thoughts")
	}
}

func TestWaysAreTriedInOrder(t *testing.T) {
	f := finder(t, "boxed", "after:Answer:", "last-number")
	for reply, want := range map[string]string{
		`\boxed{1} Answer: 2`: "1",
		"Answer: 2\n3":        "2",
		"so\n3":               "3",
	} {
		if got, _ := f.Find(reply, true); got.Text != want {
			t.Errorf("%q: %q, want %q", reply, got.Text, want)
		}
	}
}

func TestWaysThatAreNone(t *testing.T) {
	for _, w := range []extract.Way{"", "box", "thoughts:", "thoughts:thoughts:boxed", "after:", "after: ", "re:("} {
		if _, err := extract.New([]extract.Way{w}); err == nil {
			t.Errorf("%q is taken for a way", w)
		}
	}
}

var ways = []extract.Way{"boxed", "last-number", "letter", "after:Answer:", "json:a", "json:", "re:(a)|b"}

// The text is what its bytes hold, and thoughts put before a reply change nothing but where it is.
func TestAnAnswerIsWhereItsBytesAre(t *testing.T) {
	word := rapid.SampledFrom([]string{"Answer:", "the answer is ", "B", "(C)", " ", "\n", "12", "-3.5", `\boxed{`, "}", "{",
		`{"a": 1}`, `"a"`, "**", "é", "a", "<think>", "</think>", "A "})
	rapid.Check(t, func(t *rapid.T) {
		reply := strings.Join(rapid.SliceOfN(word, 0, 12).Draw(t, "words"), "")
		for _, w := range ways {
			f, _ := extract.New([]extract.Way{w})
			got, ok := f.Find(reply, true)
			if ok != (got.Text != "") || got.Start < 0 || got.End < got.Start || got.End > len(reply) {
				t.Fatalf("%s in %q: %+v, %v", w, reply, got, ok)
			}
			if !strings.HasPrefix(string(w), "json:") && got.Text != reply[got.Start:got.End] {
				t.Fatalf("%s in %q: %q is not at its place", w, reply, got.Text)
			}
			const thoughts = "<think>Answer: 7 \\boxed{7} {\"a\": 7}\n(A)</think>"
			if strings.Contains(reply, "think>") {
				continue
			}
			behind, _ := f.Find(thoughts+reply, true)
			if behind.Text != got.Text || ok && behind.Start != got.Start+len(thoughts) {
				t.Fatalf("%s in %q: %q, and after thoughts %q", w, reply, got.Text, behind.Text)
			}
		}
	})
}

func FuzzFind(f *testing.F) {
	f.Add(`<think>x</think>{"a": [1, {"b": 2}]} \boxed{3} Answer: B`)
	f.Fuzz(func(t *testing.T, reply string) {
		for _, w := range ways {
			got, ok := finder(t, w).Find(reply, true)
			if ok == (got.Text == "") || got.End > len(reply) || got.Start > got.End {
				t.Fatalf("%s: %+v, %v", w, got, ok)
			}
		}
	})
}
