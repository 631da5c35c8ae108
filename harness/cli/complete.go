package cli

import (
	"context"
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"infnet/harness/dataset/builtin"
	"infnet/harness/policy"
)

// shells are the scripts that make a shell ask for completions. Each calls infnet with completing and the words up to
// the cursor, and reads a line that says which files complete the last word too, and a line for each candidate: the
// word, a tab, what it is.
//
//go:embed completion
var shells embed.FS

// completing is the word by which a shell asks for completions.
const completing = "__complete"

// completionCommand prints a shell's script.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (c *completionCommand) Run(_ context.Context, s *streams) error {
	text, err := shells.ReadFile("completion/infnet." + c.Shell)
	if err != nil {
		return err
	}
	_, err = s.out.Write(text)
	return err
}

// candidate is a word that may follow, and what it is.
type candidate struct{ word, help string }

// Files that complete a word too, besides its candidates.
const (
	noFiles = "none"
	specs   = "toml" // and folders on the way to them
	anyFile = "files"
	folders = "folders"
)

// printCompletions answers a shell.
func printCompletions(w io.Writer, app *kong.Application, words []string) {
	kind, list := complete(app, words)
	fmt.Fprintln(w, kind)
	for _, c := range list {
		help, _, _ := strings.Cut(c.help, "\n")
		fmt.Fprintf(w, "%s\t%s\n", c.word, help)
	}
}

// complete returns the candidates for the last of the words, which may be empty. bash parts --flag=value into three
// words.
func complete(app *kong.Application, words []string) (kind string, list []candidate) {
	if len(words) == 0 {
		words = []string{""}
	}
	at := position{node: app.Node}
	for _, word := range words[:len(words)-1] {
		at.pass(word)
	}
	last := words[len(words)-1]
	if last == "=" && at.flag != nil {
		last = ""
	}
	prefix := ""
	switch name, value, given := strings.Cut(last, "="); {
	case at.flag != nil:
		kind, list = valuesOf(at.flag.Value)
	case given && strings.HasPrefix(name, "--"):
		if f := at.find(name); f != nil && !f.IsBool() {
			kind, list = valuesOf(f.Value)
			prefix, last = name+"=", value
		}
	case strings.HasPrefix(last, "-"):
		kind = noFiles
		for _, f := range slices.Concat(at.node.AllFlags(true)...) {
			list = append(list, candidate{"--" + f.Name, f.Help})
		}
	case len(at.node.Children) > 0:
		kind, list = noFiles, commandsOf(at.node)
	default:
		kind, list = at.argument(app)
	}
	list = slices.DeleteFunc(list, func(c candidate) bool { return !strings.HasPrefix(c.word, last) })
	for i := range list {
		list[i].word = prefix + list[i].word
	}
	if prefix != "" || kind == "" {
		kind = noFiles // the shells cannot complete a file behind a prefix alike
	}
	return kind, list
}

// position is where in a command line the cursor is.
type position struct {
	node *kong.Node
	args int        // positional arguments before it
	flag *kong.Flag // whose value comes next; nil = none
}

// pass goes over a word.
func (p *position) pass(word string) {
	switch {
	case p.flag != nil && word == "=":
	case p.flag != nil:
		p.flag = nil
	case strings.HasPrefix(word, "-") && !strings.Contains(word, "="):
		if f := p.find(word); f != nil && !f.IsBool() {
			p.flag = f
		}
	case strings.HasPrefix(word, "-"):
	default:
		if i := slices.IndexFunc(p.node.Children, func(n *kong.Node) bool { return n.Name == word }); i >= 0 {
			p.node = p.node.Children[i]
			return
		}
		p.args++
	}
}

// find returns the flag of this name; nil = there is none.
func (p *position) find(word string) *kong.Flag {
	for _, f := range slices.Concat(p.node.AllFlags(false)...) {
		if word == "--"+f.Name || f.Short != 0 && word == "-"+string(f.Short) {
			return f
		}
	}
	return nil
}

// argument completes a positional argument.
func (p *position) argument(app *kong.Application) (kind string, list []candidate) {
	if len(p.node.Positional) == 0 {
		return noFiles, nil
	}
	arg := p.node.Positional[min(p.args, len(p.node.Positional)-1)]
	if p.args >= len(p.node.Positional) && !arg.IsSlice() {
		return noFiles, nil
	}
	switch p.node.Name + " " + arg.Name {
	case "data source":
		for _, name := range builtin.Names() {
			list = append(list, candidate{"builtin:" + name, "a built-in dataset"})
		}
		return noFiles, list
	case "help command":
		return noFiles, commandsOf(app.Node)
	}
	switch arg.Name {
	case "spec":
		return specs, []candidate{{quickstart, "the built-in study"}}
	case "run":
		return specs, nil
	}
	if kind, list = valuesOf(arg); kind == noFiles && list == nil {
		kind = anyFile
	}
	return kind, list
}

// valuesOf completes a value: one of a closed set, or a file, as its placeholder says.
func valuesOf(v *kong.Value) (kind string, list []candidate) {
	if v.Enum != "" {
		for word := range strings.SplitSeq(v.Enum, ",") {
			list = append(list, candidate{strings.TrimSpace(word), ""})
		}
		return noFiles, list
	}
	if v.Name == "target" {
		for _, t := range []policy.Target{policy.Master, policy.Student, policy.Best, policy.Min} {
			list = append(list, candidate{t.String(), ""})
		}
		return noFiles, list
	}
	if v.Flag == nil {
		return noFiles, nil
	}
	switch v.Flag.PlaceHolder {
	case "DIR":
		return folders, nil
	case "FILE":
		return anyFile, nil
	case "SPEC":
		return specs, nil
	}
	return noFiles, nil
}

// commandsOf lists the commands below a node.
func commandsOf(n *kong.Node) (list []candidate) {
	for _, c := range n.Children {
		if !c.Hidden {
			list = append(list, candidate{c.Name, c.Help})
		}
	}
	return list
}
