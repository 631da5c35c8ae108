package seed

import (
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run
)

// The vectors below were computed once, with the Python lines beside them, and
// must never change: a changed stream changes every seeded result.

func TestHashVectors(t *testing.T) {
	// struct.unpack('<Q', hashlib.sha256(struct.pack('<Q', seed) +
	//   b''.join(struct.pack('<Q', len(s)) + s.encode() for s in names)).digest()[:8])
	// Python 3, hashlib.
	tests := []struct {
		name  string
		seed  uint64
		names []string
		want  uint64
	}{
		{"no name", 42, nil, 14335547759750350061},
		{"one name", 42, []string{"split"}, 2720623740718945213},
		{"two names", 42, []string{"split", "sst-2"}, 2618982258285075956},
		{"not the joined name", 42, []string{"splitsst-2"}, 939914261785380654},
		{"largest seed, not ASCII", 1<<64 - 1, []string{"größe", ""}, 16478702789032579518},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Hash(tt.seed, tt.names...); got != tt.want {
				t.Errorf("Hash = %d, want %d", got, tt.want)
			}
			if got, want := Uniform(tt.seed, tt.names...), float64(tt.want>>11)/(1<<53); got != want {
				t.Errorf("Uniform = %v, want %v", got, want)
			}
		})
	}
}

func TestStreamVectors(t *testing.T) {
	// The PCG of math/rand/v2 with the first 16 bytes of the digest; recorded
	// from this package with Go 1.26 when it was written. Go promises that
	// rand.NewPCG's stream does not change.
	r := Stream(42, "split", "sst-2")
	want := []uint64{16296810119305424747, 9472862239716213381, 10801122745561606109, 1244770625645928131}
	for i, w := range want {
		if got := r.Uint64(); got != w {
			t.Errorf("draw %d = %d, want %d", i, got, w)
		}
	}
}

func TestStreamsAreIndependentOfEachOther(t *testing.T) {
	// A stream drawn from beside another gives what it gives alone.
	alone := Stream(7, "a")
	var want [50]uint64
	for i := range want {
		want[i] = alone.Uint64()
	}
	a, b := Stream(7, "a"), Stream(7, "b")
	same := 0
	for i := range want {
		if got := a.Uint64(); got != want[i] {
			t.Fatalf("draw %d of stream a depends on stream b", i)
		}
		if b.Uint64() == want[i] {
			same++
		}
	}
	if same > 0 {
		t.Errorf("streams a and b share %d of 50 draws", same)
	}
}

func TestHashSeparatesNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(rapid.String(), 0, 4).Draw(t, "a")
		b := rapid.SliceOfN(rapid.String(), 0, 4).Draw(t, "b")
		equal := len(a) == len(b)
		for i := 0; equal && i < len(a); i++ {
			equal = a[i] == b[i]
		}
		if (Hash(1, a...) == Hash(1, b...)) != equal {
			t.Fatalf("%q and %q: hashes equal is %v", a, b, !equal)
		}
	})
}

func TestUniformLooksUniform(t *testing.T) {
	// 10,000 coins: the share below 0.3 has standard deviation 0.0046, the mean
	// 0.0029. The draws are fixed, so this passes always or never.
	below, sum := 0, 0.0
	for i := range 10000 {
		u := Uniform(42, "coin", string(rune('0'+i%10)), string(rune(i)))
		if u < 0 || u >= 1 {
			t.Fatalf("draw %v outside [0,1)", u)
		}
		if u < 0.3 {
			below++
		}
		sum += u
	}
	if share := float64(below) / 10000; share < 0.28 || share > 0.32 {
		t.Errorf("share below 0.3 is %v", share)
	}
	if mean := sum / 10000; mean < 0.488 || mean > 0.512 {
		t.Errorf("mean is %v", mean)
	}
}
