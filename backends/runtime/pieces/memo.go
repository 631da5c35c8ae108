package pieces

import "sync"

// most is the number of words kept; then a memo starts anew.
const most = 1 << 15

// Words remembers the tokens of words, because words recur. It is safe for
// concurrent use. The zero value is ready for use.
type Words struct {
	mu    sync.RWMutex
	words map[string][]int32
}

// Get returns the tokens of a word, which the caller must not change.
func (w *Words) Get(word string) ([]int32, bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	ids, ok := w.words[word]
	return ids, ok
}

// Put keeps the tokens of a word; the caller must not change either afterwards.
func (w *Words) Put(word string, ids []int32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.words == nil || len(w.words) >= most {
		w.words = map[string][]int32{}
	}
	w.words[word] = ids
}
