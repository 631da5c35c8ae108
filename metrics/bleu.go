package metrics

import (
	"infnet/harness/calc"
)

const bleuOrder = 4

// sacreBLEU is the version whose definitions, and in the tests whose numbers, BLEU and chrF follow.
const sacreBLEU = "version:2.6.0|impl:infnet"

// The signatures say how BLEU and chrF are computed, in sacreBLEU's notation.
const (
	bleuSignature = "nrefs:var|case:mixed|eff:no|tok:13a|smooth:exp|" + sacreBLEU
	chrfSignature = "nrefs:var|case:mixed|eff:yes|nc:6|nw:0|space:no|" + sacreBLEU
)

// BLEUStatistics returns what BLEU needs to know of one record, to be added up
// over records: tokens of the answer, tokens of the reference closest in
// length (the shorter of two equally close), then for n = 1 … 4 the n-grams of
// the answer found in a reference, each at most as often as the reference
// that has it most, then for n = 1 … 4 the n-grams of the answer.
func BLEUStatistics(answer string, references []string) []float64 {
	// K. Papineni, S. Roukos, T. Ward and W.-J. Zhu, "BLEU: a method for
	// automatic evaluation of machine translation", ACL 2002; M. Post, "A
	// call for clarity in reporting BLEU scores", WMT 2018 (sacreBLEU).
	out := make([]float64, 2+2*bleuOrder)
	s := borrow()
	defer s.giveBack()
	mine := s.tokens13a(answer)
	theirs := make([][]uint32, len(references))
	closest := 0
	for i, r := range references {
		theirs[i] = s.tokens13a(r)
		n, d := len(theirs[i]), abs(len(theirs[i])-len(mine))
		if old := abs(closest - len(mine)); i == 0 || d < old || d == old && n < closest {
			closest = n
		}
	}
	out[0], out[1] = float64(len(mine)), float64(closest)
	for n, common := range s.overlap(bleuOrder, mine, theirs...) {
		out[2+n], out[2+bleuOrder+n] = float64(common), float64(max(0, len(mine)-n))
	}
	return out
}

func abs(n int) int { return max(n, -n) }

// BLEUOf returns corpus BLEU from summed statistics, in [0, 100]: the geometric
// mean of the n-gram precisions for n = 1 … 4 times the brevity penalty
//
//	exp(1 − reference length/answer length), at most 1
//
// A precision without any match is smoothed: the first such is ½ of one match,
// the next ¼, and so on ("exp"). Without any match at all, or without 4-grams,
// BLEU is 0.
func BLEUOf(sums []float64) float64 { return bleu(sums, false) }

// SentenceBLEU returns BLEU of one record, in [0, 100]. Orders longer than the
// answer are left out ("effective order").
func SentenceBLEU(answer string, references []string) float64 {
	return bleu(BLEUStatistics(answer, references), true)
}

func bleu(sums []float64, effective bool) float64 {
	length, reference := sums[0], sums[1]
	common, all := sums[2:2+bleuOrder], sums[2+bleuOrder:]
	if common[0] == 0 { // an n-gram in common has its words in common
		return 0
	}
	logs, order, smooth := 0.0, bleuOrder, 1.0
	for n := range bleuOrder {
		if all[n] == 0 {
			if !effective {
				return 0 // a precision of 0
			}
			order = n
			break
		}
		p := 100 * common[n] / all[n]
		if common[n] == 0 {
			smooth *= 2
			p = 100 / (smooth * all[n])
		}
		logs += calc.Log(p)
	}
	penalty := 1.0
	if length < reference {
		penalty = calc.Exp(1 - reference/length)
	}
	return penalty * calc.Exp(logs/float64(order))
}

const (
	chrfOrder = 6
	chrfBeta2 = 4.0 // β², β = 2: recall counts twice as much as precision
)

// ChrFStatistics returns what chrF needs to know of one record, to be added up
// over records: for n = 1 … 6 the character n-grams of the answer, of the
// reference, and common to both, white space removed. Of several references
// it is the one with the best chrF, the first of equals. Without references
// all are 0.
func ChrFStatistics(answer string, references []string) []float64 {
	// M. Popović, "chrF: character n-gram F-score for automatic MT
	// evaluation", WMT 2015, as in sacreBLEU.
	s := borrow()
	defer s.giveBack()
	mine := s.characters(answer)
	top, out := -1.0, make([]float64, 3*chrfOrder)
	for _, r := range references {
		theirs := s.characters(r)
		one := make([]float64, 3*chrfOrder)
		for n, common := range s.overlap(chrfOrder, mine, theirs) {
			one[3*n+1], one[3*n+2] = float64(max(0, len(theirs)-n)), float64(common)
			if len(theirs) > n { // an order the reference does not have counts for nothing
				one[3*n] = float64(max(0, len(mine)-n))
			}
		}
		if f := ChrFOf(one); f > top {
			top, out = f, one
		}
	}
	return out
}

// ChrFOf returns chrF from summed statistics, in [0, 100]: with P and R the
// precision and recall of character n-grams averaged over the orders that both
// sides have,
//
//	100·(1+β²)·P·R/(β²·P+R), β = 2
//
// and 0 where nothing is in common.
func ChrFOf(sums []float64) float64 {
	precision, recall, orders := 0.0, 0.0, 0.0
	for n := range chrfOrder {
		mine, theirs, common := sums[3*n], sums[3*n+1], sums[3*n+2]
		if mine > 0 && theirs > 0 {
			precision += common / mine
			recall += common / theirs
			orders++
		}
	}
	if precision+recall == 0 {
		return 0
	}
	precision /= orders
	recall /= orders
	return 100 * ((1 + chrfBeta2) * precision * recall / (float64(chrfBeta2*precision) + recall))
}

// SentenceChrF returns chrF of one record, in [0, 100].
func SentenceChrF(answer string, references []string) float64 {
	return ChrFOf(ChrFStatistics(answer, references))
}

// characters returns the characters of a text but white space.
func (s *scratch) characters(text string) []uint32 {
	first := len(s.symbols)
	for _, r := range text {
		if !space(r) {
			s.symbols = append(s.symbols, uint32(r))
		}
	}
	return s.since(first)
}
