package wording

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Labels are the labels of a classification, as texts are compared with them.
type Labels struct {
	words [][]letter
	by    strength
}

// NewLabels folds labels as far as they stay apart: letter case counts where two labels differ in it alone, and letters
// of other alphabets where they do. Surrounding white space never counts.
func NewLabels(labels []string) Labels {
	for s := shaped; ; s-- {
		l := Labels{by: s, words: make([][]letter, len(labels))}
		seen := map[string]bool{}
		for i, label := range labels {
			l.words[i] = trim(fold(label, s))
			seen[spell(l.words[i])] = true
		}
		if len(seen) == len(labels) && !seen[""] || s == plain {
			return l
		}
	}
}

func trim(w []letter) []letter {
	for len(w) > 0 && w[0].r == ' ' {
		w = w[1:]
	}
	for len(w) > 0 && w[len(w)-1].r == ' ' {
		w = w[:len(w)-1]
	}
	return w
}

// Nested returns two labels of which the first begins the second, or ok = false: A and AB, 1 and 10, no and not sure.
// The first token of the one may be that of the other.
func (l Labels) Nested() (short, long int, ok bool) {
	for i, a := range l.words {
		for j, b := range l.words {
			if i != j && len(a) > 0 && begins(b, a) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

func begins(word, with []letter) bool {
	return len(with) <= len(word) && slices.EqualFunc(word[:len(with)], with, func(a, b letter) bool { return a.r == b.r })
}

// Token is what the first token of an answer says of the label.
type Token struct {
	Label int  // the label that it says or begins; -1 = none, or several
	Whole bool // it is the whole label
	Might bool // it may be the beginning of a label
}

// First reads the first token of an answer. White space and opening marks before a label are not part of it; a token of
// nothing else begins no label, since what follows is not known.
func (l Labels) First(token string) Token {
	t := Token{Label: -1}
	if !strings.Contains(token, "\uFFFD") && utf8.ValidString(token) {
		var room [32]letter // more than most tokens have
		for said := trim(folded(room[:0], token, l.by)); len(said) > 0; said = trim(said[1:]) {
			for i, w := range l.words {
				switch {
				case !begins(w, said):
				case len(w) == len(said):
					return Token{Label: i, Whole: true, Might: true}
				case t.Might:
					t.Label = -1
				default:
					t.Label, t.Might = i, true
				}
			}
			if t.Might || !opening(said) {
				return t
			}
		}
	}
	return t
}

// Why says why a text names no label.
type Why string

// The reasons.
const (
	Named     Why = ""
	NoLabel   Why = "it is none of the labels"
	TwoLabels Why = "it holds two of them"
	Sentence  Why = "a sentence begins with what may be the label, or an article or another word"
	Doubted   Why = "what follows the label takes it back or makes it another word"
)

// Reading is which label a text names, and where: bytes From to To of the text. Label is −1 where it names none, and
// Why says why. A rule that a user writes for finding the answer in a text has the same result, and can take this
// one's place.
type Reading struct {
	Label    int
	From, To int
	Why      Why
}

// Read finds the label that a text names: the one it begins with, behind marks and words that announce an answer
// ("Answer:", "The answer is"). A text is undecided if the label is a letter or an article and a sentence goes on
// behind it (A closer look), if it goes on as another word (C++, 1.5) or is questioned (positive?), and if another
// label follows anywhere. The longest label counts (not sure, not "no").
func (l Labels) Read(text string) Reading {
	said := fold(text, l.by)
	none := Reading{Label: -1, Why: NoLabel}
	for at, next := 0, 0; at < len(said); at += next {
		best, ended := -1, false
		for i, w := range l.words {
			if len(w) == 0 || !begins(said[at:], w) || len(said) > at+len(w) && !apart(w, said[at+len(w):]) {
				continue
			}
			if e := ends(said[at+len(w):]); best < 0 || e && !ended || e == ended && len(w) > len(l.words[best]) {
				best, ended = i, e
			}
		}
		switch {
		case best < 0:
		case !ended:
			none.Why = Doubted
		default:
			r := Reading{Label: best, From: said[at].from, To: said[at+len(l.words[best])-1].to}
			if r.Why = l.doubt(text, said, at, best); r.Why != Named {
				r.Label = -1
			}
			return r
		}
		if next = announced(said[at:]); next == 0 {
			break
		}
	}
	return none
}

// doubt says why a label at a place of a text is not what the text names.
func (l Labels) doubt(text string, said []letter, at, label int) Why {
	w := l.words[label]
	rest := said[at+len(w):]
	alone := len(w) == 1 && unicode.IsLetter(w[0].r)
	for i, c := range rest {
		if i > 0 && wordy(rest[i-1].r) {
			continue
		}
		for other, o := range l.words {
			if other == label || len(o) == 0 || !begins(rest[i:], o) || !apart(o, rest[i+len(o):]) {
				continue
			}
			if r, _ := utf8.DecodeRuneInString(text[c.from:]); len(o) > 1 || !unicode.IsLetter(o[0].r) || unicode.IsUpper(r) {
				return TwoLabels // a small "a" is a word of the sentence
			}
		}
	}
	if after := strings.ToLower(spell(rest)); (alone || slices.Contains(articles, strings.ToLower(spell(w)))) &&
		sentence.MatchString(after) && !asserted.MatchString(after) {
		return Sentence
	}
	return Named
}

// articles are words that may be a label, or begin a sentence about anything.
var articles = []string{"an", "the", "no", "one", "un", "une", "der", "die", "das", "el", "la", "le"}

var (
	sentence = regexp.MustCompile(`^ +[\pL\pN]`)                                                         // another word follows
	asserted = regexp.MustCompile(`^ +(is (the )?(right|correct|best|true|answer)\b|because\b|since\b)`) // and bears it out
	announce = regexp.MustCompile(`^(\\(boxed|text|mathbf|textbf)\{|((the|my) )?((final|correct|right|best) )?` +
		`(answer|label|class|category|sentiment|choice|option|prediction|classification|output|response)( is|:|=| ))`)
)

func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// apart reports whether what follows a word is not more of it.
func apart(word, rest []letter) bool {
	return len(rest) == 0 || !wordy(rest[0].r) || !wordy(word[len(word)-1].r)
}

// ends reports whether a word ends before the rest: nothing, white space, or a closing mark that no word goes on
// behind.
func ends(rest []letter) bool {
	if len(rest) == 0 || rest[0].r == ' ' {
		return true
	}
	goes := len(rest) > 1 && wordy(rest[1].r)
	switch r := rest[0].r; {
	case strings.ContainsRune(".,:'’_-–", r):
		return !goes
	case strings.ContainsRune(`;!)]}"”“‘»*`+"`"+`—…|。，、；：！』」】$\`, r):
		return true
	}
	return false
}

// opening reports whether a text begins with a mark that stands before an answer. A hyphen does only before a blank: it
// is a minus before a number.
func opening(said []letter) bool {
	if len(said) == 0 {
		return false
	}
	r := said[0].r
	return strings.ContainsRune(" \"'`*_([{“”‘’«»„#>:|$「『【", r) ||
		strings.ContainsRune("-–—•", r) && len(said) > 1 && said[1].r == ' '
}

// announced is the length of the mark or the announcement that a text begins with; 0 = there is none.
func announced(said []letter) int {
	if opening(said) {
		return 1
	}
	return utf8.RuneCountInString(announce.FindString(strings.ToLower(spell(said[:min(len(said), 40)]))))
}

// Kind is the kind of what a chat template or a gateway leaves in a text.
type Kind int

// The kinds.
const (
	Nothing  Kind = iota
	Thoughts      // marks of a model's thoughts: <think>, [THINK], ◁think▷, <|channel|>
	Call          // marks of a tool's call: <tool_call>, [TOOL_CALLS]
	Mark          // any other: <|im_end|>, [INST], <end_of_turn>, </s> at an end
	Prompt        // the prompt, repeated
)

var marks = []struct {
	kind    Kind
	pattern *regexp.Regexp
}{
	{Thoughts, thoughts},
	{Thoughts, channel},
	{Call, regexp.MustCompile(`(?i)</?(tool_calls?|function_calls?)>|\[TOOL_CALLS\]|<\|/?(tool_calls?|python_tag)[^|<>\s]*\|>`)},
	{Mark, regexp.MustCompile(`<\|[^|<>\n]{1,40}\|>|<｜[^｜<>\n]{1,40}｜>|</?(start|end)_of_turn>|\[/?INST\]|<</?SYS>>|\[gMASK\]|` +
		`<(eos|bos|pad|EOT)>|^\s*<s>|</s>\s*$`)},
}

// echoed is the least length in characters of a prompt whose return is no coincidence.
const echoed = 20

// Leftover finds in a text what is no part of an answer, and returns its kind and the words. Marks that the prompt
// holds may be what the question is about, and are left alone.
func Leftover(text, prompt string) (Kind, string) {
	for _, m := range marks {
		for _, found := range m.pattern.FindAllString(text, -1) {
			if found = strings.TrimSpace(found); !strings.Contains(prompt, found) {
				return m.kind, found
			}
		}
	}
	if asked := strings.TrimSpace(prompt); utf8.RuneCountInString(asked) >= echoed && strings.Contains(text, asked) {
		return Prompt, asked
	}
	return Nothing, ""
}

// Part is a part of a reply: its first byte, and the one behind its last.
type Part struct{ First, Last int }

// thoughts are where a model's thoughts begin and end; a group is what an end has.
var thoughts = regexp.MustCompile(`(?i)<(/?)(?:seed:)?(?:think|thinking|thought|thoughts|reasoning|scratchpad)>|` +
	`\[(/?)THINK\]|◁(/?)think▷|<\|(?:(/?)think|begin_of_thought|(end)_of_thought)\|>`)

// channel begins a message of harmony, the format of gpt-oss.
var channel = regexp.MustCompile(`<\|channel\|>`)

// final is the channel of harmony that holds what is said; the others hold thoughts and calls.
var final = regexp.MustCompile(`(?s)<\|channel\|>final[^<]*<\|message\|>(.*?)(?:<\|(?:end|return|start|channel|call)\|>|$)`)

// Spoken returns the parts of a reply that are no thoughts, in order. Text before an end of thoughts that has no
// beginning is thoughts: some servers leave the beginning out. Thoughts that do not end go on to the end.
func Spoken(reply string) (out []Part) {
	if strings.Contains(reply, "<|channel|>") {
		for _, m := range final.FindAllStringSubmatchIndex(reply, -1) {
			out = append(out, Part{m[2], m[3]})
		}
		return out
	}
	start, thinks := 0, false
	for _, m := range thoughts.FindAllStringSubmatchIndex(reply, -1) {
		ends := false
		for g := 2; g < len(m); g += 2 {
			ends = ends || m[g] < m[g+1]
		}
		switch {
		case ends && !thinks:
			out, start = nil, m[1]
		case ends:
			start, thinks = m[1], false
		case !thinks:
			out, thinks = append(out, Part{start, m[0]}), true
		}
	}
	if !thinks {
		out = append(out, Part{start, len(reply)})
	}
	return out
}

// Thought returns the parts between those that Spoken returns.
func Thought(reply string) (out []Part) {
	at := 0
	for _, p := range append(Spoken(reply), Part{len(reply), len(reply)}) {
		if p.First > at {
			out = append(out, Part{at, p.First})
		}
		at = p.Last
	}
	return out
}
