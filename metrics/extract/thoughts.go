package extract

import (
	"bytes"
	"regexp"
	"strings"
)

// withoutThoughts is a reply with spaces for its thoughts: what it says stays at its place.
func withoutThoughts(reply string) string {
	parts := spoken(reply)
	if len(parts) == 1 && parts[0] == (part{0, len(reply)}) {
		return reply
	}
	out := bytes.Repeat([]byte(" "), len(reply))
	for _, p := range parts {
		copy(out[p.first:p.last], reply[p.first:p.last])
	}
	return string(out)
}

// part is a part of a reply, in bytes.
type part struct{ first, last int }

// marks are where a model's thoughts begin and end; the first group is what an end has.
var marks = regexp.MustCompile(`(?i)<(/?)(?:seed:)?(?:think|thinking|thought|thoughts|reasoning|scratchpad)>|` +
	`\[(/?)THINK\]|◁(/?)think▷|<\|(?:begin_of_thought|(end)_of_thought)\|>`)

// final is the channel of harmony, the format of gpt-oss, that holds what is said; the others hold thoughts and calls.
var final = regexp.MustCompile(`(?s)<\|channel\|>final[^<]*<\|message\|>(.*?)(?:<\|(?:end|return|start|channel|call)\|>|$)`)

// spoken returns the parts of a reply that are no thoughts, in order. Text before an end of thoughts that has no
// beginning is thoughts: some servers leave the beginning out. Thoughts that do not end go on to the end.
func spoken(reply string) (out []part) {
	if strings.Contains(reply, "<|channel|>") {
		for _, m := range final.FindAllStringSubmatchIndex(reply, -1) {
			out = append(out, part{m[2], m[3]})
		}
		return out
	}
	start, thinks := 0, false
	for _, m := range marks.FindAllStringSubmatchIndex(reply, -1) {
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
			out, thinks = append(out, part{start, m[0]}), true
		}
	}
	if !thinks {
		out = append(out, part{start, len(reply)})
	}
	return out
}
