package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// parser reads command lines and runs nothing.
func parser(t *testing.T) *kong.Kong {
	t.Helper()
	p, err := kong.New(&commands{}, kong.Name("infnet"), kong.Exit(func(int) {}))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every command's help ends in worked examples, and each of them is a command
// line that the program accepts, of that command.
func TestExamples(t *testing.T) {
	p := parser(t)
	seen := map[string]bool{}
	for _, node := range p.Model.Children {
		seen[node.Name] = true
		if explained(node.Name) != "" {
			t.Errorf("help %s explains a caveat of that name", node.Name)
		}
		if len(examples[node.Name]) == 0 {
			t.Errorf("%s has no examples", node.Name)
		}
		for _, e := range examples[node.Name] {
			line, _, _ := strings.Cut(e.command, " > ") // the shell's
			line, _, _ = strings.Cut(line, " < ")
			words := strings.Fields(line)
			if len(words) < 2 || words[0] != "infnet" || words[1] != node.Name {
				t.Errorf("%q is no example of %s", e.command, node.Name)
				continue
			}
			parsed, err := parser(t).Parse(words[1:])
			if err != nil {
				t.Errorf("%s: %v", e.command, err)
				continue
			}
			if _, ok := parsed.Selected().Target.Addr().Interface().(runner); !ok {
				t.Errorf("%s: the command cannot run", e.command)
			}
			if e.what == "" {
				t.Errorf("%s: not a word on what it does", e.command)
			}
		}
	}
	for name := range examples {
		if !seen[name] {
			t.Errorf("examples of %s, which is no command", name)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, node := range parser(t).Model.Children {
		var out, errOut bytes.Buffer
		if code := Run(context.Background(), []string{node.Name, "--help"}, nil, &out, &errOut); code != ExitOK {
			t.Errorf("%s --help: exit code %d: %s", node.Name, code, &errOut)
		}
		text := out.String()
		at := strings.Index(text, "\nExamples:\n")
		if at < 0 || !strings.HasPrefix(text, "Usage: infnet "+node.Name) {
			t.Errorf("%s --help begins or ends otherwise:\n%s", node.Name, text)
			continue
		}
		for _, e := range examples[node.Name] {
			if !strings.Contains(text[at:], e.command) || !strings.Contains(text[at:], e.what) {
				t.Errorf("%s --help lacks the example %q", node.Name, e.command)
			}
		}
		for i, line := range strings.Split(text, "\n") {
			if n := len([]rune(line)); n > 100 {
				t.Errorf("%s --help, line %d has %d columns:\n%s", node.Name, i+1, n, line)
			}
		}
	}
}

// The first help fits a screen and names the nine commands that most need.
func TestFirstHelp(t *testing.T) {
	var out, errOut bytes.Buffer
	if code := Run(context.Background(), nil, nil, &out, &errOut); code != ExitOK {
		t.Fatalf("exit code %d: %s", code, &errOut)
	}
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	if len(lines) > 24 {
		t.Errorf("%d lines", len(lines))
	}
	for _, name := range []string{"run", "init", "check", "plan", "doctor", "compare", "accept", "fit", "route"} {
		if !strings.Contains(out.String(), "\n  "+name+" ") {
			t.Errorf("%s is not among them:\n%s", name, &out)
		}
	}
}

// All help documents every exit code.
func TestExitCodesAreDocumented(t *testing.T) {
	var out, errOut bytes.Buffer
	if code := Run(context.Background(), []string{"help", "--all"}, nil, &out, &errOut); code != ExitOK {
		t.Fatalf("exit code %d: %s", code, &errOut)
	}
	_, codes, found := strings.Cut(out.String(), "Exit codes:")
	if !found {
		t.Fatalf("no exit codes in\n%s", &out)
	}
	for name, code := range exitCodes {
		if !strings.Contains(codes, " "+strconv.Itoa(code)+" ") {
			t.Errorf("exit code %d (%s) is not documented in %q", code, name, codes)
		}
	}
}

func TestFold(t *testing.T) {
	for _, test := range []struct {
		name, text string
		width      int
		want       string
	}{
		{"no terminal", "one two three", 0, "one two three"},
		{"fits", "one two", 7, "one two"},
		{"breaks between words", "one two three", 7, "one two\nthree"},
		{"one column too few", "one two", 6, "one\ntwo"},
		{"a word that fits nowhere", "a /very/long/path b", 6, "a\n/very/long/path\nb"},
		{"excerpts stay", "one two three\n  | ^^^^^^^^^^^", 7, "one two\nthree\n  | ^^^^^^^^^^^"},
		{"columns, not bytes", "×× ××", 5, "×× ××"},
	} {
		if got := fold(test.text, test.width); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestHang(t *testing.T) {
	for _, test := range []struct {
		name, text    string
		width, indent int
		want          string
	}{
		{"no terminal", "one two three", 0, 2, "one two three"},
		{"fits", "  word  said of it, twenty wide", 31, 4, "  word  said of it, twenty wide"},
		{"breaks between words, and keeps the gaps before", "  word  said of it, thirty wide", 30, 8,
			"  word  said of it, thirty\n        wide"},
		{"too narrow to indent", "  word  said of it", 12, 8, "  word  said of it"},
		{"a word that fits nowhere", "a 123456789012345678901234567890 b", 26, 2,
			"a\n  123456789012345678901234567890\n  b"},
	} {
		if got := hang(test.text, test.width, test.indent); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// Every command of RUNNING.md is one that the program takes, on files that are there.
func TestCommandsOfTheWalkThrough(t *testing.T) {
	page := must(os.ReadFile("../../experiments/paper/RUNNING.md"))
	var commands []string
	shell := false
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"):
			shell = line == "```sh"
		case shell && strings.HasPrefix(line, "./infnet "):
			commands = append(commands, strings.TrimPrefix(line, "./infnet "))
		}
	}
	if len(commands) < 6 {
		t.Fatalf("only %d commands are in the page", len(commands))
	}
	for _, command := range commands {
		words := strings.Fields(command)
		if _, err := parser(t).Parse(words); err != nil {
			t.Errorf("infnet %s: %v", command, err)
		}
		for _, w := range words {
			if strings.HasPrefix(w, "experiments/") {
				if _, err := os.Stat(filepath.Join("../..", w)); err != nil {
					t.Errorf("infnet %s: %v", command, err)
				}
			}
		}
	}
}
