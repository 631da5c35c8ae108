package metrics

import (
	"infnet/harness/calc"
)

const bleuOrder = 4

// bleuSignature says how BLEU is computed, in sacreBLEU's notation, with the version whose definition, and in the tests
// whose numbers, it follows.
const bleuSignature = "nrefs:var|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0|impl:infnet"

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
	for n, common := range overlap(mine, theirs) {
		out[2+n], out[2+bleuOrder+n] = float64(common), float64(max(0, len(mine)-n))
	}
	return out
}

// overlap counts the n-grams of the answer that references have, for n = 1 … 4: each at most as often as the reference
// that has it most.
func overlap(answer []uint32, references [][]uint32) (out [bleuOrder]int) {
	for n := range out {
		most := map[gram]int{}
		for _, r := range references {
			for g, count := range grams(r, n+1) {
				most[g] = max(most[g], count)
			}
		}
		for g, count := range grams(answer, n+1) {
			out[n] += min(count, most[g])
		}
	}
	return out
}

// gram is up to four tokens in a row.
type gram [bleuOrder]uint32

func grams(tokens []uint32, n int) map[gram]int {
	out := map[gram]int{}
	for i := range max(0, len(tokens)-n+1) {
		var g gram
		copy(g[:], tokens[i:i+n])
		out[g]++
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
