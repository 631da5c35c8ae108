package grade

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// functions are those that are read. None is evaluated: sin(2x) is a name, which equals itself.
var functions = strings.Fields(`\sin \cos \tan \cot \sec \csc \arcsin \arccos \arctan \sinh \cosh \tanh \ln \log \lg \exp`)

// applied is a function of formulas, as a name. That two formulas with such names differ is never certain.
func applied(function string, to ...*formula) *formula {
	const longest = 500 // bytes: functions of functions of large sums stay small
	var said []string
	for _, f := range to {
		if f == nil {
			return nil
		}
		if n := f.below.number(); n != nil {
			f = whole(f.above.times(constant(new(big.Rat).Inv(n)))).read()
		}
		said = append(said, f.String())
	}
	name := function + "(" + strings.Join(said, ", ") + ")"
	if len(name) > longest {
		return nil
	}
	return named(name)
}

func isApplied(name string) bool { return strings.Contains(name, "(") }

// String is the same for sums of the same terms above and below.
func (f *formula) String() string {
	said := func(s sum) (out string) {
		for _, key := range slices.Sorted(maps.Keys(s)) {
			out += fmt.Sprintf("%s[%s]", s[key].coefficient.RatString(), key)
		}
		return out
	}
	return said(f.above) + "/" + said(f.below)
}

// raised is a formula to the power of another: exactly where that can be said, else as a function.
func (f *formula) raised(by *formula) *formula {
	out, e := f.power(by), by.number()
	if out == nil && f != nil && (e == nil || !e.IsInt()) {
		return applied("^", f, by)
	}
	return out
}

// application reads what follows a function: an exponent, a base, and what it is of. Without brackets that is a number,
// names or both: \sin 2x. What \sin x(y) or \sin x/2 is of is not certain.
func (p *parser) application(function string) *formula {
	by, of := whole(constant(big.NewRat(1, 1))), []*formula{}
	for p.next() == "^" || p.next() == "_" {
		if p.accept("_") {
			of = append(of, p.argument())
			continue
		}
		p.accept("^")
		if by = p.argument(); by.number() == nil || by.number().Sign() <= 0 {
			return nil // \sin^{-1}
		}
	}
	bracketed := p.next() == "(" || p.next() == "{"
	arg := p.factor()
	for !bracketed && isName(p.next()) {
		arg = arg.times(p.factor())
	}
	if arg == nil || bracketed && p.list[p.i-1] != ")" && p.list[p.i-1] != "}" {
		return nil // \sin(x)^2
	}
	if after := append(p.list[p.i:len(p.list):len(p.list)], "", ""); !bracketed && !slices.Contains(functions, after[0]) &&
		(p.begins() || slices.Contains(slashes, after[0]) ||
			slices.Contains(dots, after[0]) && !slices.Contains(functions, after[1])) {
		return nil
	}
	return applied(function, append(of, arg)...).power(by)
}
