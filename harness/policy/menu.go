package policy

import (
	"math"
	"runtime"
	"sync"

	"infnet/harness/radix"
)

// option is one way to treat one class: defer its d (objective units) least
// confident records, which leaves e errors among the class's records.
type option struct {
	d, e     int64
	deferred int64 // records, = d unless the objective weighs them
	theta    float64
}

// menu lists the undominated options of one class, d strictly ascending, e
// strictly descending. It is never empty.
type menu []option

// menus builds every class's menu, O(N) after a linear sort (alg:multi_options_compact and
// alg:multi_options_oracle_compact of the paper; alg:single_* with one class).
// pooled ignores the classes: one menu over all records.
func (c *columns) menus(pooled bool) []menu {
	ks, starts, errs := c.byClass(pooled)
	scratch := make([]radix.Pair, len(ks))
	out := make([]menu, len(starts)-1)
	build := func(k int) {
		lo, hi := starts[k], starts[k+1]
		radix.Sort(ks[lo:hi], scratch[lo:hi])
		out[k] = scan(ks[lo:hi], errs[k])
	}
	workers := min(runtime.GOMAXPROCS(0), len(out))
	if workers == 1 || c.n < 1<<15 {
		for k := range out {
			build(k)
		}
		return out
	}
	// Each worker owns the classes k ≡ w: no menu depends on another.
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for k := w; k < len(out); k += workers {
				build(k)
			}
		})
	}
	wg.Wait()
	return out
}

// byClass returns the records grouped by class, class k in
// [starts[k], starts[k+1]), and the student's errors in each.
func (c *columns) byClass(pooled bool) (ks []radix.Pair, starts []int, errs []int64) {
	ks = make([]radix.Pair, c.n)
	if pooled || c.classes == 1 {
		for i := range ks {
			ks[i] = c.load(i)
		}
		return ks, []int{0, c.n}, []int64{c.sumStudent}
	}
	starts, errs = make([]int, c.classes+1), make([]int64, c.classes)
	for i, k := range c.r.Class {
		starts[k+1]++
		errs[k] += Units(c.r.Student[i], c.scale)
	}
	for k := range c.classes {
		starts[k+1] += starts[k]
	}
	next := append([]int(nil), starts...)
	for i, k := range c.r.Class {
		ks[next[k]] = c.load(i)
		next[k]++
	}
	return ks, starts, errs
}

// scan walks one class in order of confidence and keeps the undominated options.
// ks is sorted; errs are the student's errors in it.
func scan(ks []radix.Pair, errs int64) menu {
	if len(ks) == 0 {
		return menu{{theta: math.Inf(1)}}
	}
	o := option{e: errs}
	m := menu{o} // accept all: θ = 0
	for i := 0; i < len(ks); {
		key := ks[i].Key
		for ; i < len(ks) && ks[i].Key == key; i++ { // a tie group moves together
			o.e -= gain(ks[i].Value)
			o.d += weight(ks[i].Value)
			o.deferred++
		}
		if o.e >= m.least().e {
			continue // dominated: more deferrals, no fewer errors
		}
		o.theta = math.Inf(1)
		if i < len(ks) {
			o.theta = math.Float64frombits(ks[i].Key)
		}
		m = append(m, o)
	}
	return m
}

// least returns the option with the fewest errors, then fewest deferrals.
func (m menu) least() option { return m[len(m)-1] }

// thresholds are those of an option of every menu.
func thresholds(ms []menu, choice []int) Thresholds {
	t := make(Thresholds, len(ms))
	for k, j := range choice {
		t[k] = ms[k][j].theta
	}
	return t
}

// A record is sorted by its confidence together with its load: what deferring it changes, packed
// into one number, gain·2²⁰ + weight, where |gain| ≤ 2³² and 1 ≤ weight < 2²⁰. The scan that
// follows the sort then reads memory in order. For confidences, which are ≥ 0, the bits of a
// float64, read as an integer, are monotone in it; −0 and 0 share a key.
const weightBits = 20

func (c *columns) load(i int) radix.Pair {
	return radix.Pair{Key: math.Float64bits(c.r.Beta[i] + 0), Value: c.gain(i)<<weightBits + c.weight(i)}
}

func gain(load int64) int64   { return load >> weightBits }
func weight(load int64) int64 { return load & (1<<weightBits - 1) }
