package store

import (
	"fmt"
	"runtime"
	"testing"
)

// BenchmarkOpenShards opens a store of a million answers in 64 files of shards, as every process of a cluster does
// when it starts, and looks all of them up:
//
//	go test -run - -bench OpenShards -benchtime 3x ./harness/store
//
// B/key is the heap that an open store takes.
func BenchmarkOpenShards(b *testing.B) {
	const shards, each = 64, 1_000_000 / 64
	for _, files := range []int{1, shards} {
		b.Run(fmt.Sprintf("%d files", files), func(b *testing.B) {
			dir := b.TempDir()
			for k := range files {
				s := Open(dir, Options{Shard: fmt.Sprintf("%d-of-%d", k+1, files)})
				a, err := s.WriteAnswers(testID)
				if err != nil {
					b.Fatal(err)
				}
				for from := 0; from < shards/files*each; from += 1000 {
					var batch []Record
					for i := from; i < min(from+1000, shards/files*each); i++ {
						batch = append(batch, record(k*each*shards/files+i))
					}
					if _, err := a.Append(batch); err != nil {
						b.Fatal(err)
					}
				}
				if err := a.Close(); err != nil {
					b.Fatal(err)
				}
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var a *Answers
			for b.Loop() {
				var err error
				if a, err = Open(dir, Options{}).Answers(testID); err != nil {
					b.Fatal(err)
				}
				if a.Len() != shards*each {
					b.Fatalf("%d answers, want %d", a.Len(), shards*each)
				}
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(shards*each), "B/key")
			a.Close()
		})
	}
}
