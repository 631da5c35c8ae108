package store

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// childLimit names the environment variable that turns TestFillLimited into a
// process whose files may not grow over 4 KiB, and which fills a store.
const childLimit = "INFNET_TEST_LIMIT_STORE"

// TestFillLimited is the child.
func TestFillLimited(t *testing.T) {
	root := os.Getenv(childLimit)
	if root == "" {
		t.Skip("runs as the child of TestFileSizeLimit")
	}
	signal.Ignore(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal("getrlimit:", err)
	}
	limit := syscall.Rlimit{Cur: 4096, Max: before.Max} // the soft limit only, so that it can be raised again
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal("setrlimit:", err)
	}
	// A process built with -cover writes its profile when it exits, in a file
	// of more than 4 KiB.
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Error("setrlimit:", err)
		}
	}()
	a, err := Open(root, Options{}).WriteAnswers(testID)
	n := 0
	for err == nil {
		n++
		_, err = a.Append(records(n-1, n))
	}
	fmt.Println(err)
	if !errors.As(err, new(*WriteError)) || a.Close() != nil {
		t.Errorf("error %v", err)
	}
}

// A real kernel refuses a real write in the middle of a line: every answer
// that was counted is there, and nothing else.
func TestFileSizeLimit(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := Open(t.TempDir(), Options{})
	c := exec.Command(exe, "-test.run=^TestFillLimited$")
	c.Env = append(os.Environ(), childLimit+"="+s.Root())
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "file too large: the file may not grow further") {
		t.Fatalf("%v: %s", err, out)
	}
	a := must(s.Answers(testID))(t)
	n := a.Len()
	if a.Torn() != 0 || n == 0 {
		t.Errorf("torn %d, %d answers", a.Torn(), n)
	}
	a.Close()
	if got := count(t, s); got != n {
		t.Errorf("%d answers read, want %d", got, n)
	}
	w := must(s.WriteAnswers(testID))(t)
	defer w.Close()
	if n := must(w.Append(records(n, n+5)))(t); n != 5 {
		t.Errorf("%d written afterwards", n)
	}
}
