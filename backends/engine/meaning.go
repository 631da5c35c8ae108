package engine

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"infnet/backends"
	"infnet/backends/engine/gpu"
)

type meaning struct {
	owned    map[string]string // flags that the study sets by itself, and what to do instead
	short    map[string]string // other names of flags
	usual    map[string]string // values that are the engine's defaults, and so say nothing
	harmless []string          // flags on which no answer depends
	lines    bool              // the arguments are lines of an Ollama Modelfile
}

// What to do in place of a flag that the study sets by itself.
const (
	setRevision = "set revision for the model"
	setServed   = "set served for the model"
	setWeights  = "set id for the model (on the hub), or path (on this machine)"
	setGPUs     = "set gpus, the GPUs of each server"
	setServers  = "set servers, the number of servers"
	ownAddress  = "every server gets a free port on loopback"
	ownKey      = "every run makes a key of its own"
	ownSampling = "answers are greedy, and the model's own sampling defaults would change them"
	ownRole     = "it follows from what the model does in the study"
	ownSeed     = "answers are greedy, with seed 0"
	noFile      = "write its flags into args, so that they count in the keys of answers"
	noToken     = "export HF_TOKEN: the engine inherits it, and it is written nowhere"
)

// pairs reads names and what they mean, in turn.
func pairs(list string) map[string]string {
	words, out := strings.Fields(list), map[string]string{}
	for i := 0; i < len(words); i += 2 {
		out[words[i]] = words[i+1]
	}
	return out
}

type option struct {
	at    int // index of the flag among the arguments
	name  string
	value string
}

// options reads arguments as flags with values. stray is the index of an argument that belongs to no flag, -1 where
// there is none.
func (m meaning) options(args []string) (list []option, stray int) {
	stray = -1
	for i, a := range args {
		if m.lines {
			words := strings.Fields(a)
			n := min(len(words), 1)
			if n > 0 && strings.EqualFold(words[0], "PARAMETER") {
				n = min(len(words), 2)
			}
			list = append(list, option{i, strings.Join(words[:n], " "), strings.Join(words[n:], " ")})
			continue
		}
		if strings.HasPrefix(a, "-") && strings.Trim(a, "-0123456789.") != "" {
			name, value, _ := strings.Cut(a, "=")
			if strings.HasPrefix(name, "--") {
				name = strings.ReplaceAll(name, "_", "-")
			}
			if long, known := m.short[name]; known {
				name = long
			}
			list = append(list, option{i, name, value})
			continue
		}
		if len(list) == 0 {
			stray = i
			continue
		}
		last := &list[len(list)-1]
		last.value = strings.TrimSpace(last.value + " " + a)
	}
	return list, stray
}

func (m meaning) settings(args []string) (out []backends.Setting) {
	list, _ := m.options(args)
	for _, o := range list {
		if slices.Contains(m.harmless, o.name) || o.value != "" && m.usual[o.name] == o.value {
			continue
		}
		out = append(out, backends.Setting{Name: strings.TrimLeft(o.name, "-"), Value: o.value})
	}
	return out
}

// Settings returns the settings of a launch that change answers: the arguments that are not known to be harmless, the
// number of GPUs that share a model, and variables that the engine may read. A command of the study's own
// counts as a whole.
func Settings(l *backends.Launch) []backends.Setting {
	out := of(l).meaning.settings(l.Args)
	if len(l.Command) > 0 {
		out = append(out, backends.Setting{Name: "command", Value: Quoted(l.Command...)})
	}
	if l.GPUs > 1 && !of(l).single {
		out = append(out, backends.Setting{Name: "tensor-parallel-size", Value: parallel(l)})
	}
	for _, name := range slices.Sorted(maps.Keys(l.Env)) {
		if !begins(name, quietVariables) {
			out = append(out, backends.Setting{Name: "env " + name, Value: l.Env[name]})
		}
	}
	return out
}

var quietVariables = strings.Fields(`HF_HOME HF_HUB_ TRANSFORMERS_CACHE TRANSFORMERS_OFFLINE XDG_ TMPDIR PATH
	HOME OMP_NUM_THREADS MKL_NUM_THREADS NCCL_ GLOO_ VLLM_LOGGING_ VLLM_CONFIGURE_LOGGING VLLM_CACHE_ROOT
	VLLM_CPU_KVCACHE_SPACE VLLM_CPU_OMP_THREADS_BIND VLLM_HOST_IP VLLM_ENGINE_READY_TIMEOUT_S
	TORCHINDUCTOR_CACHE_DIR TRITON_CACHE_DIR TOKENIZERS_PARALLELISM OLLAMA_DEBUG OLLAMA_LOAD_TIMEOUT LD_LIBRARY_PATH
	HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy`)

