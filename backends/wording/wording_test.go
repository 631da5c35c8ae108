package wording

import (
	"strings"
	"testing"
)

var (
	letters    = []string{" A", " B", " C", " D"}
	sentiments = []string{" positive", " negative", " neutral"}
	answers    = []string{"yes", "no", "not sure"}
	stars      = []string{"1", "2", "3", "4", "5", "10"}
)

// What a text of every kind says, as a person reads it who knows the labels. "" = it names none.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		kind   string
		labels []string
		text   string
		want   string // the bytes of the text that name the label
		why    Why
	}{
		{"as asked", sentiments, " positive", "positive", Named},
		{"another case", sentiments, "POSITIVE", "POSITIVE", Named},
		{"quotes", sentiments, `"positive".`, "positive", Named},
		{"typographic quotes", sentiments, "„positive“", "positive", Named},
		{"bold", sentiments, "**Positive**", "Positive", Named},
		{"code", sentiments, "`positive`", "positive", Named},
		{"a heading", sentiments, "## Positive\n", "Positive", Named},
		{"a bullet", sentiments, "- positive", "positive", Named},
		{"a line break", sentiments, "\n\npositive\n", "positive", Named},
		{"a no-break space", sentiments, "\u00a0positive\u00a0", "positive", Named},
		{"a zero width space before it", sentiments, "\u200bpositive", "positive", Named},
		{"a zero width space in it", sentiments, "posi\u200btive", "posi\u200btive", Named},
		{"a byte order mark", sentiments, "\ufeffpositive", "positive", Named},
		{"a soft hyphen", sentiments, "posi\u00adtive", "posi\u00adtive", Named},
		{"a Cyrillic о", sentiments, "pоsitive", "pоsitive", Named},
		{"a Cyrillic А", letters, "А", "А", Named},
		{"full width", letters, "Ｂ", "Ｂ", Named},
		{"mathematical bold", letters, "𝐁", "𝐁", Named},
		{"a ligature", []string{"fine", "bad"}, "ﬁne", "ﬁne", Named},
		{"decomposed", []string{"là", "ici"}, "la\u0300", "la\u0300", Named},
		{"in brackets", letters, "(B)", "B", Named},
		{"in square brackets", letters, "[B]", "B", Named},
		{"announced", letters, "Answer: B", "B", Named},
		{"announced in bold", letters, "**Answer:** B", "B", Named},
		{"announced in a sentence", letters, "The correct answer is B.", "B", Named},
		{"announced as an option", letters, "Option C", "C", Named},
		{"boxed", letters, `$\boxed{B}$`, "B", Named},
		{"a listed answer", letters, "B) Paris", "B", Named},
		{"a letter that is borne out", letters, "B is right", "B", Named},
		{"a letter with its reason", letters, "B because it is a city", "B", Named},
		{"a small a behind it", letters, "B. It is a city", "B", Named},
		{"the longer label", answers, "not sure", "not sure", Named},
		{"the shorter label", answers, "No.", "No", Named},
		{"a label of marks", []string{"C++", "C"}, "C++ it is", "C++", Named},
		{"a label that is an opening mark", []string{"*", "#"}, "#", "#", Named},
		{"a number", stars, "10", "10", Named},
		{"a number at an end", stars, "1.", "1", Named},
		{"cases that differ", []string{"a", "A"}, "A", "A", Named},
		{"alphabets that differ", []string{"A", "А"}, "А", "А", Named},
		{"a label and more", sentiments, "positive, on the whole", "positive", Named},

		{"empty", sentiments, "", "", NoLabel},
		{"marks alone", sentiments, "**", "", NoLabel},
		{"another word", sentiments, "great", "", NoLabel},
		{"a word that begins like it", sentiments, "positively", "", NoLabel},
		{"a negation", sentiments, "not positive", "", NoLabel},
		{"a sentence about it", sentiments, "The positive reviews", "", NoLabel},
		{"an article", letters, "A closer look at it", "", Sentence},
		{"an article and another label", letters, "A closer look shows that B is right", "", TwoLabels},
		{"a letter that is taken back", letters, "B is wrong", "", Sentence},
		{"no as an article", answers, "No doubt about it", "", Sentence},
		{"a name", letters, "C++ is", "", Doubted},
		{"a name with a sharp", letters, "C# is", "", Doubted},
		{"a genitive", letters, "A's", "", Doubted},
		{"a pair", letters, "A/B", "", Doubted},
		{"a hyphen", letters, "A-level", "", Doubted},
		{"a fraction", stars, "1/10", "", Doubted},
		{"a decimal", stars, "1.5", "", Doubted},
		{"a thousand", stars, "1,000", "", Doubted},
		{"a minus", stars, "-1", "", NoLabel},
		{"a longer number", stars, "100", "", NoLabel},
		{"a question", sentiments, "positive?", "", Doubted},
		{"two labels", sentiments, "positive or negative", "", TwoLabels},
		{"two letters", letters, "A, B", "", TwoLabels},
		{"out of", stars, "4 out of 5", "", TwoLabels},
	} {
		r := NewLabels(c.labels).Read(c.text)
		got := ""
		if r.Label >= 0 {
			got = c.text[r.From:r.To]
		}
		if got != c.want || r.Why != c.why {
			t.Errorf("%s: %q names %q (%s), want %q (%s)", c.kind, c.text, got, r.Why, c.want, c.why)
		}
		ascii := !strings.ContainsFunc(got, func(r rune) bool { return r > '~' })
		if r.Label >= 0 && ascii && !strings.EqualFold(got, strings.TrimSpace(c.labels[r.Label])) {
			t.Errorf("%s: %q is read as %q", c.kind, c.text, c.labels[r.Label])
		}
	}
}

