package metrics

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
