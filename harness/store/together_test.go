package store

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

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
