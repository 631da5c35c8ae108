//go:build linux

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infnet/harness/result"
)

// launchStudy writes the study of two models whose servers it starts, on n records, in a new
// folder, and goes there. habits are those of fakeVLLM; more is added to the launch table.
func launchStudy(t *testing.T, n int, habits, more string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	serverStudy(t, n, quoted("http://x/v1"), quoted("http://y/v1"), "", "")
	launch := "[backends.%s.launch]\nengine = \"vllm\"\ngpus = 0\n" + more + "\n"
	for _, b := range []string{"one", "two"} {
		for _, url := range []string{"x", "y"} {
			replaceIn(t, "study.toml", "", fmt.Sprintf("urls = [\"http://%s/v1\"]\napi_key_env = \"TEST_KEY\"\n", url))
		}
		text, err := os.ReadFile("study.toml")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("study.toml", append(text, fmt.Sprintf("\n"+launch, b)...), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("INFNET_FAKE_HABITS", filepath.Join(t.TempDir(), "habits"))
	setHabits(t, habits)
	t.Cleanup(func() { nothingRuns(t) })
}

func setHabits(t *testing.T, habits string) {
	t.Helper()
	if err := os.WriteFile(os.Getenv("INFNET_FAKE_HABITS"), []byte(habits), 0o666); err != nil {
		t.Fatal(err)
	}
}

// happened lists what the fakes wrote down; starts and stops alone where only is set.
func happened(t *testing.T, only bool) (out []string) {
	t.Helper()
	text, err := os.ReadFile(os.Getenv("INFNET_FAKE_HABITS") + ".log")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if !only || !strings.HasPrefix(line, "answer") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// nothingRuns wants no process that the test's fakes are, or that supervises them.
func nothingRuns(t *testing.T) {
	t.Helper()
	waitFor(t, "the servers to be gone", func() bool { return len(running()) == 0 })
}

// running lists the processes of the test's servers by their marks.
func running() (out []string) {
	mark := "INFNET_FAKE_HABITS=" + os.Getenv("INFNET_FAKE_HABITS")
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environs {
		text, _ := os.ReadFile(path)
		if slices.Contains(strings.Split(string(text), "\x00"), mark) {
			out = append(out, path)
		}
	}
	return out
}

// A key and a GPU of the shell are not the server's: its own count, and are there once.
func TestLaunchKeepsItsOwnVariables(t *testing.T) {
	t.Setenv("VLLM_API_KEY", "the-shell's-own")
	t.Setenv("VLLM_USE_V1", "0")
	t.Setenv("VLLM_SAID", "so")
	launchStudy(t, 8, "", "env = { VLLM_USE_V1 = \"1\" }")
	infnet(t, ExitOK, "run", "study.toml")
	text, err := os.ReadFile("runs/servers/results.json")
	if said := string(text); err != nil || !strings.Contains(said, "VLLM_USE_V1=1 VLLM_SAID=so vllm") {
		t.Errorf("the provenance does not say what the servers got: %v\n%s", err, said)
	}
}

// A study starts its own models, one after the other, and stops them; a second run has nothing to start.
func TestLaunchTakesTurns(t *testing.T) {
	launchStudy(t, 40, "small slow 300\nlarge cold 300\n", "")
	out, _ := infnet(t, ExitOK, "run", "study.toml", "--tables")
	if !strings.Contains(out, "Cost Saved") {
		t.Errorf("no tables:\n%s", out)
	}
	want := []string{"start small", "stop small", "start large", "stop large"}
	if got := happened(t, true); !slices.Equal(got, want) {
		t.Errorf("servers: %q, want %q", got, want)
	}
	first := tables(t)
	if !strings.Contains(first, "started as vllm serve small --revision 1") {
		t.Errorf("the tables do not say how the servers were started:\n%s", first)
	}
	var study result.Results
	text, err := os.ReadFile("runs/servers/results.json")
	if err == nil {
		err = json.Unmarshal(text, &study)
	}
	if err != nil || len(study.Models[0].Servers) != 1 || study.Models[0].Servers[0].Version != "0.32.0" ||
		study.Models[0].Unconfirmed != "" {
		t.Errorf("results name the servers %+v, %v", study.Models[0], err)
	}
	for _, name := range []string{"student", "master"} {
		if log, err := os.ReadFile("runs/servers/servers/" + name + ".log"); !strings.Contains(string(log),
			"startup complete") {
			t.Errorf("the log of %s holds %q, %v", name, log, err)
		}
	}
	infnet(t, ExitOK, "run", "study.toml")
	infnet(t, ExitOK, "analyze", "study.toml")
	infnet(t, ExitOK, "verify", "runs/servers")
	if got := happened(t, true); !slices.Equal(got, want) || tables(t) != first {
		t.Errorf("nothing is missing, and servers started: %q; or the tables changed", got)
	}
}

// Answers are those of a model, however its server came to run: what was asked by URL is not asked
// again. A setting of the engine that changes answers asks again, and one that does not does not.
func TestLaunchSharesAnswers(t *testing.T) {
	const n = 20
	s := &loopback{}
	url := quoted(serve(t, s))
	serverStudy(t, n, url, url, "", "")
	infnet(t, ExitOK, "run", "study.toml", "--store", "../answers")
	folder, err := filepath.Abs("../answers")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, launch string
		started      []string
	}{
		{"plain", "", nil},
		{"harmless settings", "servers = 2\nargs = [\"--gpu-memory-utilization\", \"0.5\"]\nrestarts = 0", nil},
		{"a setting that changes answers", "args = [\"--dtype\", \"float32\"]",
			[]string{"start small", "stop small", "start large", "stop large"}},
		{"the same again", "args = [\"--dtype=float32\"]", nil},
	} {
		launchStudy(t, n, "", test.launch)
		infnet(t, ExitOK, "run", "study.toml", "--store", folder)
		if got := happened(t, true); !slices.Equal(got, test.started) {
			t.Errorf("%s: servers %q, want %q", test.name, got, test.started)
		}
		const never = "not confirmed (no server that the study starts has answered yet)"
		if got := strings.Contains(tables(t), never); got != (test.started == nil && test.name != "the same again") {
			t.Errorf("%s: the tables say that nothing is confirmed: %v", test.name, got)
		}
	}
}

// Results name the servers whose answers they are of, whatever else was started on the same store.
func TestLaunchNamesItsOwnServers(t *testing.T) {
	const n = 20
	launchStudy(t, n, "", "")
	folder, err := filepath.Abs("../answers")
	if err != nil {
		t.Fatal(err)
	}
	run := func() string {
		infnet(t, ExitOK, "run", "study.toml", "--store", folder)
		text, err := os.ReadFile("runs/servers/results.json")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	plain := run()
	launchStudy(t, n, "", "args = [\"--dtype\", \"float32\"]")
	other := run()
	if strings.Count(other, "--dtype float32") != 2 || strings.Count(other, `"launch"`) != 2 {
		t.Errorf("servers of other settings are named:\n%s", other)
	}
	launchStudy(t, n, "", "")
	if run() != plain {
		t.Error("the results of the same answers differ after a run with other settings")
	}
}

// Only the model whose answers are missing is started.
func TestLaunchOnlyWhatIsMissing(t *testing.T) {
	launchStudy(t, 40, "large fatal 0\n", "restarts = 0")
	infnet(t, ExitModel, "run", "study.toml")
	before := len(happened(t, true))
	infnet(t, ExitOffline, "run", "study.toml", "--offline")
	if got := happened(t, true); len(got) != before {
		t.Errorf("--offline starts %q", got[before:])
	}
	infnet(t, ExitOK, "run", "study.toml")
	if got, want := happened(t, true)[before:], []string{"start large", "stop large"}; !slices.Equal(got, want) {
		t.Errorf("servers: %q, want %q", got, want)
	}
}

// The commands that a run would use, ready to paste, without the key.
func TestPlanCommands(t *testing.T) {
	launchStudy(t, 20, "", "servers = 2\nargs = [\"--dtype\", \"float32\"]")
	out, _ := infnet(t, ExitOK, "plan", "study.toml", "--commands")
	for _, want := range []string{"# student\n", "# master\n",
		`VLLM_API_KEY="$VLLM_API_KEY" CUDA_VISIBLE_DEVICES='' vllm serve small ` +
			`--revision 1 --tokenizer-revision 1 --served-model-name small --host 127.0.0.1 --port 8000 --max-logprobs 20 ` +
			`--generation-config vllm --seed 0 --dtype float32` +
			"\n", "--served-model-name large --host 127.0.0.1 --port 8001 "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if n := strings.Count(out, "vllm serve"); n != 4 {
		t.Errorf("%d commands, want 2 for each of 2 models", n)
	}
	if got := happened(t, false); len(got) > 0 {
		t.Errorf("the plan starts servers: %q", got)
	}
	serverStudy(t, 20, quoted("http://x/v1"), quoted("http://y/v1"), "", "")
	_, stderr := infnet(t, ExitUsage, "plan", "study.toml", "--commands")
	if !strings.Contains(stderr, "their backends have no launch table") {
		t.Errorf("a study that starts nothing: %s", stderr)
	}
}

// Servers are probed, and their version is known, also where the study states how they are asked.
func TestLaunchAskedAsStated(t *testing.T) {
	launchStudy(t, 20, "", "")
	replaceIn(t, "study.toml", "[backends.one]\nlabels = \"top-logprobs\"\n", "[backends.one]\n")
	replaceIn(t, "study.toml", "[backends.two]\nno_logprobs = true\n", "[backends.two]\n")
	infnet(t, ExitOK, "run", "study.toml")
	var study result.Results
	text, err := os.ReadFile("runs/servers/results.json")
	if err == nil {
		err = json.Unmarshal(text, &study)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, mode := range []string{"top-logprobs", "auto"} {
		m := study.Models[i]
		if len(m.Servers) != 1 || m.Servers[0].Version != "0.32.0" || mode != "auto" && m.LabelMode != mode {
			t.Errorf("model %s: labels by %q, servers %+v", m.Name, m.LabelMode, m.Servers)
		}
	}
	before := len(happened(t, true))
	infnet(t, ExitOK, "run", "study.toml")
	if got := happened(t, true); len(got) != before {
		t.Errorf("nothing is missing, and servers started: %q", got[before:])
	}
}

// On a terminal the wait is one line with the server's last log line, no wider than the terminal,
// and gone when the server is ready.
func TestLaunchOnTerminal(t *testing.T) {
	for _, name := range []string{"script", "stty"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("needs %s for a terminal", name)
		}
	}
	launchStudy(t, 20, "small slow 2000\n", "")
	t.Setenv("TERM", "xterm")
	shown, err := exec.Command("script", "-qec", "stty cols 100 rows 40; infnet collect study.toml",
		"/dev/null").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, shown)
	}
	for _, want := range []string{"starting vllm for student", "s: Loading safetensors checkpoint shards: 50%",
		"student · colours"} {
		if !strings.Contains(string(shown), want) {
			t.Errorf("no %q in\n%q", want, shown)
		}
	}
	for line := range strings.Lines(string(shown)) {
		if i := strings.Index(line, "starting vllm"); i >= 0 && len([]rune(strings.TrimRight(line[i:], "\r\n"))) > 100 {
			t.Errorf("a line wider than the terminal: %q", line)
		}
	}
}
