package engine

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"infnet/backends"
)

// flags is what the arguments of an engine mean.
type flags struct {
	owned    map[string]string // flags that the study sets by itself, and what to do instead
	short    map[string]string // other names of flags
	usual    map[string]string // values that are the engine's defaults, and so say nothing
	harmless []string          // flags on which no answer depends
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
func (f flags) options(args []string) (list []option, stray int) {
	stray = -1
	for i, a := range args {
		if strings.HasPrefix(a, "-") && strings.Trim(a, "-0123456789.") != "" {
			name, value, _ := strings.Cut(a, "=")
			if strings.HasPrefix(name, "--") {
				name = strings.ReplaceAll(name, "_", "-")
			}
			if long, known := f.short[name]; known {
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

// Settings returns the settings of a launch that change answers: the arguments that are not known to be harmless, and
// the number of GPUs that share a model. A command of the study's own counts as a whole.
func Settings(l *backends.Launch) (out []backends.Setting) {
	e := of(l)
	list, _ := e.flags.options(l.Args)
	for _, o := range list {
		if slices.Contains(e.flags.harmless, o.name) || o.value != "" && e.flags.usual[o.name] == o.value {
			continue
		}
		out = append(out, backends.Setting{Name: strings.TrimLeft(o.name, "-"), Value: o.value})
	}
	if len(l.Command) > 0 {
		out = append(out, backends.Setting{Name: "command", Value: Quoted(l.Command...)})
	}
	if l.GPUs > 1 && !e.single {
		out = append(out, backends.Setting{Name: "tensor-parallel-size", Value: strconv.Itoa(l.GPUs)})
	}
	return out
}

// Problem is a mistake in a launch.
type Problem struct {
	Key     string // "args", "command"
	Index   int    // of a list; -1 = all of it
	Message string
	Hint    string
}

// Problems finds the mistakes in a launch's command and arguments.
func Problems(l *backends.Launch) (out []Problem) {
	f := of(l).flags
	list, stray := f.options(l.Args)
	if stray >= 0 {
		out = append(out, Problem{Key: "args", Index: stray, Message: fmt.Sprintf("%q belongs to no flag", l.Args[stray]),
			Hint: "write each flag and its value as texts of their own: args = [\"--dtype\", \"float32\"]"})
	}
	for _, o := range list {
		if hint, owned := f.owned[o.name]; owned {
			out = append(out, Problem{Key: "args", Index: o.at, Message: fmt.Sprintf("%s is set by the study", o.name),
				Hint: hint})
		}
	}
	if l.Engine == "" {
		out = append(out, commandProblems(l)...)
	}
	return out
}

var placeholder = regexp.MustCompile(`\{[A-Za-z_]+\}`)

func commandProblems(l *backends.Launch) (out []Problem) {
	port := false
	for i, word := range l.Command {
		port = port || strings.Contains(word, "{port}")
		for _, p := range placeholder.FindAllString(word, -1) {
			if !slices.Contains(placeholders, p) {
				out = append(out, Problem{Key: "command", Index: i, Message: fmt.Sprintf("no placeholder is named %s", p),
					Hint: "there are " + strings.Join(placeholders, ", ")})
			}
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
