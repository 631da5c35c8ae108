// Package engine knows the programs that serve models: vLLM, the llama.cpp server, and commands that a study writes
// itself. It owns the command line and the environment of each, what their flags mean for answers, what their last
// words mean, and which GPUs are visible. It starts no server; harness/serving does.
//
// Its opinion: a flag changes answers unless it is known not to. A secret is in the environment, never
// among the arguments, which every user of the machine can read.
package engine

import (
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"infnet/backends"
)

// Host is where servers listen.
const Host = "127.0.0.1"

// Role is what a server is started for.
type Role string

// The roles.
const (
	Answers Role = "answers" // it answers requests
	Embeds  Role = "embeds"  // it embeds texts
	Scores  Role = "scores"  // it scores pairs of texts
)

// Task is one server to be started.
type Task struct {
	Launch  *backends.Launch
	Served  string // the model's name on the server
	Role    Role
	Top     int             // alternatives a token that will be asked for
	Port    int             // on Host
	Key     backends.Secret // what the server asks of its clients; "" = nothing
	Devices []string        // its GPUs, as CUDA_VISIBLE_DEVICES names them
}

// Variable is a variable of a server's environment.
type Variable struct {
	Name, Value string
	Secret      bool
}

// Command is how a server is started.
type Command struct {
	Args []string // the program first
	Env  []Variable
}

type engine struct {
	program string // looked for on the PATH
	install string // how it gets there
	health  string // route that answers 200 once the server works
	single  bool   // gpus do not make it share a model by tensor parallelism

	command func(Task) Command
	flags   flags
}

func of(l *backends.Launch) engine {
	switch l.Engine {
	case backends.VLLM:
		return vllm
	case backends.LlamaServer:
		return llamaServer
	}
	return custom(l)
}

// Check refuses a launch whose program is not on this machine.
func Check(l *backends.Launch) error {
	e := of(l)
	if _, err := exec.LookPath(e.program); err != nil {
		return fmt.Errorf("its engine is not on the PATH: %s: %s", e.program, e.install)
	}
	return nil
}

// Name names the engine for people.
func Name(l *backends.Launch) string { return of(l).program }

// Health is the route, below Host and the port, that answers 200 once the server works.
func Health(t Task) string { return of(t.Launch).health }

// URL is the base URL of a server.
func URL(port int) string { return fmt.Sprintf("http://%s:%d/v1", Host, port) }

// Build makes the command of a server.
func Build(t Task) Command {
	c := of(t.Launch).command(t)
	if len(t.Devices) > 0 {
		c.set("CUDA_VISIBLE_DEVICES", strings.Join(t.Devices, ","))
	} else if t.Launch.GPUs == 0 && t.Launch.Engine != "" {
		c.set("CUDA_VISIBLE_DEVICES", "") // it would take a GPU that other servers were given
	}
	return c
}

func (c *Command) set(name, value string) { c.Env = append(c.Env, Variable{Name: name, Value: value}) }

func (c *Command) secret(name string, value backends.Secret) {
	if value != "" {
		c.Env = append(c.Env, Variable{Name: name, Value: value.Reveal(), Secret: true})
	}
}

func (c *Command) add(args ...string) { c.Args = append(c.Args, args...) }

func (c *Command) silent() { c.set("DO_NOT_TRACK", "1"); c.set("HF_HUB_DISABLE_TELEMETRY", "1") }

// Identity names what the servers of a task serve, and how, as far as answers depend on it: the
// same on every machine, at every port, on any number of servers.
func Identity(t Task) string {
	l := t.Launch
	out := fmt.Sprintf("%s %q %q %q %s", Name(l), base(l), l.Revision, t.Served, t.Role)
	for _, s := range l.Settings {
		out += fmt.Sprintf(" %q=%q", s.Name, s.Value)
	}
	return out
}

