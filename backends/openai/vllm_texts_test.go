package openai

import (
	"flag"
	"fmt"
	"math"
	"testing"

	"infnet/backends"
	"infnet/harness/dataset/builtin"
)

var liveRecords = flag.Int("live-records", 25, "records of each built-in dataset that TestVLLMTexts asks a real vLLM")

// generations are n records of each of two built-in generations.
func generations(t *testing.T, n int, mode backends.Mode) (out []backends.Request) {
	t.Helper()
	for _, name := range []string{"lookup", "phrasebook"} {
		out = append(out, builtinRequests(t, name, n, func(g builtin.Source) backends.Request {
			return backends.Request{Mode: mode, MaxTokens: g.MaxTokens, Stop: []string{"\n"}}
		})...)
	}
	return out
}

// drift is how two answers to every request differ.
type drift struct {
	records, failed int
	why             string  // of one that failed
	texts, numbers  int     // records with another text; of the others those with another bit of a log-probability
	far, label      float64 // largest distances: of a token's log-probability, of a label's probability
}

func (d drift) String() string {
	return fmt.Sprintf("%d records: %d failed, %d other texts, %d other numbers, max |Δ log p| of a token %.2g, "+
		"max |Δp| of a label %.2g",
		d.records, d.failed, d.texts, d.numbers, d.far, d.label)
}

func drifted(reqs []backends.Request, got, want []backends.Answer) (d drift) {
	for i, r := range reqs {
		d.records++
		if f := backends.Check(r, got[i]); f != nil {
			d.failed, d.why = d.failed+1, f.Error()
			continue
		}
		if got[i].Text != want[i].Text {
			d.texts++
			continue
		}
		other := false
		for k := range min(len(got[i].Tokens), len(want[i].Tokens)) {
			if x, y := got[i].Tokens[k], want[i].Tokens[k]; !x.End && !y.End {
				other = other || x.Logprob != y.Logprob
				d.far = max(d.far, math.Abs(x.Logprob-y.Logprob))
			}
		}
		pg, pw := softmax(got[i].Labels), softmax(want[i].Labels)
		for k := range pg {
			other = other || got[i].Labels[k] != want[i].Labels[k]
			d.label = max(d.label, math.Abs(pg[k]-pw[k]))
		}
		if other {
			d.numbers++
		}
	}
	return d
}

// A real vLLM with 1, 4 and 32 calls in flight: texts and log-probabilities are those of backends/local in every
// batch, umlauts of two tokens included. The log has what a batch changes.
func TestVLLMTexts(t *testing.T) {
	root, name := vllm(t)
	here := openLocal(t, "../../experiments/models/"+name)
	for _, mode := range []backends.Mode{backends.Raw, backends.Chat} {
		reqs := append(generations(t, *liveRecords, mode), classifications(t, *liveRecords, mode, true)...)
		want := answersOf(t, here, reqs)
		var alone []backends.Answer
		for _, n := range []int{1, 4, 32} {
			served := open(t, root+"/v1", func(c *backends.OpenAIConfig) { c.Served, c.Concurrency = name, n })
			got, err := served.Answer(t.Context(), reqs)
			if err != nil {
				t.Fatal(err)
			}
			if alone == nil {
				alone = got
			}
			d := drifted(reqs, got, want)
			t.Logf("%s, %d in flight, beside backends/local: %s", mode, n, d)
			t.Logf("%s, %d in flight, beside one at a time: %s", mode, n, drifted(reqs, got, alone))
			if d.failed > 0 || d.texts > 0 || d.far > 1e-3 || d.label > 1e-4 {
				t.Errorf("%s, %d in flight: %s (%s)", mode, n, d, d.why)
			}
		}
	}
}
