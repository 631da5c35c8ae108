package engine

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"infnet/backends"
)

// Placeholders are what a command of a study may contain, in braces.
func Placeholders() []string {
	return []string{"{model}", "{port}", "{revision}", "{served}", "{key}", "{gpus}"}
}

var placeholder = regexp.MustCompile(`\{[A-Za-z_]+\}`)

// custom is a command that a study writes itself: another engine, a container, a script.
func custom(l *backends.Launch) *engine {
	program := ""
	if len(l.Command) > 0 {
		program = l.Command[0]
	}
	return &engine{
		program: program, install: "it is the first word of command", health: "/v1/models",
		single: true,
		memory: "see what the engine offers for less memory",
		command: func(t Task) Command {
			var c Command
			fill := strings.NewReplacer("{model}", l.Weights, "{port}", strconv.Itoa(t.Port), "{revision}", l.Revision,
				"{served}", t.Served, "{key}", t.Key.Reveal(), "{gpus}", strings.Join(t.Devices, ","))
			for _, a := range l.Command {
				c.add(fill.Replace(a))
			}
			c.secret("INFNET_API_KEY", t.Key)
			return c
		},
	}
}

func unknown(word string) (list []string) {
	for _, p := range placeholder.FindAllString(word, -1) {
		if !slices.Contains(Placeholders(), p) {
			list = append(list, p)
		}
	}
	return list
}
