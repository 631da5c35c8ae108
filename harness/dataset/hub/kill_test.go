package hub

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"infnet/harness/dataset"
	"infnet/harness/dataset/files"
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

// From the hub to examples: real Parquet files in three shards, of which the
// first two hold the rows that are wanted.
func TestToExamples(t *testing.T) {
	type rowOf struct {
		Sentence string `parquet:"sentence"`
		Label    int64  `parquet:"label"`
	}
	shard := func(texts ...string) string {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[rowOf](&b)
		for i, s := range texts {
			if _, err := w.Write([]rowOf{{s, int64(i % 2)}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	l := serve(t)
	l.add("datasets/nyu-mll/glue", ParquetExport, exportCommit, map[string]string{
		"sst2/train/0000.parquet": shard("bad", "good"), "sst2/train/0001.parquet": shard("dull",
			"fun"), "sst2/train/0002.parquet": shard("long", "short")})
	const limit = 3
	d, err := client(t, l).Dataset(t.Context(), reference(t, childRef), func(have []File) (bool, error) {
		rows := 0
		for _, f := range have {
			n, err := files.ParquetRows(f.Path)
			if err != nil {
				return false, err
			}
			rows += n
		}
		return rows >= limit, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Files) != 2 || d.Of != 3 {
		t.Fatalf("%d files of %d", len(d.Files), d.Of)
	}
	paths := d.Paths()
	set, err := files.Load(t.Context(), files.Options{Path: paths[0], Shards: paths[1:], Limit: limit,
		Mapping: files.Mapping{Class: "label"}, Labels: []dataset.Label{{Class: "0", Word: "negative"},
			{Class: "1", Word: "positive"}}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range set.Examples {
		got = append(got, e.ID+" "+e.Fields["sentence"])
	}
	if want := []string{"1 bad", "2 good", "3 dull"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if filepath.Dir(paths[0]) != filepath.Join(d.Dir, "sst2", "train") {
		t.Errorf("%s is not in %s", paths[0], d.Dir)
	}
}
