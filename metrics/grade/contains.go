package grade

import (
	"regexp"
	"slices"
	"strings"

	"infnet/metrics"
)

// Contains compares words: an answer is right if the words of a reference are in it, one after the other, in the form
// in which SQuAD compares answers; but -5, 1.5 and 5% are words of their own. A reference of no word decides nothing.
func Contains(answer string, references []string) Verdict {
	said := " " + spelt(answer) + " "
	return among(references, func(reference string) Verdict {
		words := spelt(reference)
		if words == "" {
			return Undecided
		}
		return verdict(strings.Contains(said, " "+words+" "))
	})
}

// numerals are the marks of a number, which SQuAD's form drops.
var numerals = []struct {
	mark *regexp.Regexp
	word string
}{
	{regexp.MustCompile(`(^|[\s(\[{=:,*"])[-−]([$€£]?\.?\d)`), "${1}minus$2"},
	{regexp.MustCompile(`\.(\d)`), "point$1"},
	{regexp.MustCompile(`(\d)/(\d)`), "${1}over$2"},
	{regexp.MustCompile(`(\d),(\d{1,2}(?:\D|$))`), "$1 $2"},
	{regexp.MustCompile(`(\d) ?(?:\\?%|percent\b|per cent\b)`), "${1}percent"},
}

// spelt is SQuAD's form of a text with its numbers kept.
func spelt(text string) string {
	for _, n := range numerals {
		text = n.mark.ReplaceAllString(text, n.word)
	}
	return metrics.NormaliseSQuAD(text)
}

// plain is text without numbers and formulas.
var plain = regexp.MustCompile(`^[\pL\s.,;:?&'"“”’]*\pL{4}[\pL\s.,;:?&'"“”’]*$`)

// Alike reports whether an answer is a reference: in the form in which SQuAD compares answers where both are plain
// text, else as it is written, but for a full stop and letters that begin a word. So -5 is not 5, nor (1, 2) 12.
func Alike(answer string, references []string) bool {
	written := func(text string) []string {
		return smallFirst(strings.Fields(strings.TrimSuffix(strings.TrimSpace(text), ".")))
	}
	return slices.ContainsFunc(references, func(r string) bool {
		return slices.Equal(written(answer), written(r)) ||
			plain.MatchString(answer) && plain.MatchString(r) && metrics.ScoreExactMatch(answer, []string{r}) == 1
	})
}

// smallFirst are words with small first letters where they have several, and without the and an: a is a name, too.
func smallFirst(words []string) []string {
	for i, w := range words {
		if len(w) > 2 || w == "No" || w == "An" {
			words[i] = strings.ToLower(w[:1]) + w[1:]
		}
	}
	return slices.DeleteFunc(words, func(w string) bool { return w == "the" || w == "an" })
}
