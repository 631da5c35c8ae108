package pieces

import (
	"slices"
	"strconv"
	"sync"
	"testing"
)

func TestWords(t *testing.T) {
	var w Words
	if _, ok := w.Get("a"); ok {
		t.Error("an empty memo remembers")
	}
	var wait sync.WaitGroup
	for n := range 4 {
		wait.Go(func() {
			for i := range most {
				word := strconv.Itoa(n*most + i)
				w.Put(word, []int32{int32(i)})
				if ids, ok := w.Get(word); ok && !slices.Equal(ids, []int32{int32(i)}) {
					t.Errorf("%s has %v", word, ids)
				}
			}
		})
	}
	wait.Wait()
	if len(w.words) > most {
		t.Errorf("%d words are kept, want at most %d", len(w.words), most)
	}
	w.Put("a", []int32{7})
	if ids, ok := w.Get("a"); !ok || ids[0] != 7 {
		t.Errorf("a has %v, %v", ids, ok)
	}
}
