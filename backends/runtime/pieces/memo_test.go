package pieces

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func TestWords(t *testing.T) {
	var w Words
	says := func(i int) func() []int32 { return func() []int32 { return []int32{int32(i)} } }
	var wait sync.WaitGroup
	for n := range 4 {
		wait.Go(func() {
			for i := range mostWords {
				word := strconv.Itoa(n*mostWords + i)
				if ids := w.Of(word, says(i)); !slices.Equal(ids, []int32{int32(i)}) {
					t.Errorf("%s has %v", word, ids)
				}
			}
		})
	}
	wait.Wait()
	if len(w.words) > mostWords {
		t.Errorf("%d words are kept, want at most %d", len(w.words), mostWords)
	}
	long := strings.Repeat("a", longestWord+1)
	for i, word := range []string{"a", "a", long, long} { // the first is remembered
		if ids, want := w.Of(word, says(i)), []int32{0, 0, 2, 3}[i]; ids[0] != want {
			t.Errorf("%s has %v, want %d", word, ids, want)
		}
	}
}
