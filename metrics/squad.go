package metrics

import (
	"strings"
	"unicode"
)

// NormaliseSQuAD brings an answer into the form in which SQuAD's evaluation
// compares answers: lower case, no ASCII punctuation, none of the articles a,
// an and the, single spaces.
func NormaliseSQuAD(s string) string {
	// P. Rajpurkar, J. Zhang, K. Lopyrev and P. Liang, "SQuAD: 100,000+
	// questions for machine comprehension of text", EMNLP 2016: the
	// official evaluation.
	return strings.Join(squadTokens(s), " ")
}

func squadTokens(s string) []string {
	s = strings.Map(func(r rune) rune {
		if r < 128 && (unicode.IsPunct(r) || unicode.IsSymbol(r)) {
			return -1
		}
		return r
	}, lower(s))
	return strings.FieldsFunc(dropArticles(s), space)
}

// dropArticles replaces every article that is a whole word by a space. A word
// is a run of letters and numbers, so "the" in "a·the" goes too.
func dropArticles(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	start, in := 0, false
	flush := func(end int) {
		switch w := s[start:end]; w {
		case "a", "an", "the":
			b.WriteByte(' ')
		default:
			b.WriteString(w)
		}
	}
	for i, r := range s {
		if word := unicode.IsLetter(r) || unicode.IsNumber(r); word != in {
			flush(i)
			start, in = i, word
		}
	}
	flush(len(s))
	return b.String()
}

// ScoreExactMatch is 1 if the answer equals a reference after SQuAD
// normalisation, else 0. An empty answer equals an empty reference.
func ScoreExactMatch(answer string, references []string) float64 {
	normal := NormaliseSQuAD(answer)
	for _, r := range references {
		if NormaliseSQuAD(r) == normal {
			return 1
		}
	}
	return 0
}

// ScoreTokenF1 is SQuAD's token F1 with the best reference, in [0,1]. With c
// tokens in common, counted with multiplicity, of m in the answer and n in
// the reference, after normalisation:
//
//	2·c/(m+n)
//
// If one of the two has no token it is 1 where neither has and 0 otherwise,
// as SQuAD 2.0 says.
func ScoreTokenF1(answer string, references []string) float64 {
	mine := squadTokens(answer)
	return best(func(_, reference string) float64 {
		theirs := squadTokens(reference)
		if len(mine) == 0 || len(theirs) == 0 {
			if len(mine) == len(theirs) {
				return 1
			}
			return 0
		}
		left := make(map[string]int, len(theirs))
		for _, t := range theirs {
			left[t]++
		}
		common := 0
		for _, t := range mine {
			if left[t] > 0 {
				left[t]--
				common++
			}
		}
		return f1(common, len(mine), len(theirs))
	})(answer, references)
}

// f1 is 2PR/(P+R) with P = common/answer and R = common/reference, computed as
// the reference tools compute it; 0 where nothing is in common.
func f1(common, answer, reference int) float64 {
	if common == 0 {
		return 0
	}
	p, r := float64(common)/float64(answer), float64(common)/float64(reference)
	return 2 * p * r / (p + r)
}

// lower lower-cases as Python's str.lower does, on which the reference tools
// rest. It differs from strings.ToLower in two places: İ becomes i and a
// combining dot, and Σ at the end of a word becomes ς.
func lower(s string) string {
	if !strings.ContainsAny(s, "İΣ") {
		return strings.ToLower(s)
	}
	rs := []rune(s)
	var b strings.Builder
	for i, r := range rs {
		switch {
		case r == 'İ':
			b.WriteString("i\u0307")
		case r == 'Σ' && casedBefore(rs[:i]) && !casedAfter(rs[i+1:]):
			b.WriteRune('ς')
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

func casedBefore(rs []rune) bool {
	for i := len(rs) - 1; i >= 0; i-- {
		if !caseIgnorable(rs[i]) {
			return cased(rs[i])
		}
	}
	return false
}

func casedAfter(rs []rune) bool {
	for _, r := range rs {
		if !caseIgnorable(r) {
			return cased(r)
		}
	}
	return false
}

func cased(r rune) bool {
	return unicode.In(r, unicode.Upper, unicode.Lower, unicode.Title, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

func caseIgnorable(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) ||
		strings.ContainsRune("'.:^`¨\u00ad·\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a", r)
}

// space reports whether Python's str.split splits at r: Unicode white space
// and the four information separators.
func space(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }
