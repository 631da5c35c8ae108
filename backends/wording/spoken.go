package wording

import (
	"regexp"
	"strings"
)

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
