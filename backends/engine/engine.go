// Package engine knows the programs that serve models: vLLM, SGLang, the llama.cpp server, Ollama,
// transformers serve, and commands that a study writes itself. It owns the command line and the
// environment of each, what their flags mean for answers, and what their last words mean. It starts
// nothing; harness/serving does.
//
// Its opinion: a flag changes answers unless it is known not to. A secret is in the environment, never
// among the arguments, which every user of the machine can read.
package engine

import (
	"fmt"
	"maps"
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
	Home    string          // a folder for the engine's own files
}

// Variable is a variable of a server's environment.
type Variable struct {
	Name, Value string
	Secret      bool
}

// Command is how a server is started.
type Command struct {
	Args  []string // the program first
	Env   []Variable
	shown []string // what Describe says in place of a script of the shell; nil = Args
}

type engine struct {
	name    backends.Engine
	program string // looked for on the PATH
	install string // how it gets there
	health  string // route that answers 200 once the server works
	lacks   string // what it cannot do, for people; "" = nothing that a study needs

	release release
	keyless bool // it asks its clients for no key
	single  bool // gpus do not make it share a model by tensor parallelism

	command func(Task) Command
	// meaning says what its arguments mean.
	meaning meaning
	memory  string // what helps where memory runs out
}

func engines() []*engine {
	return []*engine{vllm(), sglang(), llamaServer(), ollama(), transformers()}
}

func of(l *backends.Launch) *engine {
	for _, e := range engines() {
		if e.name == l.Engine {
			return e
		}
	}
	return custom(l)
}

// Program is the program that a launch needs, and how it is installed.
func Program(l *backends.Launch) (name, install string) {
	e := of(l)
	return e.program, e.install
}

// Name names the engine for people.
func Name(l *backends.Launch) string {
	if l.Engine != "" {
		return string(l.Engine)
	}
	return of(l).program
}

// Lacks says what the engine cannot do; "" = nothing that a study needs.
func Lacks(l *backends.Launch) string { return of(l).lacks }

// Health is the route, below Host and the port, that answers 200 once the server works.
func Health(t Task) string { return strings.ReplaceAll(of(t.Launch).health, "{served}", t.Served) }

// URL is the base URL of a server.
func URL(port int) string { return fmt.Sprintf("http://%s:%d/v1", Host, port) }

// Build makes the command of a server.
func Build(t Task) Command {
	c := of(t.Launch).command(t)
	if len(t.Devices) > 0 {
		c.set("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
		c.set("CUDA_VISIBLE_DEVICES", strings.Join(t.Devices, ","))
	} else if t.Launch.GPUs == 0 && t.Launch.Engine != "" {
		c.set("CUDA_VISIBLE_DEVICES", "") // it would take a GPU that other servers were given
	}
	for _, name := range slices.Sorted(maps.Keys(t.Launch.Env)) {
		c.set(name, t.Launch.Env[name])
	}
	return c
}

func (c *Command) set(name, value string) {
	c.Env = slices.DeleteFunc(c.Env, func(v Variable) bool { return v.Name == name })
	c.Env = append(c.Env, Variable{Name: name, Value: value})
}

func (c *Command) secret(name string, value backends.Secret) {
	if value != "" {
		c.Env = append(c.Env, Variable{Name: name, Value: value.Reveal(), Secret: true})
	}
}

func (c *Command) add(args ...string) { c.Args = append(c.Args, args...) }

func (c *Command) option(flag, value string) {
	if value != "" {
		c.add(flag, value)
	}
}

// offline keeps an engine from asking the hub about weights that are on this machine.
func (c *Command) offline(l *backends.Launch) {
	if l.Local {
		c.set("HF_HUB_OFFLINE", "1")
	}
}

func (c *Command) silent() { c.set("DO_NOT_TRACK", "1"); c.set("HF_HUB_DISABLE_TELEMETRY", "1") }

func parallel(l *backends.Launch) string { return strconv.Itoa(max(1, l.GPUs)) }

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
	t.Port, t.Key, t.Devices, t.Home = 0, "", nil, ""
	l := *t.Launch
	l.Weights = base(&l)
	t.Launch = &l
	c := Build(t)
	inherited := c.inherited(shell)
	c.Env = slices.DeleteFunc(c.Env, func(v Variable) bool { _, own := l.Env[v.Name]; return !own })
	c.Env = append(c.Env, inherited...)
	if c.shown != nil {
		c.Args = c.shown
	}
	c.Args = unaddressed(c.Args)
	return c.Shell()
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

// TakesKey reports whether the servers of a launch ask their clients for a key.
func TakesKey(l *backends.Launch) bool { return !of(l).keyless }
