package chain

// prefixes holds values at positions 0 … n−1, zero at first, and finds the
// leftmost position whose prefix sum is at most a bound: a segment tree of sums
// and least prefix sums. Adding and finding are O(log n).
type prefixes struct {
	size int     // a power of two
	sum  []int64 // of the values below a node; node 1 is the root
	low  []int64 // least prefix sum below a node, of one value or more
}

func newPrefixes(n int) *prefixes {
	p := &prefixes{size: 1}
	for p.size < n {
		p.size *= 2
	}
	p.sum, p.low = make([]int64, 2*p.size), make([]int64, 2*p.size)
	return p
}

// add adds v to the value at position i.
func (p *prefixes) add(i int, v int64) {
	i += p.size
	p.sum[i] += v
	p.low[i] += v
	for i /= 2; i >= 1; i /= 2 {
		l, r := 2*i, 2*i+1
		p.sum[i] = p.sum[l] + p.sum[r]
		p.low[i] = min(p.low[l], p.sum[l]+p.low[r])
	}
}

// least returns the least prefix sum of one value or more.
func (p *prefixes) least() int64 { return p.low[1] }

// leftmost returns the first position whose prefix sum, itself included, is at
// most bound; −1 if there is none.
func (p *prefixes) leftmost(bound int64) int {
	if p.low[1] > bound {
		return -1
	}
	i := 1
	for i < p.size {
		if i *= 2; p.low[i] > bound {
			bound -= p.sum[i]
			i++
		}
	}
	return i - p.size
}

// through returns the prefix sum up to position i, itself included.
func (p *prefixes) through(i int) int64 {
	i += p.size
	sum := p.sum[i]
	for ; i > 1; i /= 2 {
		if i%2 == 1 {
			sum += p.sum[i-1]
		}
	}
	return sum
}
