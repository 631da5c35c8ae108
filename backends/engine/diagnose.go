package engine

import (
	"regexp"
	"slices"
	"strings"
)

// Diagnosis is what the last words of an engine that ended mean.
type Diagnosis struct {
	Cause string // "" = not known
	Fix   string
	Port  bool   // the port was taken: another one may do
	Line  string // that says so
}

// symptoms are the ends that people meet, the most specific first.
var symptoms = []struct {
	pattern *regexp.Regexp
	Diagnosis
}{
	{regexp.MustCompile(`(?i)address already in use|EADDRINUSE|port \d+ is (already )?in use|couldn't bind`),
		Diagnosis{Cause: "its port was taken by another program", Fix: "run again: another port is chosen", Port: true}},
	{regexp.MustCompile(`(?i)gated repo|access to model .* is restricted|40[13] client error|awaiting a review`),
		Diagnosis{Cause: "the weights are behind a licence that this machine has not shown to have accepted",
			Fix: "accept the licence on the model's page of the hub, and export HF_TOKEN"}},
	{regexp.MustCompile(`(?i)out of memory|OutOfMemoryError|cudaMalloc failed|not enough memory|bad_alloc|\bMemoryError\b|` +
		`cannot allocate memory|failed to allocate|free memory on device|desired CPU memory|` +
		`no available memory for the cache|requested memory for kv|larger than .*kv cache`),
		Diagnosis{Cause: "the memory does not hold the model and its cache",
			Fix: "raise gpus, give a shorter context (args: --max-model-len 4096, or -c for llama.cpp) or another share of " +
				"the memory (--gpu-memory-utilization), or take a quantised model"}},
	{regexp.MustCompile(`(?i)no CUDA GPUs are available|no CUDA-capable device|NVIDIA driver|libcuda\.so|` +
		`failed to infer device type|invalid device ordinal|number of available GPUs`),
		Diagnosis{Cause: "it does not find the GPUs, or no driver for them",
			Fix: "look whether nvidia-smi lists them; gpus = 0 computes on the CPU where the engine can"}},
	{regexp.MustCompile(`(?i)not a valid model identifier|Invalid repository ID|Repository ?Not ?Found|404 client error|` +
		`failed to open GGUF|cannot find any model weights|does not appear to have a file|Repo id must be|` +
		`Revision ?Not ?Found|not a valid git identifier|no such file or directory|LocalEntryNotFound`),
		Diagnosis{Cause: "it does not find the weights",
			Fix: "correct id and revision (on the hub) or path (on this machine)"}},
}

// Diagnose reads the last lines of an engine that ended. The first symptom of the table that they show decides. Its
// last line counts: those before it may be the source that raised the error.
func Diagnose(lines []string) Diagnosis {
	for _, s := range symptoms {
		for _, line := range slices.Backward(lines) {
			if s.pattern.MatchString(line) {
				s.Line = strings.TrimSpace(line)
				return s.Diagnosis
			}
		}
	}
	return Diagnosis{}
}
