package store

import (
	"strings"
	"testing"

	"infnet/backends"
)

func known(n int) backends.Count { return backends.Counted(n) }

// What a server did not report is left out of the line. Lines of older
// programs have 0 there, which no prompt has, and no answer that says anything.
func TestUsageOnDisk(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer backends.Answer
		line   string // what is written
		older  string // what older programs wrote
	}{
		{"all is known", backends.Answer{Text: "a", Usage: backends.Usage{Prompt: known(12), Completion: known(3),
			Cached: 5}}, `"usage":{"prompt":12,"completion":3,"cached":5}`, `"usage":{"prompt":12,"completion":3,"cached":5}`},
		{"nothing is known", backends.Answer{Text: "a"}, `"usage":{"cached":0}`,
			`"usage":{"prompt":0,"completion":0,"cached":0}`},
		{"a classification by a server that counts nothing",
			backends.Answer{Text: "a", Usage: backends.Usage{Completion: known(1)}}, `"usage":{"completion":1,"cached":0}`,
			`"usage":{"prompt":0,"completion":1,"cached":0}`},
		{"the prompt alone", backends.Answer{Text: "a", Usage: backends.Usage{Prompt: known(12)}},
			`"usage":{"prompt":12,"cached":0}`, `"usage":{"prompt":12,"completion":0,"cached":0}`},
		{"an empty answer of no tokens", backends.Answer{Usage: backends.Usage{Prompt: known(12), Completion: known(0)}},
			`"usage":{"prompt":12,"completion":0,"cached":0}`, `"usage":{"prompt":12,"completion":0,"cached":0}`},
		{"an empty answer, nothing is known", backends.Answer{}, `"usage":{"cached":0}`,
			`"usage":{"prompt":0,"completion":0,"cached":0}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			line, err := encodeAnswer(Record{Answer: test.answer})
			if err != nil || !strings.Contains(string(line), test.line) {
				t.Fatalf("written %s, %v; want %s in it", line, err, test.line)
			}
			for what, l := range map[string]string{"new": string(line),
				"older": strings.Replace(string(line), test.line, test.older, 1)} {
				got, err := decodeAnswer([]byte(l))
				if err != nil || got.Answer.Usage != test.answer.Usage {
					t.Errorf("%s line: read %v, %v; want %v", what, got.Answer.Usage, err, test.answer.Usage)
				}
			}
		})
	}
	if _, err := decodeAnswer([]byte(`{"text":"a","usage":{"prompt":-1,"completion":1,"cached":0}}`)); err == nil {
		t.Error("a negative count is read")
	}
}
