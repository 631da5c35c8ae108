package store

import (
	"strings"
	"testing"

	"infnet/backends"
)

func known(n int) backends.Count { return backends.Counted(n) }

// What a server did not report is left out of the line, and is unknown when it is read.
func TestUsageOnDisk(t *testing.T) {
	for line, answer := range map[string]backends.Answer{
		`"usage":{"prompt":12,"completion":3,"cached":5}`: {Text: "a",
			Usage: backends.Usage{Prompt: known(12), Completion: known(3), Cached: 5}},
		`"usage":{"cached":0}`:                            {Text: "a"},
		`"usage":{"completion":1,"cached":0}`:             {Text: "a", Usage: backends.Usage{Completion: known(1)}},
		`"usage":{"prompt":12,"cached":0}`:                {Text: "a", Usage: backends.Usage{Prompt: known(12)}},
		`"usage":{"prompt":12,"completion":0,"cached":0}`: {Usage: backends.Usage{Prompt: known(12), Completion: known(0)}},
	} {
		got, err := appendAnswer(nil, Record{Answer: answer})
		if err != nil || !strings.Contains(string(got), line) {
			t.Fatalf("written %s, %v; want %s in it", got, err, line)
		}
		if back, err := decodeAnswer(got); err != nil || back.Answer.Usage != answer.Usage {
			t.Errorf("%s: read %v, %v; want %v", got, back.Answer.Usage, err, answer.Usage)
		}
	}
	if _, err := decodeAnswer([]byte(`{"text":"a","usage":{"prompt":-1,"completion":1,"cached":0}}`)); err == nil {
		t.Error("a negative count is read")
	}
}
