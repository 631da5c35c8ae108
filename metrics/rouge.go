package metrics

import (
	"math/bits"
	"strings"
	"unicode/utf8"
)

// stemmed is the token of a word.
func stemmed(word []byte) string {
	if len(word) > 3 {
		return Stem(string(word))
	}
	return string(word)
}

// eachWord calls f with every run of a–z and 0–9 of the lower-cased text. buffer is reused for the
// words, and returned.
func eachWord(s string, buffer []byte, f func(word []byte)) []byte {
	if strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
		s = lower(s)
	}
	buffer = buffer[:0]
	for i := range len(s) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
			buffer = append(buffer, c)
			continue
		}
		if len(buffer) > 0 {
			f(buffer)
			buffer = buffer[:0]
		}
	}
	if len(buffer) > 0 {
		f(buffer)
	}
	return buffer
}

// rougeTokens returns the numbers of a text's tokens, as Google's rouge_score makes them: lower case, runs of
// a–z and 0–9, words of more than three characters stemmed (see Stem). Letters
// outside a–z separate words: ROUGE is made for English.
func (s *scratch) rougeTokens(text string) []uint32 {
	// C.-Y. Lin, "ROUGE: a package for automatic evaluation of summaries",
	// ACL workshop 2004; tokens as in google-research/rouge.
	first := len(s.symbols)
	s.bytes[0] = eachWord(text, s.bytes[0], func(word []byte) {
		n, ok := s.stems[string(word)]
		if !ok {
			n = s.number(stemmed(word))
			s.stems[string(word)] = n
		}
		s.symbols = append(s.symbols, n)
	})
	return s.since(first)
}

// ScoreRougeL is the ROUGE-L F score with the best reference, in [0,1]. With l
// the length of the longest common subsequence of tokens, P = l/answer's and
// R = l/reference's number of tokens:
//
//	2·P·R/(P+R)
//
// and 0 where either has no token.
func ScoreRougeL(answer string, references []string) float64 {
	s := borrow()
	defer s.giveBack()
	mine := s.rougeTokens(answer)
	return best(func(_, reference string) float64 {
		theirs := s.rougeTokens(reference)
		return f1(s.subsequence(mine, theirs), len(mine), len(theirs))
	})(answer, references)
}

// rougeN makes the ROUGE-n F score, n ≥ 1: as ScoreRougeL, with the number of
// common n-grams in place of l and those of each side in place of its tokens.
func rougeN(n int) func(answer, reference string) float64 {
	return func(answer, reference string) float64 {
		s := borrow()
		defer s.giveBack()
		mine, theirs := s.rougeTokens(answer), s.rougeTokens(reference)
		common := s.overlap(n, mine, theirs)[n-1]
		return f1(common, max(0, len(mine)-n+1), max(0, len(theirs)-n+1))
	}
}

// subsequence returns the length of the longest common subsequence of numbers of tokens.
//
// It works on whole rows of the table at once: bit j of row is 0 where the
// table grows from column j to j+1, and one row follows from the last by an
// addition and a few logical operations.
func (s *scratch) subsequence(a, b []uint32) int {
	// H. Hyyrö, "Bit-parallel LCS-length computation revisited", 2004.
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	words := (len(b) + 63) / 64
	// places holds for each number where the bits of its positions in b are; 0 = it is not in b.
	s.places = append(s.places, make([]int32, max(0, len(s.numbers)-len(s.places)))...)
	s.rows = append(s.rows[:0], make([]uint64, words)...)
	for j, t := range b {
		if s.places[t] == 0 {
			s.places[t] = int32(len(s.rows))
			s.rows = append(s.rows, make([]uint64, words)...)
		}
		s.rows[int(s.places[t])+j/64] |= 1 << (j % 64)
	}
	row := s.rows[:words]
	for w := range row {
		row[w] = ^uint64(0)
	}
	for _, t := range a {
		if s.places[t] == 0 {
			continue
		}
		at := s.rows[s.places[t]:][:words]
		carry := uint64(0)
		for w, v := range row {
			u := v & at[w]
			var sum uint64
			sum, carry = bits.Add64(v, u, carry)
			row[w] = sum | (v - u)
		}
	}
	for _, t := range b {
		s.places[t] = 0
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
