//go:build unix

package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// recordCount is long enough to stop a run in its midst: four batches of
// answers per model, each flushed to the disk.
const recordCount = 1000

// studyFolder makes a folder with the study of the scripts, on n records.
func studyFolder(t *testing.T, n int, edit ...string) string {
	t.Helper()
	dir := t.TempDir()
	spec := must(os.ReadFile("testdata/study/study.toml"))
	spec = append(spec, strings.Join(edit, "")...)
	save(t, filepath.Join(dir, "study.toml"), string(spec))
	if err := writeColours(filepath.Join(dir, "colours.csv"), n); err != nil {
		t.Fatal(err)
	}
	return dir
}

// start begins infnet in a folder; its stderr fills the buffer until it ends.
func start(t *testing.T, dir string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.Command("infnet", args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd, &stderr
}

// finishRun runs infnet to its end and wants exit code 0.
func finishRun(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("infnet", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("infnet %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// waitFor looks until the condition holds; a minute without it fails the test.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	waitWithin(t, time.Minute, what, holds)
}

// waitWithin waits no longer than limit.
func waitWithin(t *testing.T, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for %s", limit, what)
		}
	}
}

// size returns the bytes of the files that match, 0 where none does.
func size(dir, pattern string) (total int64) {
	paths, _ := filepath.Glob(filepath.Join(dir, pattern))
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil {
			total += info.Size()
		}
	}
	return total
}

// answers counts the whole lines of a model's file, without the header.
func answers(t *testing.T, dir, model string) int {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "runs/answers", model+".*.jsonl"))
	if err != nil || len(paths) > 1 {
		t.Fatalf("%d files of %s, %v", len(paths), model, err)
	}
	if len(paths) == 0 {
		return 0
	}
	text := must(os.ReadFile(paths[0]))
	return max(0, bytes.Count(text, []byte("\n"))-1)
}

// results lists the checksums of a run's folder.
func results(t *testing.T, dir string) string {
	t.Helper()
	text := must(checksums(filepath.Join(dir, "runs/colours")))
	return text
}

// exitCode waits for a process and returns its code; -1 where a signal ended it.
func exitCode(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	err := cmd.Wait()
	var status *exec.ExitError
	if err != nil && !errors.As(err, &status) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// A run that is killed twice, while a model answers and while
// results are written, ends with the files of a run that nobody disturbed.
func TestKilledTwice(t *testing.T) {
	t.Parallel()
	undisturbed := studyFolder(t, recordCount)
	finishRun(t, undisturbed, "run", "study.toml")

	dir := studyFolder(t, recordCount)
	for _, moment := range []struct {
		name  string
		holds func() bool
		sure  bool // the run cannot be over before we look
	}{
		{"the master answers", func() bool { return size(dir, "runs/answers/large*") > 4096 }, true},
		{"results are written", func() bool { return size(dir, "runs/colours/*") > 0 }, false},
	} {
		cmd, stderr := start(t, dir, "run", "study.toml")
		waitFor(t, moment.name, moment.holds)
		if err := cmd.Process.Kill(); err != nil && moment.sure {
			t.Fatalf("%s: %v\n%s", moment.name, err, stderr)
		}
		code := exitCode(t, cmd)
		small, large := answers(t, dir, "small"), answers(t, dir, "large")
		t.Logf("killed while %s: exit code %d, %d and %d answers on disk", moment.name, code, small, large)
		if moment.sure && (code != -1 || small+large == 0 || small+large >= 2*recordCount) {
			t.Fatalf("the run was not stopped in its midst\n%s", stderr)
		}
	}
	finishRun(t, dir, "run", "study.toml")
	if small, large := answers(t, dir, "small"), answers(t, dir, "large"); small != recordCount || large != recordCount {
		t.Errorf("%d and %d answers on disk, want %d each", small, large, recordCount)
	}
	if got, want := results(t, dir), results(t, undisturbed); got != want {
		t.Errorf("files differ from those of an undisturbed run:\n%s\nwant\n%s", got, want)
	}
}

// patience is how long a stop may take here. The promise is a second; a busy
// machine that starts this process late must not fail the test.
const patience = 4 * time.Second

// Ctrl-C while intervals are computed, which asks no model and writes nothing.
func TestCtrlCWhileAnalysing(t *testing.T) {
	t.Parallel()
	dir := studyFolder(t, 2000, "bootstrap = 100000\n")
	finishRun(t, dir, "collect", "study.toml")
	stderr := must(os.Create(filepath.Join(dir, "stderr")))
	defer stderr.Close()
	cmd := exec.Command("infnet", "analyze", "study.toml")
	cmd.Dir, cmd.Stderr = dir, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second) // the intervals alone take half a minute
	interrupt(t, cmd)
	if text, err := os.ReadFile(stderr.Name()); !strings.Contains(string(text), "the same command goes on from there") {
		t.Errorf("no word on how to go on:\n%s%v", text, err)
	}
	if n := size(dir, "runs/colours/*"); n != 0 {
		t.Errorf("%d bytes of results were written", n)
	}
}

// interrupt sends SIGINT and wants a clean end.
func interrupt(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	sent := time.Now()
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	code := exitCode(t, cmd)
	took := time.Since(sent)
	t.Logf("ended %v after the signal", took)
	if code != ExitInterrupted || took > patience {
		t.Errorf("exit code %d after %v, want %d within a second", code, took, ExitInterrupted)
	}
}

// Two runs that would write the same answers: the second one is told who has
// them, and the first one is not disturbed.
func TestStoreInUse(t *testing.T) {
	t.Parallel()
	dir := studyFolder(t, recordCount)
	first, firstErr := start(t, dir, "run", "study.toml")
	waitFor(t, "answers", func() bool { return size(dir, "runs/answers/small*") > 4096 })
	if err := first.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	second, stderr := start(t, dir, "run", "study.toml", "--out", "second")
	code := exitCode(t, second)
	if err := first.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if code != ExitStore {
		t.Errorf("exit code %d, want %d", code, ExitStore)
	}
	for _, want := range []string{"in use by pid " + strconv.Itoa(first.Process.Pid), "runs/answers/",
		"wait for it to end", "--store"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("the message lacks %q:\n%s", want, stderr)
		}
	}
	if code := exitCode(t, first); code != ExitOK {
		t.Errorf("the first run ended with %d:\n%s", code, firstErr)
	}
}
