package metrics

import (
	"math/bits"
	"strings"
)

// RougeTokens splits a text as Google's rouge_score does: lower case, runs of
// a–z and 0–9, words of more than three characters stemmed (see Stem). Letters
// outside a–z separate words: ROUGE is made for English.
func RougeTokens(s string) []string {
	// C.-Y. Lin, "ROUGE: a package for automatic evaluation of summaries",
	// ACL workshop 2004; tokens as in google-research/rouge.
	tokens := strings.FieldsFunc(lower(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	for i, t := range tokens {
		if len(t) > 3 {
			tokens[i] = Stem(t)
		}
	}
	return tokens
}

// ScoreRougeL is the ROUGE-L F score with the best reference, in [0,1]. With l
// the length of the longest common subsequence of tokens, P = l/answer's and
// R = l/reference's number of tokens:
//
//	2·P·R/(P+R)
//
// and 0 where either has no token.
func ScoreRougeL(answer string, references []string) float64 {
	mine := RougeTokens(answer)
	return best(func(_, reference string) float64 {
		theirs := RougeTokens(reference)
		return f1(commonSubsequence(mine, theirs), len(mine), len(theirs))
	})(answer, references)
}

// rougeN makes the ROUGE-n F score, n ≥ 1: as ScoreRougeL, with the number of
// common n-grams in place of l and those of each side in place of its tokens.
func rougeN(n int) func(answer, reference string) float64 {
	return func(answer, reference string) float64 {
		mine, theirs := ngrams(RougeTokens(answer), n), ngrams(RougeTokens(reference), n)
		common, m, t := 0, 0, 0
		for g, c := range mine {
			common += min(c, theirs[g])
			m += c
		}
		for _, c := range theirs {
			t += c
		}
		return f1(common, m, t)
	}
}

// ngrams counts the n-grams of tokens, which contain no space.
func ngrams(tokens []string, n int) map[string]int {
	counts := make(map[string]int, len(tokens))
	for i := 0; i+n <= len(tokens); i++ {
		counts[strings.Join(tokens[i:i+n], " ")]++
	}
	return counts
}

// commonSubsequence returns the length of the longest common subsequence.
//
// It works on whole rows of the table at once: bit j of row is 0 where the
// table grows from column j to j+1, and one row follows from the last by an
// addition and a few logical operations.
func commonSubsequence(a, b []string) int {
	// H. Hyyrö, "Bit-parallel LCS-length computation revisited", 2004.
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	words := (len(b) + 63) / 64
	where := make(map[string][]uint64, len(b)) // bits of the positions of each token in b
	for j, t := range b {
		m := where[t]
		if m == nil {
			m = make([]uint64, words)
			where[t] = m
		}
		m[j/64] |= 1 << (j % 64)
	}
	row := make([]uint64, words)
	for w := range row {
		row[w] = ^uint64(0)
	}
	for _, t := range a {
		m, ok := where[t]
		if !ok {
			continue
		}
		carry := uint64(0)
		for w, v := range row {
			u := v & m[w]
			var sum uint64
			sum, carry = bits.Add64(v, u, carry)
			row[w] = sum | (v - u)
		}
	}
	length := 0
	for w, v := range row {
		if w == words-1 && len(b)%64 != 0 {
			v |= ^uint64(0) << (len(b) % 64)
		}
		length += bits.OnesCount64(^v)
	}
	return length
}
