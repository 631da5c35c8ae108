package store

import (
	"fmt"
	"testing"

	"infnet/backends"
)

// benchRecord is an answer of twelve tokens with five alternatives each, as a server with log-probabilities gives them.
func benchRecord(i int) Record {
	a := backends.Answer{Key: key(i), Text: fmt.Sprintf("The answer number %d is <b>right</b>.", i), Finish: "stop",
		Model: "llama3.1-8b", Usage: backends.Usage{Prompt: backends.Counted(120 + i%7), Completion: backends.Counted(12)},
		Latency: 123456789}
	for k := range 12 {
		t := backends.Token{Text: " word", Logprob: -0.123456789 / float64(k+1)}
		for j := range 5 {
			t.Top = append(t.Top, backends.Alternative{Text: " other", Logprob: -1.5 * float64(j+k) / 7})
		}
		a.Tokens = append(a.Tokens, t)
	}
	return Record{Example: fmt.Sprint("row/", i), Answer: a}
}

func BenchmarkEncodeAnswer(b *testing.B) {
	for i := range b.N {
		if _, err := appendAnswer(nil, benchRecord(i%100)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeAnswer(b *testing.B) {
	line, err := appendAnswer(nil, benchRecord(1))
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		if _, err := decodeAnswer(line); err != nil {
			b.Fatal(err)
		}
	}
}
