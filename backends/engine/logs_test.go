package engine

import (
	"os"
	"strings"
	"testing"

	"infnet/backends"
)

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
