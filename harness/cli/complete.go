package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completing is the word by which a shell asks for completions.
const completing = "__complete"

// shells are the scripts that make a shell ask for the words that may come next; where there are none it takes files.
var shells = map[string]string{
	"bash": `_infnet() {
  local IFS=$'\n'
  COMPREPLY=($(compgen -W "$(infnet __complete "${COMP_WORDS[@]:1:COMP_CWORD-1}")" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _infnet infnet
`,
	"zsh": `autoload -U +X bashcompinit && bashcompinit
_infnet() {
  local IFS=$'\n'
  COMPREPLY=($(compgen -W "$(infnet __complete "${COMP_WORDS[@]:1:COMP_CWORD-1}")" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _infnet infnet
`,
	"fish": `complete -c infnet -a '(infnet __complete (commandline -opc)[2..-1])'
`,
}

// completionCommand prints a shell's script.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (c *completionCommand) Run(_ context.Context, s *streams) error {
	_, err := io.WriteString(s.out, shells[c.Shell])
	return err
}

// printCompletions prints the words that may follow those of a command line: commands, the values of its last flag, or
// flags.
func printCompletions(w io.Writer, app *kong.Application, words []string) {
	node := app.Node
	for _, word := range words {
		if i := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == word }); i >= 0 {
			node = node.Children[i]
		}
	}
	for _, c := range node.Children {
		if !c.Hidden {
			fmt.Fprintln(w, c.Name)
		}
	}
	var names []string
	for _, f := range slices.Concat(node.AllFlags(true)...) {
		if len(words) > 0 && words[len(words)-1] == "--"+f.Name && !f.IsBool() {
			fmt.Fprintln(w, strings.ReplaceAll(f.Enum, ",", "\n"))
			return
		}
		names = append(names, "--"+f.Name)
	}
	fmt.Fprintln(w, strings.Join(names, "\n"))
}
