package cli

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"infnet/harness/accept"
)

const nightlyAccepted = "../../experiments/nightly-accepted.json"

// The accepted run of the nightly fits into a repository, has the built-in datasets and the six of real text, so that
// these are gated where they are and missed where they are not, and names no place of the machine that it was made on.
func TestNightlyAccepted(t *testing.T) {
	text := must(os.ReadFile(nightlyAccepted))
	if len(text) > 200_000 {
		t.Errorf("%d bytes, want 200 kB at most", len(text))
	}
	run := must(accept.Open(nightlyAccepted))
	names := slices.Sorted(maps.Keys(run.Inputs[accept.Data]))
	if want := []string{"agnews", "emotion", "fakenews", "lookup", "phrasebook", "reviews", "squad", "sst2", "tickets",
		"wmt"}; run.Study != "nightly" ||
		!slices.Equal(names, want) {
		t.Errorf("study %s of %q, want nightly of %q", run.Study, names, want)
	}
	if found := regexp.MustCompile(`"(/|file:/|[A-Z]:\\)[^"]*"`).Find(text); found != nil {
		t.Errorf("names a place: %s", found)
	}
}

// .ci/bench ends with the code of what went wrong, and compares a night without results. A script takes the place of
// infnet, and of the compiler.
func TestBenchKeepsExitCodes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not on the PATH")
	}
	for _, tt := range []struct {
		name                 string
		run, verify, compare string // exit codes
		want                 int
		steps                string // that were called
	}{
		{name: "nothing wrong", run: "0", verify: "0", compare: "0", want: 0, steps: "run verify compare"},
		{name: "worse", run: "0", verify: "0", compare: "11", want: ExitWorse, steps: "run verify compare"},
		{name: "not comparable", run: "0", verify: "0", compare: "12", want: ExitUnrelated, steps: "run verify compare"},
		{name: "not what the answers give", run: "0", verify: "9", compare: "0", want: ExitDiffers, steps: "run verify"},
		{name: "a wrong spec", run: "3", want: ExitSpec, steps: "run"},
		{name: "interrupted", run: "130", want: ExitInterrupted, steps: "run"},
		{name: "answers missing", run: "6", compare: "6", want: ExitIncomplete, steps: "run compare"},
		{name: "a server down", run: "5", compare: "6", want: ExitIncomplete, steps: "run compare"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			script := "#!/bin/sh\necho \"$1\" >>\"$CALLS\"\ncase $1 in run) exit \"$RUN\";; verify) exit \"$VERIFY\";; " +
				"compare) exit \"$COMPARE\";; esac\n"
			executable(t, filepath.Join(dir, "fake"), script)
			// go build -o FILE .
			executable(t, filepath.Join(dir, "bin", "go"), "#!/bin/sh\nmkdir -p \"$(dirname \"$3\")\" && cp \"$FAKE\" \"$3\"\n")
			command := exec.Command(bash, "../../.ci/bench")
			command.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"),
				"FAKE="+filepath.Join(dir, "fake"), "CALLS="+filepath.Join(dir, "calls"), "BENCH="+filepath.Join(dir, "nights"),
				"RUN="+tt.run, "VERIFY="+tt.verify, "COMPARE="+tt.compare)
			out, _ := command.CombinedOutput()
			if got := command.ProcessState.ExitCode(); got != tt.want {
				t.Errorf("exit code %d, want %d:\n%s", got, tt.want, out)
			}
			calls, err := os.ReadFile(filepath.Join(dir, "calls"))
			if got := strings.Join(strings.Fields(string(calls)), " "); err != nil || got != tt.steps {
				t.Errorf("called %q, want %q: %v\n%s", got, tt.steps, err, out)
			}
		})
	}
}

// executable writes an executable file.
func executable(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// Every command of the page about nightlies is one that the program reads.
func TestNightlyPageCommands(t *testing.T) {
	page := must(os.ReadFile("../../docs/nightly.md"))
	seen := 0
	for line := range strings.Lines(string(page)) {
		at := regexp.MustCompile(`(^|- |night"? |/)infnet"? ((run|accept|verify|compare) [^#|;` + "`" + `]*)`).
			FindStringSubmatch(strings.TrimSpace(line))
		if at == nil {
			continue
		}
		seen++
		var args []string
		for _, one := range regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(at[2], -1) {
			args = append(args, strings.Trim(one, `"`))
		}
		if _, err := parser(t).Parse(args); err != nil {
			t.Errorf("%s: %v", strings.TrimSpace(line), err)
		}
	}
	if seen < 5 {
		t.Errorf("only %d commands found", seen)
	}
}
