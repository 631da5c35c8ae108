package spec

import (
	"fmt"
	"strings"
)

// nearest returns the valid name closest to a misspelt one by Levenshtein
// distance (1966), case ignored, the first of equals; "" where none is close:
// more than a third of the longer name would have to change.
func nearest(name string, valid []string) string {
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

func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	if len(s) > longest || len(t) > longest {
		return max(len(s), len(t))
	}
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i, c := range s {
		diagonal := row[0]
		row[0] = i + 1
		for j, d := range t {
			change := diagonal
			if c != d {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(t)]
}

// suggest is the hint for a name that is none of the valid ones.
func suggest(name string, valid []string) string {
	if n := nearest(name, valid); n != "" {
		if strings.EqualFold(n, name) {
			return fmt.Sprintf("did you mean %q? upper and lower case differ", n)
		}
		return fmt.Sprintf("did you mean %q?", n)
	}
	return "want one of " + strings.Join(valid, ", ")
}
