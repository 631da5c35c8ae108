package openai

import (
	"testing"

	"infnet/backends"
	"infnet/backends/backendtest/servers"
)

// The llama.cpp server: over chat and over raw completions, answers, label
// probabilities and token log-probabilities are those of backends/local, by
// every label mode that it offers.
func TestLlamaServer(t *testing.T) {
	for _, name := range []string{"tiny-student", "tiny-master"} {
		t.Run(name, func(t *testing.T) {
			folder := servers.Folder(t, "../../experiments/models/"+name)
			root := servers.Llama(t, folder)
			here := openLocal(t, folder)
			served := open(t, root+"/v1", func(c *backends.OpenAIConfig) { c.TopLogprobs = 4096 })
			probe, err := served.Probe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("what it offers:\n%+v", probe)
			if probe.Server != "llama.cpp" || !probe.Chat.Offered || !probe.Raw.Offered || !probe.Tokenize || probe.Echo {
				t.Errorf("what it offers is not what its page says")
			}
			for _, mode := range []backends.Mode{backends.Chat, backends.Raw} {
				reqs := liveRequests(t, here, mode)
				a := compare(t, served, here, reqs)
				t.Logf("%s, %s: %s", name, mode, a)
				if a.unseen > 0 {
					t.Errorf("%d labels were not reported, although all %d tokens were asked for", a.unseen, 4096)
				}
				by := open(t, root+"/v1", func(c *backends.OpenAIConfig) {
					c.Labels, c.TopLogprobs = backends.LabelsTopLogprobs, 4096
				})
				a = compare(t, by, here, reqs[:2**livePrompts]) // the classifications
				t.Logf("%s, %s, labels by %s: %s", name, mode, backends.LabelsTopLogprobs, a)
			}
		})
	}
}
