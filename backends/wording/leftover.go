package wording

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

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
