// Package cli is the command line. It owns commands, flags, exit codes and the progress display. It
// refuses to compute numbers and to hold the state of a study: package pipeline does the work. Its
// opinion: an error says what to do next, and scripts can rely on exit codes.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/alecthomas/kong"
)

// commands is the command line as kong reads it. The first help lists those of the first group; help --all has the
// others.
type commands struct {
	Run     runCommand     `cmd:"" group:"usual" help:"Collect, analyse and report a study: the main job."`
	Init    initCommand    `cmd:"" group:"usual" help:"Write a study for a file of data, or for recorded answers."`
	Check   checkCommand   `cmd:"" group:"usual" help:"Check specs and name every mistake; run nothing."`
	Plan    planCommand    `cmd:"" group:"usual" help:"Say what a run would do: calls, tokens, work, price; what is on disk already."`
	Doctor  doctorCommand  `cmd:"" group:"usual" help:"Examine a study's models before anything is paid for: reachable, log-probabilities, labels, repeatable, context."`
	Compare compareCommand `cmd:"" group:"usual" help:"Compare two runs of a study: what changed, why, and whether it is worse."`
	Accept  acceptCommand  `cmd:"" group:"usual" help:"Accept a run: write the small file that later runs are compared with."`
	Fit     fitCommand     `cmd:"" group:"usual" help:"Fit thresholds to logs of two models: a file, no model calls."`
	Route   routeCommand   `cmd:"" group:"usual" help:"Apply fitted thresholds to answers of a file or on standard input: accept or defer."`

	Collect      collectCommand      `cmd:"" group:"parts" help:"Ask the models and store their answers; analyse nothing."`
	Analyze      analyzeCommand      `cmd:"" group:"parts" help:"Turn stored answers into results and tables; ask no model."`
	Report       reportCommand       `cmd:"" group:"parts" help:"Write and print a study's tables again from its results.json."`
	Export       exportCommand       `cmd:"" group:"parts" help:"Write a run's records and decisions as tidy Parquet and CSV."`
	ExportPolicy exportPolicyCommand `cmd:"" group:"parts" help:"Write fitted thresholds for a gateway, an orchestrator or a programming language."`
	Paper        paperCommand        `cmd:"" group:"parts" help:"Make the results section of a paper from runs."`
	Decide       decideCommand       `cmd:"" group:"parts" help:"Answer over HTTP what route answers over files: accept or defer."`
	Verify       verifyCommand       `cmd:"" group:"parts" help:"Make a run's files again from the stored answers and compare every byte."`
	Certify      certifyCommand      `cmd:"" group:"parts" help:"Write what a reviewer needs to check a run without infnet: columns, claims, and a proof in plain Python."`
	Sufficiency  sufficiencyCommand  `cmd:"" group:"parts" help:"Test whether further columns tell more of where a cascade should defer than the confidence: a file, no model calls."`
	Data         dataCommand         `cmd:"" group:"parts" help:"Print a built-in dataset as JSON lines."`

	Batch batchCommand `cmd:"" group:"elsewhere" help:"Ask through a provider's batch interface: write files of requests, read what comes back."`
	Slurm slurmCommand `cmd:"" group:"elsewhere" help:"Run a study on a cluster: submit it, see how far it is, cancel it."`

	Completion completionCommand `cmd:"" group:"other" help:"Print a script with which bash, zsh or fish completes infnet's command lines."`

	Version versionCommand `cmd:"" group:"other" help:"Print the version; infnet --version does, too."`
	Help    helpCommand    `cmd:"" group:"other" help:"Explain a command, with examples; help --all lists all."`

	ShowVersion bool `name:"version" hidden:"" help:"Print the version."`
}

// groups are the titles under which help lists the commands.
var groups = []kong.Group{
	{Key: "usual", Title: "Commands:"},
	{Key: "parts", Title: "Parts of a run, and what comes after it:"},
	{Key: "elsewhere", Title: "On other machines:"},
	{Key: "other", Title: "More:"},
}

// streams are a command's inputs and outputs. Results go to out, all else to
// the screen.
type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer

	hurry <-chan struct{} // closed by a second Ctrl-C; nil = never
}

// Run executes one command line and returns its exit code. It never exits and
// never panics on bad input. Cancelling ctx, SIGINT and SIGTERM stop it
// cleanly; see signals.
func Run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, signals := listen(ctx)
	defer signals.stop()

	out, errOut = newVisible(out), newVisible(errOut)
	log.SetOutput(io.Discard) // where net/http quotes what a server says unasked

	var c commands
	exit := -1
	parser, err := kong.New(&c,
		kong.Name("infnet"),
		kong.Description("A benchmark and research harness for LLM cascades."),
		kong.Writers(out, errOut),
		kong.Exit(func(code int) { exit = code; panic(exited{}) }),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Help(helpWithExamples),
		kong.ExplicitGroups(groups),
	)
	if err != nil {
		fmt.Fprintln(errOut, "infnet:", err)
		return ExitFailure
	}
	if len(args) > 0 && args[0] == completing {
		printCompletions(out, parser.Model, args[1:])
		return ExitOK
	}
	command, final := parse(parser, args, &exit, errOut)
	if command == nil {
		return final
	}
	done := make(chan error, 1)
	go func() { done <- command.Run(ctx, &streams{in: in, out: out, err: errOut, hurry: signals.hurry}) }()
	select {
	case err = <-done:
	case <-signals.leave:
		err = context.Canceled
	}
	if err == nil {
		return ExitOK
	}
	message := strings.TrimRight(err.Error(), "\n")
	if errors.Is(err, context.Canceled) {
		message = "stopped. Every answer received is on disk; the same command goes on from there."
	}
	fmt.Fprintln(errOut, fold("infnet: "+message, terminalWidth(errOut)))
	return code(err)
}

