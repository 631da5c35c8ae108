package metrics

import "strings"

// Stem reduces a lower-case English word to its stem by Porter's algorithm with
// the changes NLTK made to it, which Google's rouge_score uses. Words of one
// or two letters stay as they are.
func Stem(word string) string {
	// M. F. Porter, "An algorithm for suffix stripping", Program 14 (1980);
	// changes: Porter's own of later years (bli for abli, logi) and those of
	// NLTK's PorterStemmer in its default mode NLTK_EXTENSIONS.
	if s, ok := irregular[word]; ok {
		return s
	}
	if len(word) <= 2 {
		return word
	}
	w := apply(word, plurals)
	if len(word) == 4 && strings.HasSuffix(word, "ies") {
		w = word[:1] + "ie"
	}
	w = step1b(w)
	w = step1c(w)
	w = step2(w)
	w = apply(w, step3)
	w = apply(w, step4)
	return step5(w)
}

// irregular holds words whose stem the rules would get wrong.
var irregular = map[string]string{
	"skies": "sky", "sky": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
	"inning": "inning", "innings": "inning", "outing": "outing", "outings": "outing",
	"canning": "canning", "cannings": "canning",
	"howe": "howe", "proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}

// rule replaces a suffix where the stem before it satisfies ok (nil: always).
// The first rule whose suffix fits decides, even if it then does nothing.
type rule struct {
	suffix, replacement string
	ok                  func(stem string) bool
}

func apply(w string, rules []rule) string {
	for _, r := range rules {
		if stem, fits := strings.CutSuffix(w, r.suffix); fits {
			if r.ok == nil || r.ok(stem) {
				return stem + r.replacement
			}
			return w
		}
	}
	return w
}

// consonant reports whether the letter c is a consonant after a letter that was
// (or, at the start of a word, was not) one: not a, e, i, o, u, and y only at
// the start or after a vowel.
func consonant(c byte, afterConsonant bool) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		return !afterConsonant
	}
	return true
}

// isConsonant reports whether letter i of the word is a consonant.
func isConsonant(w string, i int) bool {
	start := i
	for start > 0 && w[start] == 'y' { // only a run of y looks back
		start--
	}
	c := consonant(w[start], false)
	for j := start + 1; j <= i; j++ {
		c = consonant(w[j], c)
	}
	return c
}

// measure is Porter's m: how often a consonant follows a vowel.
func measure(w string) int {
	m, last := 0, false
	for i := range len(w) {
		c := consonant(w[i], last)
		if i > 0 && c && !last {
			m++
		}
		last = c
	}
	return m
}

func positive(stem string) bool { return measure(stem) > 0 }
func longer(stem string) bool   { return measure(stem) > 1 }

func hasVowel(w string) bool {
	c := false
	for i := range len(w) {
		if c = consonant(w[i], c); !c {
			return true
		}
	}
	return false
}

func endsDouble(w string) bool {
	n := len(w)
	return n >= 2 && w[n-1] == w[n-2] && isConsonant(w, n-1)
}

// endsShort is Porter's *o, consonant–vowel–consonant with the last not w, x
// or y, and also a two-letter word of vowel and consonant.
func endsShort(w string) bool {
	n := len(w)
	if n == 2 {
		return !isConsonant(w, 0) && isConsonant(w, 1)
	}
	return n >= 3 && isConsonant(w, n-3) && !isConsonant(w, n-2) && isConsonant(w, n-1) &&
		w[n-1] != 'w' && w[n-1] != 'x' && w[n-1] != 'y'
}

var plurals = []rule{{"sses", "ss", nil}, {"ies", "i", nil}, {"ss", "ss", nil}, {"s", "", nil}}

// step1b takes -eed, -ed and -ing off and mends what is left.
func step1b(w string) string {
	if stem, ok := strings.CutSuffix(w, "ied"); ok {
		if len(w) == 4 {
			return stem + "ie"
		}
		return stem + "i"
	}
	if stem, ok := strings.CutSuffix(w, "eed"); ok {
		if positive(stem) {
			return stem + "ee"
		}
		return w
	}
	stem, ok := strings.CutSuffix(w, "ed")
	if !ok {
		stem, ok = strings.CutSuffix(w, "ing")
	}
	if !ok || !hasVowel(stem) {
		return w
	}
	for _, e := range []string{"at", "bl", "iz"} {
		if strings.HasSuffix(stem, e) {
			return stem + "e"
		}
	}
	last := stem[len(stem)-1]
	switch {
	case endsDouble(stem):
		if last == 'l' || last == 's' || last == 'z' {
			return stem
		}
		return stem[:len(stem)-1]
	case measure(stem) == 1 && endsShort(stem):
		return stem + "e"
	}
	return stem
}

// step1c turns a final y after a consonant into i, unless only one letter
// stands before it.
func step1c(w string) string {
	stem, ok := strings.CutSuffix(w, "y")
	if ok && len(stem) > 1 && isConsonant(stem, len(stem)-1) {
		return stem + "i"
	}
	return w
}

func step2(w string) string {
	if stem, ok := strings.CutSuffix(w, "alli"); ok && positive(stem) {
		return step2(stem + "al")
	}
	// the l counts as part of the stem, so that geo- and theo- are long enough
	if stem, ok := strings.CutSuffix(w, "logi"); ok {
		if positive(stem + "l") {
			return stem + "log"
		}
		return w
	}
	return apply(w, suffixes2)
}

var suffixes2 = []rule{
	{"ational", "ate", positive}, {"tional", "tion", positive}, {"enci", "ence", positive}, {"anci", "ance", positive},
	{"izer", "ize", positive}, {"bli", "ble", positive}, {"alli", "al", positive}, {"entli", "ent", positive},
	{"eli", "e", positive}, {"ousli", "ous", positive}, {"ization", "ize", positive}, {"ation", "ate", positive},
	{"ator", "ate", positive}, {"alism", "al", positive}, {"iveness", "ive", positive}, {"fulness", "ful", positive},
	{"ousness", "ous", positive}, {"aliti", "al", positive}, {"iviti", "ive", positive}, {"biliti", "ble", positive},
	{"fulli", "ful", positive},
}

var step3 = []rule{
	{"icate", "ic", positive}, {"ative", "", positive}, {"alize", "al", positive}, {"iciti", "ic", positive},
	{"ical", "ic", positive}, {"ful", "", positive}, {"ness", "", positive},
}

var step4 = []rule{
	{"al", "", longer}, {"ance", "", longer}, {"ence", "", longer}, {"er", "", longer}, {"ic", "", longer},
	{"able", "", longer}, {"ible", "", longer}, {"ant", "", longer}, {"ement", "", longer}, {"ment", "", longer},
	{"ent", "", longer},
	{"ion", "", func(stem string) bool {
		return longer(stem) && (strings.HasSuffix(stem, "s") || strings.HasSuffix(stem, "t"))
	}},
	{"ou", "", longer}, {"ism", "", longer}, {"ate", "", longer}, {"iti", "", longer}, {"ous", "", longer},
	{"ive", "", longer}, {"ize", "", longer},
}

// step5 takes a final e off, and one l of two.
func step5(w string) string {
	if stem, ok := strings.CutSuffix(w, "e"); ok {
		if m := measure(stem); m > 1 || m == 1 && !endsShort(stem) {
			w = stem
		}
	}
	if strings.HasSuffix(w, "ll") && measure(w[:len(w)-1]) > 1 {
		w = w[:len(w)-1]
	}
	return w
}
