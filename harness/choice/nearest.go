package choice

import "strings"

// Nearest returns the valid name closest to a misspelt one by distance, case
// ignored, the first of equals; "" where none is close: more than a third of
// the longer name would have to change.
func Nearest(name string, valid []string) string {
	best, least := "", 0
	for _, v := range valid {
		d := distance(strings.ToLower(name), strings.ToLower(v))
		if d <= max(len([]rune(name)), len([]rune(v)))/3 && (best == "" || d < least) {
			best, least = v, d
		}
	}
	return best
}

// longest is the length in characters up to which names are compared.
const longest = 64

// distance is the restricted edit distance from a to b (Damerau 1964): insertions, deletions,
// substitutions and swaps of neighbours, with no part edited twice.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	if len(s) > longest || len(t) > longest {
		return max(len(s), len(t))
	}
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	var above []int // the row before
	for i := range s {
		next := make([]int, len(t)+1)
		next[0] = i + 1
		for j := range t {
			change := row[j]
			if s[i] != t[j] {
				change++
			}
			next[j+1] = min(change, next[j]+1, row[j+1]+1)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				next[j+1] = min(next[j+1], above[j-1]+1)
			}
		}
		above, row = row, next
	}
	return row[len(t)]
}
