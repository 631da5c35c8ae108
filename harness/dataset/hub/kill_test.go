package hub

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"
)

// childEndpoint names the variable that turns the test binary into a process
// that downloads until it is killed; childCache its cache.
const (
	childEndpoint = "INFNET_TEST_HUB"
	childCache    = "INFNET_TEST_HUB_CACHE"
	childRef      = "hf:nyu-mll/glue/sst2:train"
)

func TestMain(m *testing.M) {
	if endpoint := os.Getenv(childEndpoint); endpoint != "" {
		c, err := New(Options{Endpoint: endpoint, Cache: os.Getenv(childCache)})
		if err != nil {
			os.Exit(3)
		}
		r, err := ParseDataset(childRef)
		if err != nil {
			os.Exit(3)
		}
		c.Dataset(context.Background(), r, nil)
		os.Exit(3) // it is killed before
	}
	os.Exit(m.Run())
}

// A process is killed in the middle of a download: its lock is free, and the
// next goes on where it stopped.
func TestKilled(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l := serve(t)
	glue(l)
	l.wrong(fault{path: "train/0001.parquet/", pause: 64 << 10})
	c := client(t, l)
	child := exec.Command(exe)
	child.Env = append(os.Environ(), childEndpoint+"="+l.hub.URL, childCache+"="+c.o.Cache)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	s := cache{root: c.o.Cache, ref: reference(t, childRef)}
	partial := s.blob(lfsDigest(body("train 1", 200_000))) + ".incomplete"
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		if info, err := os.Stat(partial); err == nil && info.Size() == 64<<10 {
			break
		}
		if time.Now().After(deadline) {
			child.Process.Kill()
			t.Fatal("the child downloads nothing")
		}
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	child.Wait()
	d, err := c.Dataset(t.Context(), s.ref, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{body("train 0", 300_000), body("train 1", 200_000), body("train 2", 100_000)}
	if got := contents(t, d); !slices.Equal(got, want) {
		t.Error("other bytes than the hub's")
	}
	if n := l.count("bytes=65536-"); n == 0 {
		t.Errorf("the second process did not go on where the first stopped: %q", l.calls)
	}
	if n := l.count("GET /sst2/train/0000"); n != 1 {
		t.Errorf("what the first process finished was fetched %d times", n)
	}
}
