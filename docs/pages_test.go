package docs_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"infnet/backends/engine/supervisor"
	"infnet/harness/cli"
)

// TestMain makes this test binary serve as infnet, for the pages' commands.
func TestMain(m *testing.M) {
	supervisor.Main()
	debug.SetGCPercent(400)
	testscript.Main(m, map[string]func(){
		"infnet": func() { os.Exit(cli.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// block is a fenced block of a page. Its first line says what it is:
//
//	```sh              commands that the test runs, one after the other, in one folder per page
//	```sh parsed       commands that need servers, a cluster or data of others: parsed only
//	```LANGUAGE FILE   a file in that folder
type block struct {
	language, name, text string
	line                 int
}

// blocks reads the fenced blocks of a page that begin in the first column.
func blocks(t *testing.T, page string) (out []block) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var open *block
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case open == nil && strings.HasPrefix(line, "```"):
			language, name, _ := strings.Cut(strings.TrimPrefix(line, "```"), " ")
			open = &block{language: language, name: strings.TrimSpace(name), line: i + 1}
		case open != nil && line == "```":
			out, open = append(out, *open), nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	if open != nil {
		t.Fatalf("%s:%d: a block without an end", page, open.line)
	}
	return out
}

// pages are the README and the pages of this folder.
func pages(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("*.md")
	if err != nil || len(list) < 9 {
		t.Fatalf("%d pages: %v", len(list), err)
	}
	return append(list, "../README.md")
}

// commandOf is a line of the shell that runs infnet: its arguments, without comments, redirections and what is
// before it.
var commandOf = regexp.MustCompile(`(?:^|^- |^run: |[|;&(]\s*|=\S+ )(?:go run \.|infnet) ` +
	`((?:'[^']*'|"[^"]*"|[^#|<>;&'"])*)`)

// Every command of every page is a command line that infnet accepts: no unknown command, no unknown flag.
func TestCommandsOfPages(t *testing.T) {
	used := map[string]bool{}
	for _, page := range append(pages(t), "ci/github.yml", "ci/gitlab.yml") {
		list := []block{{language: "sh"}}
		if name, ok := strings.CutPrefix(page, "ci/"); ok {
			list[0].text = string(workflow(t, name))
		} else {
			list = blocks(t, page)
		}
		for _, b := range list {
			if b.language != "sh" {
				continue
			}
			for i, line := range strings.Split(b.text, "\n") {
				for _, m := range commandOf.FindAllStringSubmatch(strings.TrimSpace(strings.Split(line, " #")[0]), -1) {
					args := strings.Fields(m[1])
					used[args[0]] = true
					var out, errOut bytes.Buffer
					// --help is read after everything before it was understood
					if code := cli.Run(context.Background(), append(args, "--help"), nil, &out, &errOut); code != cli.ExitOK {
						t.Errorf("%s:%d: %s: %s", page, b.line+1+i, line, &errOut)
					}
				}
			}
		}
	}
	var help bytes.Buffer
	if code := cli.Run(context.Background(), []string{"--help"}, nil, &help, &help); code != cli.ExitOK {
		t.Fatal(help.String())
	}
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z]+)(?: [a-z]+)? {2,}[A-Z]`).FindAllStringSubmatch(help.String(),
		-1) {
		if name := m[1]; !used[name] && name != "version" && name != "help" && name != "completion" {
			t.Errorf("no page shows infnet %s", name)
		}
	}
}

// The README has the two commands that need nothing but Go, and no others.
func TestTwoCommands(t *testing.T) {
	var lines []string
	for _, b := range blocks(t, "../README.md") {
		if b.language == "sh" {
			for line := range strings.Lines(b.text) {
				lines = append(lines, strings.TrimSpace(strings.Split(line, " #")[0]))
			}
		}
	}
	if want := []string{"go run . run experiments/quickstart.toml", "go test ./..."}; !slices.Equal(lines, want) {
		t.Errorf("the README has the commands %q, want %q", lines, want)
	}
}

// ran are the pages whose commands run here; the studies of the others are checked.
var ran = []string{"README", "policies", "read-the-results", "recorded-answers", "write-a-study"}

// The commands of some pages run, in order, in a folder with the page's files and experiments/, as in a clone. Commands
// of blocks that are parsed only are counted and do not run.
func TestPagesRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs studies")
	}
	repository, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	scripts := t.TempDir()
	for _, page := range pages(t) {
		parsed, commands, files := script(t, page)
		name := strings.TrimSuffix(filepath.Base(page), ".md")
		t.Logf("%s: %d lines run, %d only parsed", page, strings.Count(commands, "\n"), parsed)
		if commands == "" {
			continue
		}
		text := fmt.Sprintf("exec sh -e -x commands.sh\n\n-- commands.sh --\n%s%s", commands, files)
		if err := os.WriteFile(filepath.Join(scripts, name+".txtar"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	answers := quickstartAnswers(t)
	testscript.Run(t, testscript.Params{
		Dir:                 scripts,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("GOGC", "400")
			if err := os.CopyFS(filepath.Join(env.WorkDir, "runs", "answers"), os.DirFS(answers)); err != nil {
				return err
			}
			return os.Symlink(filepath.Join(repository, "experiments"), filepath.Join(env.WorkDir, "experiments"))
		},
	})
}

// quickstartAnswers is a store after a run of a part of the quickstart, which most pages run, so that its models are
// asked once.
func quickstartAnswers(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	store := filepath.Join(dir, "answers")
	run := []string{"run", "quickstart", "--limit", records, "--store", store, "--out", filepath.Join(dir, "run")}
	var out, errOut bytes.Buffer
	if code := cli.Run(t.Context(), run, nil, &out, &errOut); code != cli.ExitOK {
		t.Fatal(&errOut)
	}
	return store
}

// The example log is what this makes: 400 queries of a student that errs less where it is surer.
func TestExampleLog(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	out := []byte("id,confidence,student,master,length\n")
	for i := range 400 {
		confidence := rng.Float64()
		student, master := 0, 0
		if rng.Float64() < 0.3+0.68*confidence {
			student = 1
		}
		if rng.Float64() < 0.93 {
			master = 1
		}
		out = fmt.Appendf(out, "q%d,%.3f,%d,%d,%d\n", i+1, confidence, student, master, 20+rng.IntN(100))
	}
	if have, err := os.ReadFile("../experiments/data/log.csv"); err != nil || !bytes.Equal(have, out) {
		t.Errorf("experiments/data/log.csv is not what its generator makes: %v", err)
	}
}

// records is how many records of each dataset pages use here, instead of 100 or all.
const records = "30"

// shippedRun is a run of a study that comes with infnet, on all of its records: .ci/run has that, pages run a part.
var shippedRun = regexp.MustCompile(`(?m)(infnet run (?:quickstart|experiments/\S+))(?: +|$)`)

// script collects what a page runs, how many of its lines are parsed only, and its files as a txtar archive has them.
func script(t *testing.T, page string) (parsed int, commands, files string) {
	t.Helper()
	for _, b := range blocks(t, page) {
		switch {
		case b.language == "sh" && b.name == "parsed":
			parsed += strings.Count(b.text, "\n")
		case b.language == "sh" && b.name == "":
			text := strings.ReplaceAll(b.text, "go run . ", "infnet ")
			text = shippedRun.ReplaceAllString(text, "$1 --limit "+records+" ")
			text = strings.ReplaceAll(text, "--limit 100 ", "--limit "+records+" ")
			if !slices.Contains(ran, strings.TrimSuffix(filepath.Base(page), ".md")) {
				parsed += strings.Count(text, "\n")
				continue
			}
			commands += strings.ReplaceAll(text, "go test ./...", "true")
		case b.language == "sh":
			t.Errorf("%s:%d: a block of commands is run, or \"parsed\", not %q", page, b.line, b.name)
		case b.name != "":
			files += fmt.Sprintf("-- %s --\n%s", b.name, b.text)
			if strings.HasSuffix(b.name, ".toml") {
				commands += "infnet check " + b.name + "\n"
			}
		}
	}
	return parsed, commands, files
}

// The picture is small enough for a page that is read in two minutes.
func TestPicture(t *testing.T) {
	info, err := os.Stat("report.png")
	if err != nil || info.Size() > 200_000 {
		t.Errorf("report.png: %v, %v", info, err)
	}
}
