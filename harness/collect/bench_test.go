package collect_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"infnet/harness/collect"
	"infnet/harness/store"
)

// BenchmarkRun collects b.N simulated answers, streamed, into one file:
//
//	go test -run - -bench Run -benchtime 1000000x ./harness/collect
//
// B/answer is the heap that the index of keys takes at the end.
func BenchmarkRun(b *testing.B) {
	st := store.Open(b.TempDir(), store.Options{})
	j := drawn(b, b.N, 0)
	p := &peak{}
	start := time.Now()
	if _, err := collect.Run(b.Context(), st, []collect.Job{j}, collect.Options{}, p); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "answers/s")
	b.ReportMetric(float64(p.most)/float64(b.N), "B/answer")
}

// peak watches the heap.
type peak struct {
	collect.Silent
	calls int
	most  uint64
}

func (p *peak) Add(int) {
	if p.calls++; p.calls%64 == 0 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		p.most = max(p.most, m.HeapAlloc)
	}
}

// BenchmarkResume is the second run of a study: everything is on disk.
func BenchmarkResume(b *testing.B) {
	const n = 8000
	st := store.Open(b.TempDir(), store.Options{})
	j := drawn(b, n, 0)
	if _, err := collect.Run(b.Context(), st, []collect.Job{j}, collect.Options{}, nil); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		rep, err := collect.Run(b.Context(), st, []collect.Job{j}, collect.Options{Offline: true}, nil)
		if err != nil || rep.Jobs[0].Had != n {
			b.Fatal(rep, err)
		}
	}
}

// BenchmarkSingles writes answers that come one per call, from one caller or many: they share flushes.
func BenchmarkSingles(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("%d callers", callers), func(b *testing.B) {
			st := store.Open(b.TempDir(), store.Options{})
			j := drawn(b, b.N, 0)
			j.Batch, j.Concurrency = 1, callers
			p := &flushes{}
			if _, err := collect.Run(b.Context(), st, []collect.Job{j}, collect.Options{}, p); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.N)/float64(p.n), "answers/flush")
		})
	}
}

// flushes counts the batches that are written.
type flushes struct {
	collect.Silent
	n int
}

func (f *flushes) Add(int) { f.n++ }
