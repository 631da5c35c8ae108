package metrics

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// Counted n-gram by n-gram, in maps: each as often as the text that has it less often.
func TestOverlapOfTwoTexts(t *testing.T) {
	naive := func(order int, a, b []uint32) []int {
		out := make([]int, order)
		for n := 1; n <= order; n++ {
			count := map[string]int{}
			for i := 0; i+n <= len(a); i++ {
				count[fmt.Sprint(a[i:i+n])]++
			}
			for i := 0; i+n <= len(b); i++ {
				if key := fmt.Sprint(b[i : i+n]); count[key] > 0 {
					count[key]--
					out[n-1]++
				}
			}
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		// Few symbols repeat; many need wide numbers; those above the plane have none.
		top := rapid.SampledFrom([]uint32{2, 3, 70, 2000, 1<<21 - 2}).Draw(t, "top")
		text := rapid.SliceOfN(rapid.Uint32Range(0, top), 0, 40)
		order := rapid.SampledFrom([]int{1, 4, 6}).Draw(t, "order")
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		s := borrow()
		defer s.giveBack()
		if got, want := fmt.Sprint(s.overlap(order, a, b)), fmt.Sprint(naive(order, a, b)); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
		if _, ok := s.overlapOfTwo(order, a, b); !ok && top < 1000 {
			t.Fatal("few symbols have no numbers")
		}
		if len(s.numbered.known) != 0 {
			t.Fatal("numbers are left over")
		}
	})
}
