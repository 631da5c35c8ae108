package store

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// childStore names the environment variable that turns the test binary into a
// process that holds the lock of a store until it is killed.
const childStore = "INFNET_TEST_HOLD_STORE"

func TestMain(m *testing.M) {
	if root := os.Getenv(childStore); root != "" {
		hold(root)
	}
	os.Exit(m.Run())
}

func hold(root string) {
	a, err := Open(root, Options{}).WriteAnswers(testID)
	if err == nil {
		_, err = a.Append(records(0, 3))
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("held")
	time.Sleep(time.Hour) // a select alone is a deadlock, which ends the process
	runtime.KeepAlive(a)  // or its file would be closed with it
}

// Another process holds the store, is killed, and the store is free: with everything it wrote.
func TestKilledWriter(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := Open(t.TempDir(), Options{})
	child := exec.Command(exe)
	child.Env = append(os.Environ(), childStore+"="+s.Root())
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if line != "held\n" {
		t.Fatalf("the child says %q", line)
	}
	_, err = s.WriteAnswers(testID)
	var use *InUseError
	if !errors.As(err, &use) || use.PID != child.Process.Pid {
		t.Errorf("while the child lives: %v", err)
	}
	if n := count(t, s); n != 3 {
		t.Errorf("%d answers can be read meanwhile, want 3", n)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	child.Wait()
	a := must(s.WriteAnswers(testID))(t)
	defer a.Close()
	if a.Len() != 3 {
		t.Errorf("%d answers, want 3", a.Len())
	}
}
