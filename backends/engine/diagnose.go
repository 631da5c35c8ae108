package engine

import (
	"regexp"
	"slices"
	"strings"

	"infnet/backends"
)

// Diagnosis is what the last words of an engine that ended mean.
type Diagnosis struct {
	Cause string // "" = not known
	Fix   string
	Port  bool   // the port was taken: another one may do
	Line  string // that says so
}

// symptom is a pattern in an engine's log, and what it means. {memory} in a fix stands for what helps the engine.
type symptom struct {
	pattern    *regexp.Regexp
	cause, fix string
	port       bool
}

// symptoms are looked for in order, the most specific first.
var symptoms = []symptom{
	{pattern: regexp.MustCompile(`(?i)address already in use|EADDRINUSE|port \d+ is (already )?in use|couldn't bind`),
		cause: "its port was taken by another program", fix: "run again: another port is chosen", port: true},
	{pattern: regexp.MustCompile(`(?i)gated repo|access to model .* is restricted|401 client error|403 client error|awaiting a review`),
		cause: "the weights are behind a licence that this machine has not shown to have accepted",
		fix:   "accept the licence on the model's page of the hub, and export HF_TOKEN"},
	{pattern: regexp.MustCompile(`(?i)no available memory for the cache blocks|larger than the (available|maximum number of tokens).*kv cache|` +
		`KV cache is needed, which is larger|max seq len .* larger than|is less than requested memory for kv`),
		cause: "the memory holds the weights, but not the cache of a whole context", fix: "{memory}"},
	{pattern: regexp.MustCompile(`is less than desired CPU memory utilization`),
		cause: "less of this machine's memory is free than it reserves on a CPU",
		fix:   "give args = [\"--gpu-memory-utilization\", \"0.4\"], a share of all memory on a CPU too; or free some"},
	{pattern: regexp.MustCompile(`(?i)out of memory|OutOfMemoryError|CUDA error: out of memory|cudaMalloc failed|not enough memory|` +
		`free memory on device .* is less than|\bMemoryError\b|failed to allocate|cannot allocate memory|bad_alloc|loading.*exceeds.*memory`),
		cause: "the memory does not hold the model", fix: "{memory}"},
	{pattern: regexp.MustCompile(`(?i)max_model_len \(\d+\) is greater than`),
		cause: "the context asked for is longer than the model's", fix: "lower --max-model-len in args, or leave it out"},
	{pattern: regexp.MustCompile(`(?i)unrecognized arguments?|unknown (flag|argument|option)|no such option|invalid argument:|` +
		`error: argument |invalid choice`),
		cause: "it does not know one of its arguments, or a value", fix: "correct args, or install the version that has it"},
	{pattern: regexp.MustCompile(`(?i)no CUDA GPUs are available|no CUDA-capable device|Found no NVIDIA driver|libcuda\.so|` +
		`failed to infer device type|\bno GPUs? (were |was |is |are )?(found|detected|available)`),
		cause: "it finds no GPU", fix: "look whether nvidia-smi lists one; gpus = 0 computes on the CPU where the " +
			"engine can"},
	{pattern: regexp.MustCompile(`(?i)more than the (total )?number of available GPUs|World size .* is larger than the number|` +
		`invalid device ordinal`),
		cause: "it finds fewer GPUs than gpus says", fix: "lower gpus, or show it more: CUDA_VISIBLE_DEVICES"},
	{pattern: regexp.MustCompile(`(?i)revision .* not found|RevisionNotFound|not a valid git identifier`),
		cause: "the hub has no such revision of the weights", fix: "correct revision: a commit of the hub, or a branch"},
	{pattern: regexp.MustCompile(`(?i)is not a local folder and is not a valid model identifier|` +
		`Invalid repository ID or local directory|Repository Not Found|` +
		`RepositoryNotFoundError|404 client error|pull model manifest: file does not exist|no such file or directory|` +
		`failed to open GGUF|cannot find any model weights|does not appear to have a file|not a valid model identifier|` +
		`Repo id must be in the form`),
		cause: "it does not find the weights", fix: "correct id (on the hub) or path (on this machine)"},
	{pattern: regexp.MustCompile(`(?i)offline mode is enabled|couldn't connect to|Failed to resolve|Name or service not known|` +
		`Temporary failure in name resolution|LocalEntryNotFound|network is unreachable`),
		cause: "the weights are not on this machine, and it cannot reach the hub",
		fix:   "fetch them where there is a network, or give their folder: path = \"…\""},
	{pattern: regexp.MustCompile(`(?i)architectures? .*(not |un)supported|unsupported (model )?architecture|unknown model architecture|` +
		`does not recognize this architecture`),
		cause: "it does not support a model of this kind", fix: "install a newer version, or take another engine"},
	{pattern: regexp.MustCompile(`(?i)No space left on device`),
		cause: "the disk is full", fix: "make room, or set HF_HOME to a folder on another disk"},
	{pattern: regexp.MustCompile(`(?i)No module named|ModuleNotFoundError|ImportError|requires .accelerate.`),
		cause: "its installation is not complete", fix: "install it again: {install}"},
}

// Diagnose reads the last lines of an engine that ended. The first symptom of the table that they show decides. Its
// last line counts: those before it may be the source that raised the error.
func Diagnose(l *backends.Launch, lines []string) Diagnosis {
	e := of(l)
	for _, s := range symptoms {
		for _, line := range slices.Backward(lines) {
			if s.pattern.MatchString(line) {
				fix := strings.NewReplacer("{memory}", e.memory, "{install}", e.install).Replace(s.fix)
				return Diagnosis{Cause: s.cause, Fix: fix, Port: s.port, Line: strings.TrimSpace(line)}
			}
		}
	}
	return Diagnosis{}
}
