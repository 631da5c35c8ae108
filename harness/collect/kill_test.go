package collect_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/seed"
	"infnet/harness/store"
)

// childStore names the environment variable that turns the test binary into a
// process that collects into a store until it is done or killed.
const childStore = "INFNET_TEST_COLLECT_STORE"

// killItems is the number of requests of the killed job.
const killItems = 400

// slow is a model that takes its time.
type slow struct {
	backends.Model
	delay time.Duration
}

func (s slow) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	time.Sleep(s.delay)
	return s.Model.Answer(ctx, reqs)
}

func (s slow) Unwrap() backends.Model { return s.Model }

func child(root string) {
	j := drawn(&testing.B{}, killItems, 2*time.Millisecond)
	j.Batch, j.Concurrency = 3, 2
	_, err := collect.Run(context.Background(), store.Open(root, store.Options{}), []collect.Job{j},
		collect.Options{}, nil)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// A run is killed again and again, at any point, also in the middle of a line (cut here, as a kill within a write
// would), until one comes through. The store then holds what an undisturbed run brings, each answer once.
func TestKill(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	calm := newStore(t)
	j := drawn(t, killItems, 0)
	if _, err := collect.Run(t.Context(), calm, []collect.Job{j}, collect.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	st := store.Open(t.TempDir(), store.Options{})
	coin := seed.Stream(1, "kill")
	kills, before := 0, 0
	for done := false; !done; {
		c := exec.Command(exe)
		c.Env = append(os.Environ(), childStore+"="+st.Root())
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if kills < 6 {
			wait := time.Duration(15+coin.IntN(60)) * time.Millisecond
			timer := time.AfterFunc(wait, func() { c.Process.Kill() })
			err = c.Wait()
			timer.Stop()
		} else {
			err = c.Wait()
		}
		var exit *exec.ExitError
		switch {
		case err == nil:
			done = true
		case errors.As(err, &exit) && exit.ExitCode() == -1: // killed
			kills++
			cutLine(t, st, kills)
		default:
			t.Fatalf("the child failed: %v", err)
		}
		n := len(contents(t, st, j))
		if n+1 < before { // one line may have been cut by us
			t.Errorf("%d answers after %d: some were lost", n, before)
		}
		before = n
	}
	t.Logf("killed %d times", kills)
	same(t, contents(t, calm, j), contents(t, st, j))
	left, err := filepath.Glob(filepath.Join(st.Root(), "*.torn"))
	if err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
	rep, err := collect.Run(t.Context(), st, []collect.Job{j}, collect.Options{Offline: true}, nil)
	if err != nil || rep.Jobs[0].OnDisk != killItems || rep.Jobs[0].Shared != 0 {
		t.Errorf("afterwards: %+v, %v", rep.Jobs[0], err)
	}
}

// cutLine takes a few bytes off the answers' file every other time.
func cutLine(t *testing.T, st *store.Store, kills int) {
	files, err := filepath.Glob(filepath.Join(st.Root(), "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if kills%2 == 0 || len(files) == 0 {
		return
	}
	info, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(files[0], max(0, info.Size()-int64(7*kills))); err != nil {
		t.Fatal(err)
	}
}