// Problem is a mistake in a launch.
type Problem struct {
	Key     string // "args", "command", "env"
	Index   int    // of a list
	Name    string // of a variable
	Message string
	Hint    string
}

// Check finds the mistakes in a launch's command, arguments and variables.
func Check(l *backends.Launch) (out []Problem) {
	m := of(l).meaning
	list, stray := m.options(l.Args)
	if stray >= 0 {
		out = append(out, Problem{Key: "args", Index: stray, Message: fmt.Sprintf("%q belongs to no flag", l.Args[stray]),
			Hint: "write each flag and its value as texts of their own: args = [\"--dtype\", \"float32\"]"})
	}
	for _, o := range list {
		if hint, owned := m.owned[o.name]; owned {
			out = append(out, Problem{Key: "args", Index: o.at, Message: fmt.Sprintf("%s is set by the study", o.name),
				Hint: hint})
		}
		if m.lines && (strings.EqualFold(o.name, "FROM") || strings.ContainsAny(o.value, "\n\r")) {
			out = append(out, Problem{Key: "args", Index: o.at,
				Message: "each text is one line of a Modelfile, and none of them FROM",
				Hint:    setWeights})
		}
	}
	if l.Engine == "" {
		out = append(out, checkCommand(l)...)
	}
	for _, name := range slices.Sorted(maps.Keys(l.Env)) {
		if p := checkVariable(name); p.Message != "" {
			p.Key, p.Name = "env", name
			out = append(out, p)
		}
	}
	return out
}

func checkCommand(l *backends.Launch) (out []Problem) {
	port := false
	for i, word := range l.Command {
		port = port || strings.Contains(word, "{port}")
		for _, p := range unknown(word) {
			out = append(out, Problem{Key: "command", Index: i, Message: fmt.Sprintf("no placeholder is named %s", p),
				Hint: "there are " + strings.Join(Placeholders(), ", ")})
		}
	}
	switch {
	case len(l.Command) == 0 || l.Command[0] == "":
		out = append(out, Problem{Key: "command", Index: -1, Message: "the command is empty",
			Hint: "command = [\"my-server\", \"--model\", \"{model}\", \"--port\", \"{port}\"]"})
	case !port:
		out = append(out, Problem{Key: "command", Index: -1, Message: "the command names no {port}",
			Hint: "the server has to listen on " + Host + " at the port that the run chooses: \"--port\", \"{port}\""})
	}
	if len(l.Args) > 0 {
		out = append(out, Problem{Key: "args", Index: -1, Message: "args are for an engine", Hint: "write them into command"})
	}
	return out
}

func checkVariable(name string) Problem {
	secret := func(part string) bool { return strings.Contains(strings.ToUpper(name), part) }
	switch {
	case name == "CUDA_VISIBLE_DEVICES":
		return Problem{Message: "the run gives each server its GPUs",
			Hint: "set gpus and servers here, and CUDA_VISIBLE_DEVICES for infnet itself"}
	case slices.ContainsFunc([]string{"TOKEN", "API_KEY", "SECRET", "PASSWORD"}, secret) && !secret("TOKENIZERS"):
		return Problem{Message: "a secret has no place in a spec: specs are shared, and kept with results",
			Hint: "export it: the engine inherits the environment of infnet"}
	case name == "OLLAMA_HOST" || name == "LLAMA_ARG_PORT" || name == "LLAMA_ARG_HOST":
		return Problem{Message: "the run sets the address", Hint: ownAddress}
	}
	return Problem{}
}

// Load is what a server of a launch puts on its GPUs, as far as the launch and its arguments say.
func Load(l *backends.Launch) gpu.Load {
	load := gpu.Load{Name: l.Weights, GPUs: l.GPUs}
	list, _ := of(l).meaning.options(l.Args)
	for _, o := range list {
		switch o.name {
		case "--dtype":
			load.DType = o.value
		case "--quantization":
			load.Quantization = o.value
		case "--max-model-len", "--context-length", "--ctx-size":
			load.MaxLength, _ = strconv.Atoi(o.value)
		case "--gpu-memory-utilization", "--mem-fraction-static":
			load.Share, _ = strconv.ParseFloat(o.value, 64)
		}
	}
	return load
}
