package grade_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infnet/metrics/extract"
	"infnet/metrics/grade"
)

// statement is how a way's answer is stated: @ is the answer.
type statement struct {
	way    extract.Way
	rules  string
	text   string
	silent []string // what may follow it, and this way does not read
}

var (
	words      = []string{"so ", "I think.\n", "é", "* ", "(no) ", "\n\n", "Thus, "}
	numbers    = []string{"7 ", "8, ", "= 7\n", "7-8 ", "$7 ", "#### 7\n"}
	letters    = []string{"A ", "B\n", "(A)\n", "The answer is A.\n", "Answer: B\n", `\boxed{A}` + "\n"}
	boxes      = []string{`\boxed{7}` + " and ", `\boxed{8}` + "\n", `\boxed{7` + "\n"}
	objects    = []string{`{"a": 7} `, `{"a": "A"}` + "\n", `[7, 8] `, `{"b": 7} `, `{ `}
	everything = [][]string{words, numbers, letters, boxes, objects}
)

func all(of ...[]string) (out []string) {
	for _, o := range of {
		out = append(out, o...)
	}
	return out
}

var statements = []statement{
	{"boxed", "number math choice json", "\n" + `So $\boxed{@}$ is it.` + "\n", all(words, numbers, objects)},
	{"after:Result:", "number math choice json contains", "\nResult: @\n", all(everything...)},
	{"last-line", "number math choice json contains", "\n@\n", []string{"\n", "  \n"}},
	{"last-number", "number math json contains", "\nIt is @ now.\n", words},
	{"letter", "choice", "\nThe answer is @.\n", all(words, numbers, objects)},
	{"json:a", "number math choice json contains", "\n" + `{"a": "@"}` + "\n", all(words, numbers, letters)},
	{"json:a", "number math", "\n" + `{"a": @}` + "\n", all(words, numbers, letters)},
	{`re:Result\s+(\S+)`, "number math choice json contains", "\nResult @\n", all(everything...)},
}

// No text outside an answer's place makes a wrong answer right, or a right one wrong: whatever stands before its
// statement, whatever follows that the way does not read, and thoughts between any two words.
func TestTextOutsideOfTheAnswerChangesNothing(t *testing.T) {
	const thoughts = "<think>\nResult: 7\nResult A {\"a\": 7} \\boxed{7} The answer is A.\n7\n</think>"
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(statements).Draw(t, "statement")
		rule := rapid.SampledFrom(strings.Fields(s.rules)).Draw(t, "rule")
		right, wrong := "7", "8"
		if rule == "choice" {
			right, wrong = "A", "B"
		}
		before := strings.Join(rapid.SliceOfN(rapid.SampledFrom(all(everything...)), 0, 6).Draw(t, "before"), "")
		after := strings.Join(rapid.SliceOfN(rapid.SampledFrom(s.silent), 0, 6).Draw(t, "after"), "")
		for said, want := range map[string]grade.Verdict{right: grade.Right, wrong: grade.Wrong} {
			reply := before + strings.ReplaceAll(s.text, "@", said) + after
			if got, of := gradeOf(t, s.way, rule, reply, true, right); got != want || of != said {
				t.Fatalf("%s, %s of %q: %v of %q, want %v", s.way, rule, reply, got, of, want)
			}
			at := rapid.IntRange(0, len(reply)).Draw(t, "thoughts at")
			at += max(0, strings.IndexAny(reply[at:], " \n")) // between words
			if at < len(reply) && strings.IndexByte(" \n", reply[at]) < 0 {
				continue
			}
			reply = reply[:at] + thoughts + reply[at:]
			if got, of := gradeOf(t, s.way, rule, reply, true, right); got != want || of != said {
				t.Fatalf("with thoughts, %s, %s of %q: %v of %q, want %v", s.way, rule, reply, got, of, want)
			}
		}
	})
}

// A reply of anything is right only if the text at the answer's place is right by itself.
func TestOnlyTheAnswersPlaceIsGraded(t *testing.T) {
	piece := rapid.SampledFrom(all(append(everything, []string{"Result: ", "Result ", "<think>", "</think>", "{", "}", `\boxed{`, `"`,
		"and ", "or ", "%", "-"})...))
	rapid.Check(t, func(t *rapid.T) {
		reply := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "reply"), "")
		for _, s := range statements {
			f, err := extract.New([]extract.Way{s.way})
			if err != nil {
				t.Fatal(err)
			}
			for _, rule := range strings.Fields(s.rules) {
				reference := "7"
				if rule == "choice" {
					reference = "A"
				}
				got, _ := gradeOf(t, s.way, rule, reply, true, reference)
				a, found := f.Find(reply, true)
				alone := grade.Undecided
				if place := reply[a.Start:a.End]; found {
					alone, _ = gradeOf(t, "", rule, strings.Trim(place, `"`), true, reference)
				}
				if got == grade.Right && alone != grade.Right {
					t.Fatalf("%s, %s of %q is right, its place %q is not", s.way, rule, reply, reply[a.Start:a.End])
				}
			}
		}
	})
}
