//go:build unix

package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// bash skips without one.
func bash(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not on the PATH: it runs job scripts")
	}
}

// shardScript is the script of a study's first array, without the lines that Slurm reads.
func shardScript(t *testing.T, dir string, flags ...string) string {
	t.Helper()
	cmd := exec.Command("infnet", append([]string{"slurm", "submit", "study.toml", "--dry-run"}, flags...)...)
	cmd.Dir = dir
	out := must(cmd.Output())
	_, script, _ := strings.Cut(string(out), "\n")
	script, _, _ = strings.Cut(script, "\n# ---- ")
	script = regexp.MustCompile(`\ncommand \S+ `).ReplaceAllString(script, "\ncommand infnet ") // by the tests' binary
	path := filepath.Join(dir, "job.sh")
	if err := os.WriteFile(path, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	return path
}

// The announced time limit: calls under way are finished and written, and the shard goes back into the queue, a bounded
// number of times. The signal goes to the shell alone, as with --signal=B:USR1.
func TestTimeLimitIsAnnounced(t *testing.T) {
	bash(t)
	t.Parallel()
	for _, test := range []struct {
		name     string
		restarts string
		queued   string // what scontrol is told
		says     string
	}{
		{"the first time", "0", "requeue 55_1\n", "the time limit is near: back into the queue, 1 of 3"},
		{"the last time", "3", "", "the time limit is near, and this is start 4: submit the study again to go on"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir, calls := slowStudy(t, 2*time.Second)
			script := shardScript(t, dir)
			fakes := filepath.Join(dir, "fakes")
			told := filepath.Join(dir, "told")
			if err := os.Mkdir(fakes, 0o777); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{"scontrol": "#!/bin/sh\necho \"$@\" >>" + told + "\n",
				"sleep": "#!/bin/sh\n"} {
				if err := os.WriteFile(filepath.Join(fakes, name), []byte(text), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			probe := probeOf(t, script)
			if err := os.MkdirAll(filepath.Dir(probe), 0o777); err != nil {
				t.Fatal(err)
			}
			save(t, probe, "")
			cmd := exec.Command("bash", script)
			var out bytes.Buffer
			cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
			cmd.Env = append(os.Environ(), "PATH="+fakes+":"+os.Getenv("PATH"), "SLURM_ARRAY_JOB_ID=55",
				"SLURM_ARRAY_TASK_ID=1", "SLURM_JOB_ID=57", "SLURMD_NODENAME=n1", "SLURM_RESTART_COUNT="+test.restarts)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
			waitFor(t, "calls", func() bool { return calls.Load() >= 4 })
			if err := cmd.Process.Signal(syscall.SIGUSR1); err != nil {
				t.Fatal(err)
			}
			if code := exitCode(t, cmd); code != ExitInterrupted {
				t.Errorf("exit code %d, want %d\n%s", code, ExitInterrupted, out.String())
			}
			if got, _ := os.ReadFile(told); string(got) != test.queued {
				t.Errorf("scontrol was told %q, want %q", got, test.queued)
			}
			if !strings.Contains(out.String(), test.says) {
				t.Errorf("the log lacks %q:\n%s", test.says, out.String())
			}
			files, err := filepath.Glob(filepath.Join(dir, "runs/answers/large.colours-*.shard-*-1-of-1-*.jsonl"))
			if err != nil || len(files) != 1 {
				t.Fatalf("files %q, %v", files, err)
			}
			text, err := os.ReadFile(files[0])
			if n := bytes.Count(text, []byte("\n")) - 1; err != nil || n != 4 || calls.Load() != 4 {
				t.Errorf("%d answers of %d calls on disk, %v, want 4 of 4", n, calls.Load(), err)
			}
		})
	}
}

// A shard that was put back too often does not begin.
func TestTooManyRestarts(t *testing.T) {
	bash(t)
	t.Parallel()
	dir, calls := slowStudy(t, 0)
	script := shardScript(t, dir)
	probe := probeOf(t, script)
	if err := os.MkdirAll(filepath.Dir(probe), 0o777); err != nil {
		t.Fatal(err)
	}
	save(t, probe, "")
	cmd := exec.Command("bash", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SLURM_RESTART_COUNT=4", "SLURM_ARRAY_TASK_ID=1")
	out, err := cmd.CombinedOutput()
	if err == nil || calls.Load() != 0 || !strings.Contains(string(out), "requeued 4 times, and no shard is more often") {
		t.Errorf("%v, %d calls:\n%s", err, calls.Load(), out)
	}
}

// probeOf is the file that a script looks for.
func probeOf(t *testing.T, script string) string {
	t.Helper()
	text := must(os.ReadFile(script))
	for line := range strings.Lines(string(text)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "probe="); ok {
			return path
		}
	}
	t.Fatal("the script looks for no file")
	return ""
}

// A real Slurm, where there is one: arrays, the job after them, status. Its results are those of one machine.
func TestRealSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	soon, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if out, err := exec.CommandContext(soon, "sinfo", "--noheader").CombinedOutput(); err != nil {
		t.Skipf("no Slurm answers here (sinfo: %v %s)", err, out)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "infnet")
	if out, err := exec.Command("go", "build", "-o", program, "../..").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	spec := must(os.ReadFile("testdata/study/study.toml"))
	spec = append(spec, "\n[slurm]\nshards = 3\ntime = \"30m\"\n"...)
	save(t, filepath.Join(dir, "study.toml"), string(spec))
	if err := writeColours(filepath.Join(dir, "colours.csv"), 60); err != nil {
		t.Fatal(err)
	}
	infnet := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	infnet("run", "study.toml", "--store", "one", "--out", "one-out", "--quiet")
	t.Cleanup(func() { cmd := exec.Command(program, "slurm", "cancel", "study.toml"); cmd.Dir = dir; _ = cmd.Run() })
	infnet("slurm", "submit", "study.toml")
	waitWithin(t, 10*time.Minute, "the analysis", func() bool {
		logs, _ := filepath.Glob(filepath.Join(dir, "runs/colours/slurm/analysis.*.log"))
		for _, path := range logs {
			text, _ := os.ReadFile(path)
			if bytes.Contains(text, []byte("infnet: ended with exit code ")) {
				return true
			}
		}
		return false
	})
	if out := infnet("slurm", "status", "study.toml"); !strings.Contains(out, "Nothing to ask: every answer is on disk") {
		t.Errorf("status:\n%s", out)
	}
	for _, name := range []string{"results.json", "tables/data.md"} {
		want := must(os.ReadFile(filepath.Join(dir, "one-out", name)))
		got, err := os.ReadFile(filepath.Join(dir, "runs/colours", name))
		if err != nil || !bytes.Equal(want, got) {
			t.Errorf("%s differs from that of one machine (%v)", name, err)
		}
	}
}
