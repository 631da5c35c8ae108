package replay_test

import (
	"fmt"
	"math"
	"testing"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/replay"
)

var id = backends.ModelID{ID: "recorded", Revision: "1", Kind: backends.Replay}

// tape records three classifications and three generations.
func tape() ([]backends.Request, backends.Config) {
	var reqs []backends.Request
	answers := backendtest.Recorded{}
	for i := range 3 {
		c := backends.Request{Model: id, Prompt: fmt.Sprintf("text %d", i), Labels: []string{" a", " b"}}
		answers[c.Key()] = backends.Answer{
			Text: " b", Labels: []backends.LabelScore{{Logprob: math.Log(0.1), Seen: true},
				{Logprob: math.Log(0.9), Seen: true}},
			Usage: backends.Usage{Prompt: backends.Counted(3), Completion: backends.Counted(1)},
		}
		g := backends.Request{Model: id, Prompt: fmt.Sprintf("question %d", i), MaxTokens: 4}
		answers[g.Key()] = backends.Answer{
			Text: "x y", Tokens: []backends.Token{{Text: "x", Logprob: -0.5}, {Text: " y", Logprob: -0.25}},
			Usage: backends.Usage{Prompt: backends.Counted(3), Completion: backends.Counted(2)},
		}
		reqs = append(reqs, c, g)
	}
	return reqs, backends.Config{Model: id, Settings: &backends.ReplayConfig{Source: "tape.jsonl", Answers: answers}}
}

func TestConformance(t *testing.T) {
	reqs, cfg := tape()
	backendtest.Run(t, func(t *testing.T) backends.Model {
		m, err := replay.Open(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}, backendtest.Options{Requests: reqs, Bad: []backends.Request{
		{Model: id, Prompt: "never asked", MaxTokens: 4},
		{Model: backends.ModelID{ID: "another"}, Prompt: "text 0", Labels: []string{" a", " b"}},
	}})
}

func TestNotRecorded(t *testing.T) {
	_, cfg := tape()
	m, err := replay.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	as, err := m.Answer(t.Context(), []backends.Request{{Model: id, Prompt: "never asked", MaxTokens: 4}})
	if err != nil || as[0].Failure == nil || as[0].Failure.Cause != backends.NotRecorded {
		t.Errorf("answers %+v, error %v, want the cause not-recorded", as, err)
	}
}

func TestOpenWithoutAnswers(t *testing.T) {
	for _, cfg := range []backends.Config{{Model: id}, {Model: id, Settings: &backends.ReplayConfig{}}} {
		if m, err := replay.Open(cfg); err == nil || m != nil {
			t.Errorf("Open(%+v) = %v, %v, want an error", cfg, m, err)
		}
	}
}
