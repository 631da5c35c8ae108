//go:build unix

package store

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// BenchmarkOpenShards opens a store of a million answers, in one file or in 64 files of shards, and looks up every
// key, as each process of a cluster does when it starts:
//
//	go test -run - -bench OpenShards -benchtime 1x ./harness/store
//
// open-cpu-s and find-cpu-s are seconds of processor time, since these machines are shared; B/key is the heap that an
// open store takes.
func BenchmarkOpenShards(b *testing.B) {
	const total = 1_000_000
	keys := make([]Record, total)
	for i := range keys {
		keys[i] = record(i)
	}
	for _, files := range []int{1, 64} {
		dir := b.TempDir()
		for k := range files {
			a, err := Open(dir, Options{Shard: fmt.Sprintf("%d-of-%d", k+1, files)}).WriteAnswers(testID)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := a.Append(keys[k*total/files : (k+1)*total/files]); err != nil {
				b.Fatal(err)
			}
			if err := a.Close(); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(fmt.Sprintf("%d files", files), func(b *testing.B) {
			var opened, found time.Duration
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var a *Answers
			for b.Loop() {
				start := processorTime(b)
				var err error
				if a, err = Open(dir, Options{}).Answers(testID); err != nil {
					b.Fatal(err)
				}
				if a.Len() != total {
					b.Fatalf("%d answers, want %d", a.Len(), total)
				}
				open := processorTime(b)
				for i := range keys {
					if !a.Has(keys[i].Answer.Key) {
						b.Fatalf("answer %d is not found", i)
					}
				}
				opened, found = opened+open-start, found+processorTime(b)-open
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(opened.Seconds()/float64(b.N), "open-cpu-s")
			b.ReportMetric(found.Seconds()/float64(b.N), "find-cpu-s")
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/total, "B/key")
			a.Close()
		})
	}
}

// processorTime is what this process has used so far.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
