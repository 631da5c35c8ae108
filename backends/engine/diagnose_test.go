package engine

import (
	"os"
	"strings"
	"testing"

	"infnet/backends/backendtest/fakeengine"
)

// The last words of engines, as their sources and logs have them: vLLM where nothing else is said.
func TestDiagnose(t *testing.T) {
	texts := map[string]string{ // a line, and the cause
		"RuntimeError: No CUDA GPUs are available":                             "does not find the GPUs",
		"RuntimeError: Failed to infer device type":                            "does not find the GPUs",
		"ValueError: No available memory for the cache blocks. Try increasing": "does not hold the model",
		"all is well": "",
		// vLLM of 2026 on a Raspberry Pi.
		"ValueError: Available memory on node 0 (0.01/0.47 GiB) on startup is less than desired CPU memory utilization " +
			"(0.9, 0.43 GiB). Decrease --gpu-memory-utilization": "does not hold the model",
		// llama.cpp of 2026-01
		"main: couldn't bind HTTP server socket, hostname: 127.0.0.1, port: 8080": "taken by another program",
	}
	for name, cause := range map[string]string{"oom": "does not hold the model", "memory": "does not hold the model",
		"weights": "does not find the weights", "gated": "behind a licence",
		"port": "taken by another program"} {
		texts[fakeengine.Failures[name]] = cause
	}
	for text, cause := range texts {
		d := Diagnose(append(strings.Split(text, "\n"), ""))
		if (d.Cause == "") != (cause == "") || !strings.Contains(d.Cause, cause) || (d.Fix == "") != (cause == "") ||
			d.Port != strings.HasPrefix(cause, "taken") {
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
		{file: "vllm-folder", cause: "does not find the weights", line: "/models/no-such-folder"},
		{file: "vllm-weights", cause: "does not find the weights", line: "Cannot find any model weights"},
		{file: "vllm-offline", cause: "does not find the weights", line: "LocalEntryNotFoundError"},
		{file: "vllm-memory", cause: "does not hold the model", line: "900.0 GiB"},
	} {
		t.Run(test.file, func(t *testing.T) {
			b, err := os.ReadFile("testdata/logs/" + test.file + ".log")
			if err != nil {
				t.Fatal(err)
			}
			d := Diagnose(strings.Split(string(b), "\n"))
			if !strings.Contains(d.Cause, test.cause) || !strings.Contains(d.Line, test.line) || d.Fix == "" ||
				d.Port != test.port {
				t.Errorf("%+v, want cause %q by the line with %q", d, test.cause, test.line)
			}
		})
	}
}
