package store

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
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
	select {}
}

func TestSecondWriter(t *testing.T) {
	s := Open(t.TempDir(), Options{})
	a := must(s.WriteAnswers(testID))(t)
	_, err := s.WriteAnswers(testID)
	var use *InUseError
	if !errors.As(err, &use) || use.PID != os.Getpid() || use.Path != a.Path() {
		t.Errorf("second writer: %v", err)
	}
	if want := fmt.Sprintf("in use by pid %d", os.Getpid()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %q, want %q in it", err, want)
	}
	other := testID
	other.Dataset = "another"
	b := must(s.WriteAnswers(other))(t) // other files are free
	b.Close()
	must(s.Answers(testID))(t).Close() // and reading is
	a.Close()
	must(s.WriteAnswers(testID))(t).Close()
	if left := glob(t, s, "*.lock"); len(left) > 0 {
		t.Errorf("lock files left: %v", left)
	}
}

// Another process holds the store, is killed, and the store is free: with
// everything it wrote.
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

// Many try at once, also while locks are given up: one holds at a time.
func TestLockRace(t *testing.T) {
	s := Open(t.TempDir(), Options{})
	var mu sync.Mutex
	held := 0
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				a, err := s.WriteAnswers(testID)
				if errors.As(err, new(*InUseError)) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				held++
				if held != 1 {
					t.Errorf("%d hold the lock", held)
				}
				held--
				mu.Unlock()
				a.Close()
			}
		})
	}
	wg.Wait()
}

// Readers and one writer in one process.
func TestConcurrentReads(t *testing.T) {
	s := Open(t.TempDir(), Options{})
	a := must(s.WriteAnswers(testID))(t)
	defer a.Close()
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 50 {
			if _, err := a.Append(records(i, i+1)); err != nil {
				t.Error(err)
			}
		}
	})
	for range 3 {
		wg.Go(func() {
			for i := range 50 {
				r, ok, err := a.Get(key(i))
				if err != nil || ok && r.Answer.Text != record(i).Answer.Text {
					t.Errorf("answer %d: %+v, %v", i, r, err)
				}
				for _, err := range a.All() {
					if err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
}
