package grade_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"infnet/metrics/extract"
	"infnet/metrics/grade"
)

// habit is a way in which models write replies. In the reply, @ is the answer that it gives, ~ another one, and & the
// words of a choice.
type habit struct {
	name  string
	way   extract.Way // "" = all of it is the answer
	rule  string      // for choice, answers are letters; for contains, words; else numbers
	reply string
	says  says
}

type says int

const (
	one     says = iota // an answer
	nothing             // none, or several, or one that cannot be told: it is neither right nor wrong
	cut                 // nothing: the reply was cut before its end
)

// habits are by hand. What each says is known by how it is written.
var habits = []habit{
	{"bare", "letter", "choice", "@", one},
	{"bold", "letter", "choice", "**@**", one},
	{"in brackets", "letter", "choice", "(@)", one},
	{"with its words", "letter", "choice", "@) &", one},
	{"with its words, bold", "letter", "choice", "**@. &**", one},
	{"a sentence", "letter", "choice", "Let us see. ~ is too low.\n\nThe answer is (@).", one},
	{"a sentence, bold", "letter", "choice", "The correct answer is **@) &**.", one},
	{"a mark", "letter", "choice", "It cannot be ~.\n\nAnswer: @", one},
	{"a mark, bold", "letter", "choice", "**Answer:** @", one},
	{"a mark, all bold", "letter", "choice", "**Answer: @**\n", one},
	{"a mark, with its words", "letter", "choice", "**Final Answer: @. &**", one},
	{"a box", "letter", "choice", `Thus $\boxed{@}$.`, one},
	{"a box with text", "letter", "choice", `Thus $\boxed{\text{@}}$`, one},
	{"a box with its words", "boxed", "choice", `\boxed{@) &}`, one},
	{"formula", "letter", "choice", "The answer is $@$.", one},
	{"a reason", "letter", "choice", "The answer is @ because & is not ~.", one},
	{"corrected", "letter", "choice", "The answer is ~. Wait, no.\n\nThe answer is @.", one},
	{"not the other", "letter", "choice", "The answer is @, not ~.", one},
	{"options again", "letter", "choice", "@) &\nB) that\n\nThe best option is @", one},
	{"thoughts", "letter", "choice", "<think>The answer is ~.</think>\nThe answer is @.", one},
	{"thoughts without their beginning", "letter", "choice", "The answer is ~.\n</think>\n\n@", one},
	{"thoughts behind", "letter", "choice", "@<think>Answer: ~</think>", one},
	{"harmony", "letter", "choice", "<|channel|>analysis<|message|>Answer: ~<|end|>" +
		"<|start|>assistant<|channel|>final<|message|>@<|return|>", one},
	{"German", "after:Antwort:", "choice", "Also nicht ~.\n**Antwort:** @", one},
	{"Chinese", "after:答案：", "choice", "不是~。\n答案：@", one},
	{"JSON", "json:answer", "choice", `{"answer": "@"}`, one},
	{"JSON, fenced", "json:answer", "choice", "Here:\n```json\n{\"why\": \"not ~\", " +
		"\"answer\": \"@\"}\n```\nI hope it helps.", one},
	{"JSON, twice", "json:answer", "choice", `{"answer": "~"} No: {"answer": "@"}`, one},
	{"two letters", "letter", "choice", "The answer is @ or ~.", nothing},
	{"both letters", "letter", "choice", "Both @ and ~ are correct.", nothing},
	{"letters by a comma", "letter", "choice", "Answer: @, ~", nothing},
	{"letters side by side", "letter", "choice", "Answer: @~", nothing},
	{"letters, bold", "letter", "choice", "The answer is **@** and **~**.", nothing},
	{"refusal", "letter", "choice", "I cannot answer this.", nothing},
	{"refusal, polite", "letter", "choice", "A good question, but I cannot say.", nothing},
	{"none of them", "letter", "choice", "The answer is none of the above.", nothing},
	{"negation", "letter", "choice", "The answer is not @.", nothing},
	{"formula that is no letter", "letter", "choice", "The answer is @ = 5.", nothing},
	{"thoughts only", "letter", "choice", "<think>The answer is @.</think>", nothing},
	{"thoughts without end", "letter", "choice", "<think>The answer is @.", nothing},
	{"cut", "letter", "choice", "The answer is @", cut},
	{"JSON, cut", "json:answer", "choice", `{"answer": "@"`, cut},
	{"JSON, other key", "json:answer", "choice", `{"choice": "@"}`, nothing},
	{"JSON of Python", "json:answer", "choice", `{'answer': '@'}`, nothing},

	{"lines of letters", "letter", "choice", "@\n\n~", nothing},
	{"letters, by semicolon", "letter", "choice", "Answer: @; ~", nothing},
	{"letters, one in brackets", "letter", "choice", "The answer is @ (or ~)", nothing},
	{"letters, as well", "letter", "choice", "The answer is @ as well as ~.", nothing},
	{"letters after a mark", "after:Answer:", "choice", "Answer: @) or ~)", nothing},
	{"letters after a mark, side by side", "after:Answer:", "choice", "Answer: @. ~.", nothing},
	{"initials", "letter", "choice", "The answer is @.~.", nothing},
	{"a programming language", "letter", "choice", "The answer is @#", nothing},
	{"the question named", "letter", "choice", "The answer to the question is @.", one},
	{"the option named", "letter", "choice", "Not ~.\n\n**Option @**", one},
	{"a box after a mark", "after:Answer:", "choice", `Answer: $\boxed{\text{@}}$`, one},

	{"bare", "last-number", "number", "@", one},
	{"a box after GSM8K's mark", "after:####", "number", `#### \boxed{@}`, one},
	{"a formula after a mark", "after:Answer:", "number", `Answer: \(@\)`, one},
	{"thousands, short", "last-number", "number", "It is ~, and @k", nothing},
	{"a multiple in a formula", "last-number", "number", `It is $@\text{ million}$`, nothing},
	{"an en dash for minus", "last-number", "number", "It is –@", nothing},
	{"a function", "last-number", "number", "It is sqrt(@)", nothing},
	{"squared", "last-number", "number", "It is @ squared", nothing},
	{"a box with a factor", "boxed", "math", `\boxed{@} \times 10^6`, nothing},
	{"a box with a sign", "boxed", "math", `x = -\boxed{@}`, nothing},
	{"two boxes and words", "boxed", "math", `\boxed{@} \text{ and } \boxed{~}`, nothing},
	{"a sentence", "last-number", "number", "There are ~ and some, in all @.", one},
	{"bold", "last-number", "number", "The total is **@**!", one},
	{"an equation", "last-number", "number", "~ + 3 = @", one},
	{"a formula", "last-number", "number", `So \(x = @\).`, one},
	{"currency", "last-number", "number", "She pays $@.", one},
	{"currency in a formula", "last-number", "number", `She pays $\$@$.`, one},
	{"a unit", "last-number", "number", "It weighs @ kg.", one},
	{"corrected", "last-number", "number", "It is ~. No, I forgot one: it is @.", one},
	{"a list with a conclusion", "last-number", "number", "1. Add ~.\n2. The total is @.\n3. That is the answer.", one},
	{"thoughts", "last-number", "number", "<think>~</think>@<think>~</think>", one},
	{"GSM8K", "after:####", "number", "~ - 1\n#### @", one},
	{"GSM8K, currency", "after:####", "number", "~ - 1\n#### $@", one},
	{"GSM8K, decimal", "after:####", "number", "#### @.00", one},
	{"a mark", "after:Answer:", "number", "Answer: ~? No.\n**Answer:** @\n\nBye", one},
	{"a mark, next line", "after:Answer:", "number", "Answer:\n@", one},
	{"French", "after:Réponse :", "number", "Réponse : @", one},
	{"a box", "boxed", "number", `\boxed{~} is wrong, so $\boxed{@}$`, one},
	{"a box with a price", "boxed", "number", `\boxed{\$@}`, one},
	{"a box with a unit", "boxed", "math", `\boxed{@\text{ cm}}`, one},
	{"a box with a name", "boxed", "math", `\boxed{x = @}`, one},
	{"a fraction", "boxed", "math", `\boxed{\frac{2*@}{2}}`, one},
	{"JSON", "json:value", "number", `{"steps": [~, 2], "value": @}`, one},
	{"JSON, as text", "json:value", "number", `{"value": "@"}`, one},
	{"a range", "last-number", "number", "It is ~-@.", nothing},
	{"a range in words", "last-number", "number", "It is between ~ and @.", nothing},
	{"two", "last-number", "number", "x = ~ or @", nothing},
	{"two boxes", "boxed", "number", `\boxed{~} or \boxed{@}`, nothing},
	{"a list", "last-number", "number", "They are ~, 1, and @.", nothing},
	{"a pair", "last-number", "number", "At (~, @).", nothing},
	{"an operation", "last-number", "number", "It is ~ × @", nothing},
	{"a multiple", "last-number", "number", "It is @ million.", nothing},
	{"a power", "last-number", "number", "It is @^2", nothing},
	{"a root", "last-number", "number", `It is ~\sqrt{@}`, nothing},
	{"groups by spaces", "last-number", "number", "It is ~ 000", nothing},
	{"refusal", "last-number", "number", "I cannot tell.", nothing},
	{"words", "after:Answer:", "number", "Answer: @ apples", nothing},
	{"an approximation", "after:Answer:", "number", "Answer: about @", nothing},
	{"cut", "last-number", "number", "The total is @", cut},
	{"cut after the mark", "after:Answer:", "number", "Answer: @", cut},
	{"a box, cut", "boxed", "number", `\boxed{@`, cut},

	{"bare", "", "contains", "@", one},
	{"a sentence", "re:.+$", "contains", "It is not ~.\nIt is the @, I think.", one},
	{"upper case and marks", "re:.+$", "contains", "**\"@!\"**", one},
	{"thoughts", "re:.+$", "contains", "<think>~</think>@", one},
}