// exited unwinds kong after it printed help.
type exited struct{}

// runner is a command.
type runner interface {
	Run(ctx context.Context, s *streams) error
}

// parse reads the command line. Without a command the returned code is final.
func parse(parser *kong.Kong, args []string, exit *int, errOut io.Writer) (command runner, code int) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(exited); !ok {
				panic(r)
			}
			command, code = nil, *exit
		}
	}()
	parsed, err := parser.Parse(plainly(args))
	if err != nil {
		about := ""
		var wrong *kong.ParseError
		if errors.As(err, &wrong) && wrong.Context.Selected() != nil {
			about = strings.TrimPrefix(wrong.Context.Selected().FullPath(), "infnet ") + " "
		}
		fmt.Fprintf(errOut, "infnet: %v\nTry: infnet %s--help\n", err, about)
		return nil, ExitUsage
	}
	command, ok := parsed.Selected().Target.Addr().Interface().(runner)
	if !ok {
		fmt.Fprintf(errOut, "infnet: command %s cannot run; please report this\n", parsed.Command())
		return nil, ExitFailure
	}
	return command, ExitOK
}

// fold breaks lines between words so that they fit into width columns; 0 is no limit. Indented
// lines are excerpts with marks below them and stay as they are, and so does a word longer than a
// line.
func fold(text string, width int) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, " ") {
			line = hang(line, width, 0)
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// prose prints a sentence, folded to the terminal's width; the lines after the first are indented by four columns more.
func prose(w io.Writer, format string, args ...any) {
	for line := range strings.SplitSeq(strings.TrimSuffix(fmt.Sprintf(format, args...), "\n"), "\n") {
		begin := len(line) - len(strings.TrimLeft(line, " "))
		if begin > 0 {
			begin += 4
		}
		fmt.Fprintln(w, hang(line, terminalWidth(w), begin))
	}
}

// hang is fold, with the lines after the first indented by so many columns. The beginning of the text stays.
func hang(text string, width, indent int) string {
	if width <= 0 || indent > 0 && width <= indent+20 || len([]rune(text)) <= width {
		return text
	}
	room, line, lines := width, "", []string{}
	begin := len(text) - len(strings.TrimLeft(text, " "))
	for word := range strings.SplitSeq(text[begin:], " ") {
		n := len([]rune(word))
		if line != "" && len([]rune(line))+1+n > room {
			lines, line, room = append(lines, strings.TrimRight(line, " ")), "", width-indent
		}
		switch {
		case line == "" && len(lines) == 0:
			line = text[:begin] + word
		case line == "":
			line = word
		default:
			line += " " + word
		}
	}
	return strings.Join(append(lines, line), "\n"+strings.Repeat(" ", indent))
}

// helpWithExamples prints a command's help and its worked examples; without a command the front page.
func helpWithExamples(options kong.HelpOptions, ctx *kong.Context) error {
	node := ctx.Selected()
	if node == nil {
		return frontPage(ctx.Stdout, ctx.Model.Node, "usual")
	}
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	chosen := strings.TrimSuffix(node.FullPath(), " ")
	for node.Parent != nil && node.Parent.Type == kong.CommandNode { // those of batch write are batch's
		node = node.Parent
	}
	fmt.Fprintf(ctx.Stdout, "\nExamples:\n")
	for _, e := range examples[node.Name] {
		if strings.HasPrefix(e.command+" ", chosen+" ") {
			fmt.Fprintf(ctx.Stdout, "  %s\n      %s\n", e.command, e.what)
		}
	}
	return nil
}

// frontPage lists the commands of some groups; all, of every group, and the exit codes.
func frontPage(w io.Writer, app *kong.Node, wanted string) error {
	all := wanted == ""
	fmt.Fprintf(w, "infnet COMMAND [flags]: a benchmark and research harness for LLM cascades.\n"+
		"One TOML file in; an answer, a page and a paper's tables out.\n\nStart with: infnet run quickstart\n")
	for _, g := range groups {
		if !all && g.Key != wanted {
			continue
		}
		fmt.Fprintf(w, "\n%s\n", g.Title)
		for _, c := range app.Children {
			if c.Group != nil && c.Group.Key == g.Key {
				prose(w, "  %-15s%s", c.Name, c.Help)
			}
		}
	}
	if all {
		fmt.Fprintf(w, "\n%s\n", exitHelp)
		return nil
	}
	_, err := fmt.Fprintf(w, "\ninfnet help COMMAND explains one; infnet help --all lists all, and the exit codes.\n")
	return err
}
