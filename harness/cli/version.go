package cli

import (
	"context"
	"fmt"
	"github.com/alecthomas/kong"
	"infnet/docs"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// release is the version of this source; results name it.
const release = "0.1.0"

// programVersion is the version as results and tables carry it. It holds no
// commit, so that equal sources give equal bytes.
func programVersion() string { return release }

// versionCommand prints the version.
type versionCommand struct{}

func (c *versionCommand) Run(_ context.Context, s *streams) error {
	commit := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				commit = " (" + setting.Value + ")"
			}
		}
	}
	_, err := fmt.Fprintf(s.out, "infnet %s%s, %s %s/%s\n", release, commit, runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
	return err
}

// helpCommand is there to be listed: plainly turns "infnet help COMMAND" into "infnet COMMAND --help".
type helpCommand struct {
	Command string `arg:"" optional:"" help:"The command to explain; or words, caveats, or a kind of caveat."`
	All     bool   `help:"List every command, and the exit codes."`
}

// Run prints the front page with every command; help COMMAND is read as COMMAND --help.
func (c *helpCommand) Run(_ context.Context, s *streams) error {
	if text := explained(c.Command); text != "" {
		_, err := fmt.Fprintln(s.out, text)
		return err
	}
	parser, err := kong.New(&commands{}, kong.Name("infnet"), kong.ExplicitGroups(groups))
	if err != nil {
		return err
	}
	return frontPage(s.out, parser.Model.Node, "")
}

// explained is the page about words or caveats, or its section about a kind of caveat that is not called as a command
// is; "" = there is none.
func explained(what string) string {
	switch what {
	case "", "fit":
		return ""
	case "words":
		return strings.TrimSpace(docs.Words)
	case "caveats":
		return strings.TrimSpace(docs.Caveats)
	}
	return docs.Caveat(what)
}

// plainly spells out the short forms of a command line: help and --version.
func plainly(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "--version":
		return append([]string{"version"}, args[1:]...)
	case args[0] != "help" || len(args) > 1 && (strings.HasPrefix(args[1], "-") || explained(args[1]) != ""):
		return args
	}
	return append(slices.Clone(args[1:min(2, len(args))]), append([]string{"--help"}, args[min(2, len(args)):]...)...)
}