// What a first token of every kind begins.
func TestFirst(t *testing.T) {
	for _, c := range []struct {
		kind   string
		labels []string
		token  string
		want   Token
	}{
		{"as asked", sentiments, " positive", Token{0, true, true}},
		{"another case", sentiments, "Positive", Token{0, true, true}},
		{"a beginning", sentiments, " Pos", Token{0, false, true}},
		{"a quote and the label", sentiments, "\"negative", Token{1, true, true}},
		{"a beginning of two", sentiments, " ne", Token{-1, false, true}},
		{"the whole of one, a beginning of another", []string{"AB", "A"}, "a", Token{1, true, true}},
		{"a Cyrillic о", sentiments, "pоs", Token{0, false, true}},
		{"a no-break space and the label", sentiments, "\u00a0neutral", Token{2, true, true}},
		{"a quote", sentiments, `"`, Token{-1, false, false}},
		{"a bold mark", sentiments, "**", Token{-1, false, false}},
		{"a line break", sentiments, "\n", Token{-1, false, false}},
		{"a no-break space", sentiments, "\u00a0", Token{-1, false, false}},
		{"an invisible character", sentiments, "\u200b", Token{-1, false, false}},
		{"a part of a character", sentiments, "\xd0", Token{-1, false, false}},
		{"not", sentiments, "not", Token{-1, false, false}},
		{"a longer word", sentiments, "positively", Token{-1, false, false}},
		{"an announcement", letters, "Answer", Token{-1, false, false}},
		{"a minus", stars, "-", Token{-1, false, false}},
	} {
		if got := NewLabels(c.labels).First(c.token); got != c.want {
			t.Errorf("%s: %q: %+v, want %+v", c.kind, c.token, got, c.want)
		}
	}
}

// A label that begins another, by hand.
func TestNested(t *testing.T) {
	for _, c := range []struct {
		labels []string
		want   bool
	}{
		{[]string{"A", "AB"}, true}, {[]string{"10", "1"}, true}, {answers, true}, {[]string{"A", "ab"}, true},
		{letters, false}, {sentiments, false}, {[]string{"a", "A"}, false}, {stars[:5], false},
	} {
		if _, _, got := NewLabels(c.labels).Nested(); got != c.want {
			t.Errorf("%q: %t, want %t", c.labels, got, c.want)
		}
	}
}

// What chat templates leave, and words that only look like it.
func TestLeftover(t *testing.T) {
	const prompt = "What is the capital of France?"
	for _, c := range []struct {
		text string
		want Kind
	}{
		{"<think>It is Paris.</think>\nParis", Thoughts}, {"</think>Paris", Thoughts}, {"<Thinking>hm", Thoughts},
		{"[THINK]hm[/THINK]Paris", Thoughts}, {"◁think▷hm◁/think▷Paris", Thoughts},
		{"<tool_call>{}</tool_call>", Call}, {"Paris [TOOL_CALLS][]", Call}, {"<|python_tag|>x", Call},
		{"<|channel|>final<|message|>Paris", Thoughts}, {"Paris<|im_end|>", Mark}, {"Paris<|eot_id|>", Mark},
		{"Paris<｜end▁of▁sentence｜>", Mark}, {"Paris<end_of_turn>", Mark}, {"[INST] Paris", Mark}, {"Paris</s>", Mark},
		{"<<SYS>>Paris", Mark},
		{"user\n" + prompt + "\nassistant\nParis", Prompt},
		{"Paris", Nothing}, {"", Nothing}, {"if a < b | c > d", Nothing}, {"I think it is <b>Paris</b>", Nothing},
		{"<s>old</s> new", Mark}, {"the tag <s>old</s> is deprecated", Nothing}, {"a <|> b <| c", Nothing},
	} {
		if got, found := Leftover(c.text, prompt); got != c.want {
			t.Errorf("%q: %d (%q), want %d", c.text, got, found, c.want)
		}
	}
	if k, _ := Leftover("<think> opens the thoughts", "What does <think> mean?"); k != Nothing {
		t.Error("a mark that the question is about is taken for a leftover")
	}
	if k, _ := Leftover("Say OK.", "Say OK."); k != Nothing {
		t.Error("a short answer that is the prompt is taken for an echo")
	}
}