// base is the name of the weights without the folders above them.
func base(l *backends.Launch) string {
	if !l.Local {
		return l.Weights
	}
	return l.Weights[strings.LastIndexAny(l.Weights, `/\`)+1:]
}

// Describe is the command as results name it: without port, key and devices, and without folders, which
// differ from machine to machine. Variables of the shell (this process's environment) that may change answers stand
// before it.
func Describe(t Task, shell []string) string {
	t.Port, t.Key, t.Devices = 0, "", nil
	l := *t.Launch
	l.Weights = base(&l)
	t.Launch = &l
	c := Build(t)
	return Command{Args: unaddressed(c.Args), Env: c.inherited(shell)}.Shell()
}

func unaddressed(args []string) (out []string) {
	for i := 0; i < len(args); i++ {
		if args[i] == "--port" || args[i] == "--host" {
			i++
			continue
		}
		out = append(out, args[i])
	}
	return out
}

// vllm is `vllm serve`, by the documentation of 0.32 and as it ran on a CPU. It has to be 0.10.0 or newer, whose
// log-probabilities are those before any sampling setting.
var vllm = engine{
	program: "vllm", install: "pip install vllm (https://docs.vllm.ai)", health: "/health",
	command: func(t Task) Command {
		l := t.Launch
		c := Command{Args: []string{"vllm", "serve", l.Weights}}
		if !l.Local && l.Revision != "" {
			c.add("--revision", l.Revision, "--tokenizer-revision", l.Revision)
		}
		c.add("--served-model-name", t.Served, "--host", Host, "--port", strconv.Itoa(t.Port))
		if t.Role == Embeds {
			c.add("--runner", "pooling")
		} else {
			c.add("--max-logprobs", strconv.Itoa(max(20, t.Top)), "--generation-config", "vllm")
		}
		c.add("--seed", "0")
		if l.GPUs > 1 {
			c.add("--tensor-parallel-size", strconv.Itoa(l.GPUs))
		}
		c.add(l.Args...)
		c.silent()
		c.set("VLLM_NO_USAGE_STATS", "1")
		if l.Local { // it does not ask the hub about weights that are on this machine
			c.set("HF_HUB_OFFLINE", "1")
		}
		c.secret("VLLM_API_KEY", t.Key)
		return c
	},
	flags: flags{
		owned: map[string]string{
			"--hf-token": noToken,
			"--revision": setRevision, "--tokenizer-revision": setRevision, "--code-revision": setRevision,
			"--served-model-name": setServed, "--host": ownAddress, "--port": ownAddress, "--uds": ownAddress,
			"--api-key": ownKey, "--max-logprobs": "set top_logprobs in the backend's table",
			"--tensor-parallel-size": setGPUs, "--data-parallel-size": setServers, "--seed": ownSeed,
			"--generation-config": ownSampling, "--model": setWeights, "--runner": ownRole, "--config": noFile,
			"--root-path": ownAddress, "--ssl-keyfile": ownAddress, "--ssl-certfile": ownAddress, "--headless": ownAddress,
		},
		short: pairs(`-tp --tensor-parallel-size -dp --data-parallel-size -pp --pipeline-parallel-size -q
			--quantization -cc --compilation-config -O --optimization-level`),
		usual: map[string]string{"--dtype": "auto", "--tokenizer-mode": "auto", "--kv-cache-dtype": "auto"},
		harmless: strings.Fields(`--gpu-memory-utilization --max-num-seqs --swap-space --cpu-offload-gb
			--download-dir --disable-log-requests --enable-log-requests --disable-log-stats --uvicorn-log-level
			--disable-uvicorn-access-log --max-log-len --load-format --safetensors-load-strategy
			--max-parallel-loading-workers --ignore-patterns --kv-cache-memory-bytes --kv-cache-memory
			--num-gpu-blocks-override --trust-remote-code --distributed-executor-backend --api-server-count`),
	},
}

// llamaServer is llama.cpp's llama-server, of 2026-11. It reads GGUF files: one of this machine, or one that it
// downloads from a repository of the hub, whose revision it does not take.
var llamaServer = engine{
	program: "llama-server", health: "/health", single: true,
	install: "https://github.com/ggml-org/llama.cpp: build it, or take a package (brew install llama.cpp)",
	command: func(t Task) Command {
		l := t.Launch
		from := "-hf"
		if l.Local {
			from = "-m"
		}
		c := Command{Args: []string{"llama-server", from, l.Weights}}
		c.add("--alias", t.Served, "--host", Host, "--port", strconv.Itoa(t.Port), "--no-webui")
		if t.Role == Embeds {
			c.add("--embeddings")
		}
		if l.GPUs == 0 {
			c.add("-ngl", "0")
		}
		c.add(l.Args...)
		c.silent()
		c.secret("LLAMA_API_KEY", t.Key)
		return c
	},
	flags: flags{
		owned: map[string]string{
			"--hf-token": noToken, "--alias": setServed, "--host": ownAddress, "--port": ownAddress, "--api-key": ownKey,
			"--api-key-file": ownKey, "--api-prefix": ownAddress, "--model": setWeights, "--hf-repo": setWeights,
			"--hf-file": setWeights, "--model-url": setWeights, "--embeddings": ownRole, "--seed": ownSeed,
			"--ssl-key-file": ownAddress, "--ssl-cert-file": ownAddress,
		},
		short: pairs(`-a --alias -m --model -hf --hf-repo -hfr --hf-repo -hff --hf-file -mu --model-url -c
			--ctx-size -np --parallel -ngl --n-gpu-layers --gpu-layers --n-gpu-layers -t --threads -tb
			--threads-batch -b --batch-size -ub --ubatch-size -fa --flash-attn -ctk --cache-type-k -ctv
			--cache-type-v --embedding --embeddings -s --seed -v --verbose -lv --verbosity -to --timeout -hft
			--hf-token`),
		harmless: strings.Fields(`--threads --threads-batch --threads-http --parallel --no-webui
			--log-disable --log-file --verbose --verbosity --log-prefix --log-timestamps --log-colors --timeout
			--mlock --no-mmap --metrics --slots --no-slots --prio --poll --cont-batching --no-warmup
			--cpu-mask`),
	},
}

// placeholders are what a command of a study may contain.
var placeholders = []string{"{model}", "{port}", "{revision}", "{served}", "{key}", "{gpus}"}

// custom is a command that a study writes itself: another engine, a container, a script.
func custom(l *backends.Launch) engine {
	program := ""
	if len(l.Command) > 0 {
		program = l.Command[0]
	}
	return engine{
		program: program, install: "it is the first word of command", health: "/v1/models", single: true,
		command: func(t Task) Command {
			c := Command{Args: slices.Clone(l.Command)}
			fill := strings.NewReplacer("{model}", l.Weights, "{port}", strconv.Itoa(t.Port), "{revision}", l.Revision,
				"{served}", t.Served, "{key}", t.Key.Reveal(), "{gpus}", strings.Join(t.Devices, ","))
			for i, a := range c.Args {
				c.Args[i] = fill.Replace(a)
			}
			c.secret("INFNET_API_KEY", t.Key)
			return c
		},
	}
}
