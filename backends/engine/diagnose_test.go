package engine

import (
	"strings"
	"testing"

	"infnet/backends"
	"infnet/backends/backendtest/fakeengine"
)

// Every text of a real engine's end is understood.
func TestDiagnoseRealTexts(t *testing.T) {
	causes := map[string]string{
		"oom": "does not hold the model", "memory": "does not hold the model", "sglang-memory": "does not hold the model",
		"cpu-memory": "free than it reserves on a CPU",
		"flag":       "does not know one of its arguments", "llama-flag": "does not know one of its arguments",
		"weights": "does not find the weights", "gated": "behind a licence",
		"port": "taken by another program", "llama-port": "taken by another program",
		"ollama-port": "taken by another program",
	}
	for name, text := range fakeengine.Failures {
		t.Run(name, func(t *testing.T) {
			l := &backends.Launch{Engine: backends.VLLM}
			d := Diagnose(l, strings.Split(text, "\n"))
			if causes[name] == "" || !strings.Contains(d.Cause, causes[name]) || d.Fix == "" ||
				d.Port != strings.HasSuffix(name, "port") || strings.Contains(d.Fix, "{") {
				t.Errorf("%+v, want a cause with %q and a fix", d, causes[name])
			}
		})
	}
	if d := Diagnose(&backends.Launch{Engine: backends.VLLM}, []string{"INFO all is well"}); d != (Diagnosis{}) {
		t.Errorf("a cause was made up: %+v", d)
	}
}