// TestHabits grades each habit against its answer, right, and against another, wrong.
func TestHabits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, h := range habits {
		for range 20 {
			answer, other := h.draw(random)
			reply := strings.NewReplacer("@", answer, "~", other, "&", "some words").Replace(h.reply)
			for reference, want := range map[string]grade.Verdict{answer: grade.Right, other: grade.Wrong} {
				if h.says != one {
					want = grade.Undecided
				}
				if got, of := gradeOf(t, h.way, h.rule, reply, h.says != cut, reference); got != want {
					t.Errorf("%s, %s: %q against %q: %v of %q, want %v", h.way, h.name, reply, reference, got, of, want)
				}
			}
		}
	}
}

// draw returns two different answers. The first is no hundredth of the second, nor the other way round.
func (h habit) draw(r *rand.Rand) (answer, other string) {
	switch h.rule {
	case "choice":
		i := r.IntN(4)
		return string("ABCD"[i]), string("ABCD"[(i+1+r.IntN(3))%4])
	case "contains":
		words := strings.Fields("Paris Rome Newton pangolin Tibet iron")
		i := r.IntN(len(words))
		return words[i], words[(i+1)%len(words)]
	}
	n := 2 + r.IntN(900)
	return strconv.Itoa(n), strconv.Itoa(n + 1 + r.IntN(90))
}

// gradeOf is the verdict on a reply, and the answer found in it; where none is found, it is undecided.
func gradeOf(t interface{ Fatal(...any) }, way extract.Way, rule, reply string, ended bool, reference string) (
	grade.Verdict, string) {
	answer, found := extract.Answer{Text: reply}, true
	if way != "" {
		f, err := extract.New([]extract.Way{way})
		if err != nil {
			t.Fatal(err)
		}
		answer, found = f.Find(reply, ended)
	}
	if !found {
		return grade.Undecided, ""
	}
	refs := []string{reference}
	switch rule {
	case "number":
		return grade.Number(answer.Text, refs), answer.Text
	case "math":
		return grade.Math(answer.Text, refs), answer.Text
	case "choice":
		return grade.Choice(answer.Text, refs), answer.Text
	case "json":
		return grade.JSON(answer.Text, refs), answer.Text
	}
	return grade.Contains(answer.Text, refs), answer.Text
}
