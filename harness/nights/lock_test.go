package nights

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// holdHistory names the environment variable that turns the test binary into a process that holds the lock of a
// history until it is killed.
const holdHistory = "INFNET_TEST_HOLD_HISTORY"

func TestMain(m *testing.M) {
	if path := os.Getenv(holdHistory); path != "" {
		unlock, err := lock(path, patience)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("held")
		io.Copy(io.Discard, os.Stdin) // until it is killed, or its parent ends
		unlock()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A process is killed while it appends: another one, which waits for it, then appends, and no file has to be deleted.
func TestKilledAppender(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no flock: a killed process leaves its lock file behind, and the error names it")
	}
	h := written(t, 3)
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), holdHistory+"="+h.Path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := child.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "held\n" {
		t.Errorf("the child says %q (%v)", line, err)
	}
	if _, err := lock(h.Path, time.Millisecond); err == nil || !strings.Contains(hinted(err).Error(),
		fmt.Sprintf("pid %d is appending to the history: wait", child.Process.Pid)) {
		t.Errorf("while the child lives: %v", err)
	}
	appended := make(chan error, 1)
	go func() { appended <- h.Append(tonight("2026-03-09", "answers 9")) }()
	if err := child.Process.Kill(); err != nil {
		t.Error(err)
	}
	child.Wait()
	if err := <-appended; err != nil {
		t.Error(err)
	}
	again, err := Read(h.Path)
	if err != nil || len(again.Looks) != 4 {
		t.Errorf("what is read is not 4 looks (%v)", err)
	}
	if _, err := os.Stat(h.Path + ".lock"); !os.IsNotExist(err) {
		t.Errorf("the lock file is left: %v", err)
	}
}
