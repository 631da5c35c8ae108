package policy

import "math"

// weighted is a record in the linear-time search: its confidence and error.
type weighted struct {
	key uint64
	e   int64
}

// fitLinear is alg:single_oracle_linear_compact of the paper: the smallest θ
// whose accepted records make at most B errors, by selection instead of
// sorting. In the oracle setting accepted errors fall as θ grows, so a pivot shows
// on which side the answer lies; the errors above a discarded upper side are
// carried along. The pivot is the median of medians of five, so the work
// is O(N) in the worst case.
//
// Blum, Floyd, Pratt, Rivest and Tarjan (1973), Time bounds for selection.
func (c *columns) fitLinear(o Options) Policy {
	p := c.policy(o, 0)
	theta := 0.0
	if c.sumStudent > p.Budget.Errors.Units {
		theta = c.selectThreshold(p.Budget.Errors.Units)
	}
	p.Thresholds = Thresholds{theta}
	p.FitError = Count{0, c.scale}
	for i, b := range c.r.Beta {
		if b >= theta {
			p.FitError.Units += c.gain(i)
		} else {
			p.Certificate.Value += c.weight(i)
			p.FitDeferred++
		}
	}
	p.certify(-1)
	return p
}

// selectThreshold returns the smallest confidence u with Σ_{β ≥ u} e ≤ budget,
// or +Inf.
func (c *columns) selectThreshold(budget int64) float64 {
	ws := make([]weighted, c.n)
	for i, b := range c.r.Beta {
		ws[i] = weighted{betaKey(b), c.gain(i)}
	}
	theta, above := math.Inf(1), int64(0) // above: errors of records known to be accepted
	for len(ws) > 0 {
		pivot := medianOfMedians(ws)
		lower, equal, upper := split(ws, pivot)
		at := above
		for _, w := range equal {
			at += w.e
		}
		for _, w := range upper {
			at += w.e
		}
		if at <= budget {
			theta, above, ws = math.Float64frombits(pivot), at, lower
		} else {
			ws = upper
		}
	}
	return theta
}

// split partitions ws in place into keys below, at and above the pivot.
func split(ws []weighted, pivot uint64) (lower, equal, upper []weighted) {
	lo, i, hi := 0, 0, len(ws)
	for i < hi {
		switch key := ws[i].key; {
		case key < pivot:
			ws[lo], ws[i] = ws[i], ws[lo]
			lo++
			i++
		case key > pivot:
			hi--
			ws[i], ws[hi] = ws[hi], ws[i]
		default:
			i++
		}
	}
	return ws[:lo], ws[lo:hi], ws[hi:]
}

// medianOfMedians returns a key with at least 3/10 of ws on either side, up to
// a constant. It reorders ws.
func medianOfMedians(ws []weighted) uint64 {
	const five = 5
	if len(ws) <= five {
		insertionSort(ws)
		return ws[len(ws)/2].key
	}
	groups := 0
	for i := 0; i+five <= len(ws); i += five {
		insertionSort(ws[i : i+five])
		ws[groups], ws[i+five/2] = ws[i+five/2], ws[groups]
		groups++
	}
	return selectKey(ws[:groups], groups/2)
}

// selectKey returns the key of rank r, 0 = least.
func selectKey(ws []weighted, r int) uint64 {
	for {
		pivot := medianOfMedians(ws)
		lower, equal, upper := split(ws, pivot)
		switch {
		case r < len(lower):
			ws = lower
		case r < len(lower)+len(equal):
			return pivot
		default:
			r -= len(lower) + len(equal)
			ws = upper
		}
	}
}

func insertionSort(ws []weighted) {
	for i := 1; i < len(ws); i++ {
		for j := i; j > 0 && ws[j].key < ws[j-1].key; j-- {
			ws[j], ws[j-1] = ws[j-1], ws[j]
		}
	}
}
