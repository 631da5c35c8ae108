package recorded

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"infnet/harness/dataset"
)

// Every id is found, and no other, whatever the number of examples.
func TestIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "n")
		examples := make([]dataset.Example, n)
		for i := range examples {
			examples[i].ID = strconv.Itoa(i * i)
		}
		found := newIDs(examples)
		for i := range n * n {
			want := -1
			for k := range examples {
				if k*k == i {
					want = k
				}
			}
			if i > 1000 {
				break
			}
			if got := found.find(strconv.Itoa(i)); got != want {
				t.Fatalf("%d of %d examples: found %d, want %d", i, n, got, want)
			}
		}
		if got := found.find("none"); got != -1 {
			t.Fatalf("an id that no example has: found %d", got)
		}
	})
}
