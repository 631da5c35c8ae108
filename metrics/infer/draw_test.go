package infer

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run
)

// The draws are those of math/rand/v2, whether two streams advance together or
// one alone, and as many as there are clusters.
func TestDrawsAreThoseOfTheStandardLibrary(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 7, 31, 32, 33, 255, 256, 257, 1000, 4096, 10007} {
		for _, k := range []int{1, 2, 5} {
			rs := &Resamples{clusters: n, seed: 11}
			got := bytes.Repeat([]byte{9}, k*n)
			rs.drawn(3, got)
			for r := range k {
				want, total := make([]uint8, n), 0
				stream := rand.New(rand.NewPCG(11, uint64(3+r)))
				for range n {
					want[stream.Uint32N(uint32(n))]++
				}
				row := got[r*n : (r+1)*n]
				for _, c := range row {
					total += int(c)
				}
				if !bytes.Equal(row, want) || total != n {
					t.Fatalf("%d clusters, resample %d of %d: %d draws, not those of the stream", n, r, k, total)
				}
			}
		}
	}
}

// naiveSum is a sum as lanes says, of the draws of math/rand/v2.
func naiveSum(seed, r uint64, x []float64) float64 {
	counts := make([]float64, len(x))
	stream := rand.New(rand.NewPCG(seed, r))
	for range x {
		counts[stream.Uint32N(uint32(len(x)))]++
	}
	var s [4]float64
	for i, v := range x {
		at := i % 4
		if i >= len(x)/4*4 {
			at = 0
		}
		s[at] += float64(counts[i] * v)
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}

// kept are the room for draws with which they are kept as they are, packed, and
// not at all.
func kept(records, count int) []int { return []int{records * count, (records + 1) / 2 * count, -1} }

// Sums of any number of columns over any number of records and resamples have
// the bits of one sum after the other, whether the draws are kept or not, and
// on any number of threads.
func TestSumsHaveTheBitsOfOneAfterTheOther(t *testing.T) {
	rng := stream(4)
	for _, d := range []struct{ records, columns, count int }{
		{1, 1, 1}, {3, 7, 5}, {4, 6, 4}, {5, 2, 3}, {511, 13, 9}, {512, 1, 67}, {1029, 8, 131}, {2051, 20, 11},
	} {
		x := make([][]float64, d.columns)
		for c := range x {
			x[c] = make([]float64, d.records)
			for i := range x[c] {
				x[c][i] = rng.NormFloat64() * math.Exp2(float64(rng.IntN(40)))
			}
		}
		var want [][]float64
		seed := stream(6).Uint64()
		for _, column := range x {
			var sums []float64
			for r := range d.count {
				sums = append(sums, naiveSum(seed, uint64(r), column))
			}
			want = append(want, sums)
		}
		for _, threads := range []int{1, 3} {
			old := runtime.GOMAXPROCS(threads)
			for _, keep := range kept(d.records, d.count) {
				rs := newResamples(t, 6, alone(d.records), d.count)
				rs.options.Keep = keep
				got := rs.SumsOf(x...)
				for c := range x {
					if !slices.Equal(got[c], want[c]) {
						t.Errorf("%+v, %d threads, %d bytes kept: other sums of column %d", d, threads, keep, c)
					}
				}
			}
			runtime.GOMAXPROCS(old)
		}
	}
}

// Rows come back as they were, also counts above 15, in any order and from
// several goroutines at once.
func TestPackedCounts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 70).Draw(rt, "clusters")
		most := rapid.SampledFrom([]uint8{3, 15, 16, 255}).Draw(rt, "most")
		rows := make([][]uint8, rapid.IntRange(1, 5).Draw(rt, "rows"))
		p := newPacked(len(rows), n)
		var wg sync.WaitGroup
		for r := range rows {
			rows[r] = rapid.SliceOfN(rapid.Uint8Range(0, most), n, n).Draw(rt, "counts")
			wg.Go(func() { p.set(r, rows[r]) })
		}
		wg.Wait()
		first := rapid.IntRange(0, len(rows)-1).Draw(rt, "first")
		got := slices.Repeat([]uint8{99}, (len(rows)-first)*n)
		p.get(first, got)
		if want := slices.Concat(rows[first:]...); !slices.Equal(got, want) {
			rt.Fatalf("rows from %d on: %v, want %v", first, got, want)
		}
	})
}
