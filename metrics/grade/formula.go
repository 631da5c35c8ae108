package grade

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// Limits that keep exact arithmetic fast; what goes beyond is not read.
const (
	mostTerms   = 100
	mostBits    = 4096
	mostPower   = 1000    // exponent of a number
	mostDegree  = 20      // exponent of anything else, and half of the names in a term
	largestRoot = 1 << 32 // a radicand to be factored
)

// imaginary is the name whose square is -1: no term has it twice.
const imaginary = "i"

// term is coefficient·√root·names: root is square-free, names are sorted, and one is there as often as its power.
type term struct {
	coefficient *big.Rat
	root        int64
	names       []string
}

// sum is a polynomial: its terms, by their roots and names. None is zero, and a nil one was not read.
type sum map[string]term

func constant(r *big.Rat) sum { return sum{}.plus(term{r, 1, nil}) }

// plus adds a term to the sum itself.
func (s sum) plus(t term) sum {
	key := fmt.Sprintf("%d %q", t.root, t.names)
	if old, ok := s[key]; ok {
		t.coefficient = new(big.Rat).Add(old.coefficient, t.coefficient)
	}
	if delete(s, key); t.coefficient.Sign() != 0 {
		s[key] = t
	}
	return s
}

func (s sum) add(o sum) sum {
	if s == nil || o == nil {
		return nil
	}
	out := sum{}
	for _, of := range []sum{s, o} {
		for _, t := range of {
			out.plus(t)
		}
	}
	return out
}

func (s sum) times(o sum) sum {
	if s == nil || o == nil {
		return nil
	}
	out := sum{}
	for _, a := range s {
		for _, b := range o {
			// √a·√b = g·√(ab/g²) with g = gcd(a, b): roots stay square-free
			g := new(big.Int).GCD(nil, nil, big.NewInt(a.root), big.NewInt(b.root)).Int64()
			c := new(big.Rat).Mul(a.coefficient, b.coefficient)
			c.Mul(c, big.NewRat(g, 1))
			if a.root/g > largestRoot/(b.root/g) || c.Num().BitLen()+c.Denom().BitLen() > mostBits || len(out) > mostTerms ||
				len(a.names)+len(b.names) > 2*mostDegree {
				return nil
			}
			names := slices.Sorted(slices.Values(slices.Concat(a.names, b.names)))
			if i := slices.Index(names, imaginary); i >= 0 && i+1 < len(names) && names[i+1] == imaginary {
				names, c = slices.Delete(names, i, i+2), c.Neg(c)
			}
			out.plus(term{c, a.root / g * (b.root / g), names})
		}
	}
	return out
}

// number is the value of a sum that is one; nil for others.
func (s sum) number() *big.Rat {
	if s != nil && len(s) == 0 {
		return new(big.Rat)
	}
	for _, t := range s {
		if len(s) == 1 && t.root == 1 && len(t.names) == 0 {
			return t.coefficient
		}
	}
	return nil
}

// formula is a fraction of two sums, the lower one not zero; a nil one was not read.
type formula struct{ above, below sum }

func whole(s sum) *formula { return &formula{s, constant(big.NewRat(1, 1))} }

func named(name string) *formula { return whole(sum{}.plus(term{big.NewRat(1, 1), 1, []string{name}})) }

// read returns the formula where both of its parts were read.
func (f formula) read() *formula {
	if f.above == nil || len(f.below) == 0 {
		return nil
	}
	return &f
}

func (f *formula) add(o *formula) *formula {
	if f == nil || o == nil {
		return nil
	}
	return formula{f.above.times(o.below).add(o.above.times(f.below)), f.below.times(o.below)}.read()
}

func (f *formula) times(o *formula) *formula {
	if f == nil || o == nil {
		return nil
	}
	return formula{f.above.times(o.above), f.below.times(o.below)}.read()
}

func (f *formula) over(o *formula) *formula {
	if f == nil || o == nil {
		return nil
	}
	return formula{f.above.times(o.below), f.below.times(o.above)}.read()
}

func (f *formula) number() *big.Rat {
	if f == nil {
		return nil
	}
	if a, b := f.above.number(), f.below.number(); a != nil && b != nil {
		return new(big.Rat).Quo(a, b)
	}
	return nil
}

// power is the formula to a whole number, or a number to half of one.
func (f *formula) power(by *formula) *formula {
	e, base := by.number(), f.number()
	switch {
	case f == nil || e == nil || len(f.above) == 0:
		return nil
	case !e.IsInt() && base != nil && base.Sign() > 0 && e.Denom().Cmp(big.NewInt(2)) == 0:
		return f.power(whole(constant(new(big.Rat).SetInt(e.Num())))).root()
	case !e.IsInt(), e.Num().BitLen() > 16:
		return nil
	}
	n, out := e.Num().Int64(), whole(constant(big.NewRat(1, 1)))
	if n < 0 {
		f, n = out.over(f), -n
	}
	if n > mostPower || base == nil && n > mostDegree {
		return nil
	}
	for ; n > 0; n-- {
		out = out.times(f)
	}
	return out
}

// root is the square root of a number, with its largest square taken out: √(p/q) = √(pq)/q.
func (f *formula) root() *formula {
	n := f.number()
	if n == nil {
		return nil
	}
	if n.Sign() < 0 {
		return whole(constant(n.Neg(n))).root().times(named(imaginary))
	}
	under := new(big.Int).Mul(n.Num(), n.Denom())
	if !under.IsInt64() || under.Int64() > largestRoot {
		return nil
	}
	rest, square := under.Int64(), int64(1)
	for d := int64(2); d*d <= rest; d++ {
		for rest%(d*d) == 0 {
			rest, square = rest/(d*d), square*d
		}
	}
	if rest == 0 {
		return whole(sum{})
	}
	return whole(sum{}.plus(term{new(big.Rat).SetFrac(big.NewInt(square), n.Denom()), rest, nil}))
}

// names are the names in a formula, sorted.
func (f *formula) names() []string {
	var out []string
	for _, s := range []sum{f.above, f.below} {
		for _, t := range s {
			out = append(out, t.names...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// same compares two formulas, by cross-multiplication. That they differ is certain where both have the same names but
// for the constants, of e and π one at most, and no functions: the roots of square-free numbers are independent of one
// another.
func same(a, b *formula) Verdict {
	left, right := a.above.times(b.below), b.above.times(a.below)
	less := left.add(right.times(constant(big.NewRat(-1, 1))))
	if less == nil {
		return Undecided
	}
	if len(less) == 0 {
		return Right
	}
	mine, theirs := a.names(), b.names()
	all := strings.Join(slices.Concat(mine, theirs), " ")
	if isApplied(all) ||
		strings.Contains(all, "π") && slices.Contains(strings.Fields(all), "e") ||
		!slices.Equal(slices.DeleteFunc(mine, isConstant), slices.DeleteFunc(theirs, isConstant)) {
		return Undecided
	}
	return Wrong
}

func isConstant(name string) bool { return name == "e" || name == "π" || name == `\infty` }
