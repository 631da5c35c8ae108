package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// completed are the words that may come last, and the files.
func completed(t *testing.T, words ...string) (kind string, list []string) {
	t.Helper()
	var out, errOut bytes.Buffer
	if code := Run(context.Background(), append([]string{completing}, words...), nil, &out, &errOut); code != ExitOK ||
		errOut.Len() > 0 {
		t.Fatalf("%q: exit code %d: %s", words, code, &errOut)
	}
	kind, rest, _ := strings.Cut(out.String(), "\n")
	for line := range strings.Lines(rest) {
		word, _, tab := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !tab || word == "" {
			t.Errorf("%q: the line %q", words, line)
		}
		list = append(list, word)
	}
	return kind, list
}

func TestCompletion(t *testing.T) {
	line := func(text string) []string { return strings.Split(text, " ") } // "run " ends in an empty word
	for _, tt := range []struct {
		line string
		kind string
		want string // some of the candidates; "" = there are none
		only bool   // and no others
	}{
		{line: "", kind: noFiles, want: "run report help completion"},
		{line: "re", kind: noFiles, want: "report", only: true},
		{line: "run --lo", kind: noFiles, want: "--log", only: true},
		{line: "run --log ", kind: noFiles, want: "text json", only: true},
		{line: "run --log = ", kind: noFiles, want: "text json", only: true},
		{line: "run --log = te", kind: noFiles, want: "text", only: true},
		{line: "run --log=te", kind: noFiles, want: "--log=text", only: true},
		{line: "run --quiet ", kind: specs, want: "quickstart", only: true},
		{line: "run --limit 5 q", kind: specs, want: "quickstart", only: true},
		{line: "run --limit ", kind: noFiles},
		{line: "run --out ", kind: folders},
		{line: "run --target m", kind: noFiles, want: "master min", only: true},
		{line: "run study.toml ", kind: noFiles},
		{line: "check one.toml ", kind: specs, want: "quickstart", only: true}, // as many as are wanted
		{line: "compare a b --json ", kind: anyFile},
		{line: "fit ", kind: anyFile},
		{line: "report ", kind: specs},
		{line: "batch ", kind: noFiles, want: "write read", only: true},
		{line: "batch write ", kind: specs, want: "quickstart", only: true},
		{line: "data builtin:re", kind: noFiles, want: "builtin:reviews", only: true},
		{line: "help re", kind: noFiles, want: "report", only: true},
		{line: "completion ", kind: noFiles, want: "bash zsh fish", only: true},
		{line: "nonsense --x=y --zz ", kind: noFiles, want: "run"},
		{line: "version ", kind: noFiles},
	} {
		kind, got := completed(t, line(tt.line)...)
		want := strings.Fields(tt.want)
		missing := slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(got, w) })
		if kind != tt.kind || missing || tt.only && len(got) != len(want) || tt.want == "" && len(got) > 0 {
			t.Errorf("%q: %s %q, want %s %q", tt.line, kind, got, tt.kind, want)
		}
	}
	if _, got := completed(t); len(got) < 20 {
		t.Errorf("without a word: %q", got)
	}
}

// Every command and flag that is listed is a candidate, and closed sets have their values.
func TestCompletionIsWhole(t *testing.T) {
	for _, node := range parser(t).Model.Leaves(true) {
		path := append(strings.Fields(node.Path()), "--")
		_, got := completed(t, path...)
		for _, level := range node.AllFlags(true) {
			for _, f := range level {
				if !slices.Contains(got, "--"+f.Name) {
					t.Errorf("%s lacks --%s", node.Path(), f.Name)
				}
				if f.Enum == "" {
					continue
				}
				words := append(strings.Fields(node.Path()), "--"+f.Name, "")
				if _, values := completed(t, words...); len(values) != len(strings.Split(f.Enum, ",")) {
					t.Errorf("%s --%s: %q, want %s", node.Path(), f.Name, values, f.Enum)
				}
			}
		}
	}
}

// The scripts in real shells: each completes a command, a flag, a value and a study's file.
func TestCompletionInShells(t *testing.T) {
	dir := t.TempDir()
	infnetPath, err := exec.LookPath("infnet")
	if err != nil {
		t.Fatal(err) // TestMain puts it on the PATH
	}
	for _, name := range []string{"study.toml", "notes.txt", "a b.toml"} {
		save(t, filepath.Join(dir, name), "")
	}
	if err := os.Mkdir(filepath.Join(dir, "studies"), 0o700); err != nil {
		t.Fatal(err)
	}
	cases := []struct{ line, want, not string }{
		{line: "infnet rep", want: "report", not: "run"},
		{line: "infnet run --lo", want: "--log", not: "--limit"},
		{line: "infnet run --log ", want: "json", not: "study.toml"},
		{line: "infnet run st", want: "study.toml studies", not: "notes.txt"},
		{line: "infnet fit no", want: "notes.txt", not: "study.toml"},
	}
	scripts := map[string]string{
		"bash": `source <(infnet completion bash)
try() { COMP_WORDS=($1); [[ $1 == *" " ]] && COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _infnet
  printf '%s\n' "${COMPREPLY[@]}"; }
try "$1"`,
		// zsh's own functions write what they are given; a terminal would make the test depend on time
		"zsh": `compdef() { }
_describe() { print -rl -- "${(@P)2%%:*}"; }
_files() { setopt local_options null_glob
  case $1 in -g) print -rl -- ${words[CURRENT]}${~2} ${words[CURRENT]}*(/);; -/) print -rl -- ${words[CURRENT]}*(/);;
    *) print -rl -- ${words[CURRENT]}*;; esac }
source <(infnet completion zsh)
words=("${(@s: :)1}"); CURRENT=$#words; _infnet`,
		"fish": `infnet completion fish | source; complete -C "$argv[1]"`,
	}
	for shell, script := range scripts {
		t.Run(shell, func(t *testing.T) {
			program, err := exec.LookPath(shell)
			if err != nil {
				t.Skip(shell + " is not installed")
			}
			for _, tt := range cases {
				args := map[string][]string{"bash": {"--norc", "-c", script, "bash", tt.line},
					"zsh": {"-f", "-c", script, "zsh", tt.line}, "fish": {"--no-config", "-c", script, tt.line}}[shell]
				cmd := exec.CommandContext(t.Context(), program, args...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "HOME="+dir, "PATH="+filepath.Dir(infnetPath)+":"+os.Getenv("PATH"))
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", tt.line, err, out)
				}
				for _, want := range strings.Fields(tt.want) {
					if !strings.Contains(string(out), want) {
						t.Errorf("%q lacks %q:\n%s", tt.line, want, out)
					}
				}
				if strings.Contains(string(out), tt.not) {
					t.Errorf("%q offers %q:\n%s", tt.line, tt.not, out)
				}
			}
		})
	}
}
