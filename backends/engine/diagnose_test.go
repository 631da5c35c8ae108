package engine

import (
	"os"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/backends/backendtest/fakeengine"
)

// The last words of engines, as their sources and logs have them: vLLM where nothing else is said.
func TestDiagnose(t *testing.T) {
	texts := map[string]string{ // a line, and the cause
		"RuntimeError: No CUDA GPUs are available":                                      "finds no GPU",
		"RuntimeError: Failed to infer device type":                                     "finds no GPU",
		"ValueError: Model architectures ['FooForCausalLM'] are not supported for now.": "does not support",
		"OSError: [Errno 28] No space left on device":                                   "disk is full",
		"ModuleNotFoundError: No module named 'torch'":                                  "installation",
		"ValueError: No available memory for the cache blocks. Try increasing":          "not the cache",
		"all is well": "",
		// vLLM of 2026 on a Raspberry Pi.
		"ValueError: Available memory on node 0 (0.01/0.47 GiB) on startup is less than desired CPU memory utilization " +
			"(0.9, 0.43 GiB). Decrease --gpu-memory-utilization": "free than it reserves on a CPU",
		// SGLang 0.4.3.post2, its issue 4330; llama.cpp of 2026-01 and 2026-05; Ollama 0.3.13, its issue 7214.
		"RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.": "does not hold the model",
		"main: couldn't bind HTTP server socket, hostname: 127.0.0.1, port: 8080":        "taken by another program",
		"error: invalid argument: 0":                                      "does not know one of its arguments",
		"Error: listen tcp 127.0.0.1:11434: bind: address already in use": "taken by another program",
	}
	for name, cause := range map[string]string{"oom": "does not hold the model", "memory": "does not hold the model",
		"flag": "does not know one of its arguments", "weights": "does not find the weights", "gated": "behind a licence",
		"port": "taken by another program"} {
		texts[fakeengine.Failures[name]] = cause
	}
	for text, cause := range texts {
		d := Diagnose(&backends.Launch{Engine: backends.VLLM}, append(strings.Split(text, "\n"), ""))
		if (d.Cause == "") != (cause == "") || !strings.Contains(d.Cause, cause) || (d.Fix == "") != (cause == "") ||
			d.Port != strings.HasPrefix(cause, "taken") || strings.Contains(d.Fix, "{") {
			t.Errorf("%s: %+v, want a cause with %q and a fix", text, d, cause)
		}
	}
}

// Ends of real logs, from their first error on, of servers that were started with one mistake each: vLLM 0.32 on a CPU.
// vLLM's last lines are of a process that knows the cause as little as the reader.
func TestDiagnoseLogs(t *testing.T) {
	for _, test := range []struct {
		file, cause, line string
		port              bool
	}{
		{file: "vllm-port", cause: "its port was taken", line: "Address already in use", port: true},
		{file: "vllm-flag", cause: "does not know one of its arguments", line: "--no-such-flag"},
		{file: "vllm-folder", cause: "does not find the weights", line: "/models/no-such-folder"},
		{file: "vllm-weights", cause: "does not find the weights", line: "Cannot find any model weights"},
		{file: "vllm-offline", cause: "cannot reach the hub", line: "LocalEntryNotFoundError"},
		{file: "vllm-network", cause: "cannot reach the hub", line: "We couldn't connect to"},
		{file: "vllm-context", cause: "longer than the model's", line: "max_model_len (100000)"},
		{file: "vllm-memory", cause: "not the cache", line: "900.0 GiB"},
	} {
		t.Run(test.file, func(t *testing.T) {
			b, err := os.ReadFile("testdata/logs/" + test.file + ".log")
			if err != nil {
				t.Fatal(err)
			}
			d := Diagnose(&backends.Launch{Engine: backends.VLLM}, strings.Split(string(b), "\n"))
			if !strings.Contains(d.Cause, test.cause) || !strings.Contains(d.Line, test.line) || d.Fix == "" ||
				d.Port != test.port {
				t.Errorf("%+v, want cause %q by the line with %q", d, test.cause, test.line)
			}
		})
	}
}
