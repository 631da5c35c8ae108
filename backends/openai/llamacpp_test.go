package openai

import (
	"net"
	"os/exec"
	"path/filepath"
	"testing"

	"infnet/backends"
)

// The llama.cpp server: over chat and over raw completions, answers, label
// probabilities and token log-probabilities are those of backends/local, by
// every label mode that it offers.
func TestLlamaServer(t *testing.T) {
	const how = "https://github.com/ggml-org/llama.cpp, whose convert_hf_to_gguf.py must be on the PATH too"
	binary := program(t, "llama-server", how)
	convert := program(t, "convert_hf_to_gguf.py", how)
	for _, name := range []string{"tiny-student", "tiny-master"} {
		t.Run(name, func(t *testing.T) {
			folder := liveFolder(t, name)
			root := startLlama(t, binary, convert, folder)
			here := openLocal(t, folder)
			served := open(t, root+"/v1", func(c *backends.OpenAIConfig) { c.TopLogprobs = 4096 })
			probe, err := served.Probe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("what it offers:\n%s", probe)
			if probe.Server != "llama.cpp" || !probe.Chat.Offered || !probe.Raw.Offered || !probe.Tokenize || !probe.Grammar || probe.Echo || probe.Structured {
				t.Errorf("what it offers is not what its page says")
			}
			for _, mode := range []backends.Mode{backends.Chat, backends.Raw} {
				reqs := liveRequests(t, here, mode)
				a := compare(t, served, here, reqs)
				t.Logf("%s, %s: %s", name, mode, a)
				if a.unseen > 0 {
					t.Errorf("%d labels were not reported, although all %d tokens were asked for", a.unseen, 4096)
				}
				for _, labels := range []backends.LabelMode{backends.LabelsTopLogprobs, backends.LabelsGrammar} {
					by := open(t, root+"/v1", func(c *backends.OpenAIConfig) { c.Labels, c.TopLogprobs = labels, 4096 })
					a := compare(t, by, here, reqs[:2**livePrompts]) // the classifications
					t.Logf("%s, %s, labels by %s: %s", name, mode, labels, a)
				}
			}
		})
	}
}

// startLlama serves a model folder until the test ends and returns the
// server's root URL.
func startLlama(t *testing.T, binary, convert, folder string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "model.gguf")
	if out, err := exec.CommandContext(t.Context(), convert, folder, "--outfile", file, "--outtype", "f16").CombinedOutput(); err != nil {
		t.Skipf("%s does not work here (it is a Python program with packages of its own): %v\n%s", convert, err, out)
	}
	host, port, _ := net.SplitHostPort(freeAddress(t))
	server := command(t, nil, binary, "-m", file, "--host", host, "--port", port, "-c", "2048", "-np", "4", "-t", "1",
		"--jinja", "--chat-template", "{{ messages[0]['content'] }}")
	start(t, server, "http://"+net.JoinHostPort(host, port)+"/health")
	return "http://" + net.JoinHostPort(host, port)
}
