package split

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestFloorAgainstRationals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		thousandths := rapid.Int64Range(0, 1000).Draw(t, "thousandths")
		n := rapid.IntRange(0, 1<<40).Draw(t, "n")
		want := new(big.Int).Quo(new(big.Int).Mul(big.NewInt(thousandths), big.NewInt(int64(n))), big.NewInt(1000))
		if got := Floor(float64(thousandths)/1000, n); int64(got) != want.Int64() {
			t.Fatalf("Floor(%d/1000, %d) = %d, want %v", thousandths, n, got, want)
		}
	})
}
