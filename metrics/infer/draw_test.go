package infer

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// The draws are those of math/rand/v2, whether two streams advance together or
// one alone, and as many as there are clusters.
func TestDrawsAreThoseOfTheStandardLibrary(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 7, 31, 32, 33, 255, 256, 257, 1000, 4096, 10007} {
		for _, k := range []int{1, 2, 5} {
			rs := &Resamples{clusters: n, seed: 11}
			got := bytes.Repeat([]byte{9}, k*n)
			(*draws)(rs).drawn(3, got)
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
					if !slices.Equal(got[c], want[c]) || !slices.Equal(rs.Sums(x[c]), want[c]) {
						t.Errorf("%+v, %d threads, %d bytes kept: other sums of column %d", d, threads, keep, c)
					}
				}
			}
			runtime.GOMAXPROCS(old)
		}
	}
}

// Values that are no numbers spoil their own column alone.
func TestSumsKeepColumnsApart(t *testing.T) {
	const n = 37
	x := make([][]float64, 7)
	for c := range x {
		x[c] = slices.Repeat([]float64{1}, n)
	}
	x[2][5], x[6][36] = math.NaN(), math.Inf(1)
	for c, sums := range newResamples(t, 1, alone(n), 50).SumsOf(x...) {
		finite := !slices.ContainsFunc(sums, func(s float64) bool { return s != n })
		if finite == (c == 2 || c == 6) {
			t.Errorf("column %d: %v", c, sums)
		}
	}
}

// The spread of means over resamples is that of a multinomial draw, by theory:
// the standard deviation of a mean of n is that of x over √n, and two columns
// correlate over resamples as they do over records.
func TestResampledMeansHaveTheSpreadOfTheRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation")
	}
	const n, count = 3000, 20000
	rng := stream(12)
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = rng.ExpFloat64()
		y[i] = x[i] + rng.NormFloat64()
	}
	sums := newResamples(t, 2, alone(n), count).SumsOf(x, y)
	cov := func(a, b []float64) float64 {
		ma, mb, c := sum(a)/float64(len(a)), sum(b)/float64(len(b)), 0.0
		for i := range a {
			c += (a[i] - ma) * (b[i] - mb)
		}
		return c / float64(len(a))
	}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"variance of x", cov(sums[0], sums[0]), n * cov(x, x)},
		{"variance of y", cov(sums[1], sums[1]), n * cov(y, y)},
		{"covariance", cov(sums[0], sums[1]), n * cov(x, y)},
	} { // the standard error of a variance of 20,000 normal values is 1 %
		if math.Abs(c.got/c.want-1) > .04 {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

// BenchmarkMeans is 20 means of 10,000 records over 10,000 resamples, the draws
// included.
func BenchmarkMeans(b *testing.B) {
	const n = 10000
	rng := stream(1)
	x := make([][]float64, 20)
	for c := range x {
		x[c] = make([]float64, n)
		for i := range x[c] {
			x[c][i] = rng.Float64()
		}
	}
	for b.Loop() {
		newResamples(b, 1, alone(n), 10000).SumsOf(x...)
	}
}
