package grade

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// The kinds of relations, of a formula to zero; ≠ is one too.
const (
	equation = "="
	greater  = ">"
	atLeast  = "≥"
)

var (
	relations = map[string]string{`\le`: "≤", `\leq`: "≤", `\leqslant`: "≤", "<=": "≤", `\ge`: "≥", `\geq`: "≥", `\geqslant`: "≥",
		">=": "≥", `\lt`: "<", `\gt`: ">", `\ne`: "≠", `\neq`: "≠", "!=": "≠"}
	command  = regexp.MustCompile(`\\[A-Za-z]+|[<>!]=`)
	relation = regexp.MustCompile(`[<>≤≥≠]`)
	// either joins relations of which one holds
	either = regexp.MustCompile(`,?\s*(?:\\(?:text|mbox)\{\s*or\s*\}|\bor\b)\s*`)
)

func isRelation(kind string) bool { return strings.ContainsAny(kind, "=≠>≥") }

// related reads inequalities: x > 3 and 1 < x ≤ 2 are the intervals that they mean, others relations.
func related(text string) form {
	signs, sides := relation.FindAllString(text, -1), relation.Split(text, -1)
	out := relationOf(signs[0], sides[0], sides[1])
	low, ok := out.bound()
	high := bound{name: low.name, at: named(`\infty`)}
	switch {
	case len(signs) == 2 && ok:
		high, ok = relationOf(signs[1], sides[1], sides[2]).bound()
		if !ok || low.name != high.name || low.low == high.low {
			return form{}
		}
	case len(signs) > 1:
		return form{}
	case !ok:
		return out
	case !low.low:
		high.at = high.at.times(whole(constant(big.NewRat(-1, 1))))
	}
	if !low.low {
		low, high = high, low
	}
	kind := map[bool]string{true: "[", false: "("}[low.closed] + map[bool]string{true: "]", false: ")"}[high.closed]
	return form{kind: kind, name: low.name, of: []form{{kind: one, formula: low.at}, {kind: one, formula: high.at}}}
}

// bound is what an inequality says of a name: that it is more, or less, than something.
type bound struct {
	name        string
	at          *formula
	low, closed bool
}

// bound solves an inequality that has one name, to the power of one.
func (f form) bound() (b bound, ok bool) {
	if f.formula == nil || f.kind != greater && f.kind != atLeast || f.formula.below.number() == nil {
		return b, false
	}
	rest, by := sum{}, new(big.Rat)
	for _, t := range f.formula.above {
		switch {
		case len(t.names) == 0:
			rest.plus(t)
		case len(t.names) > 1 || t.root != 1 || b.name != "" || isApplied(t.names[0]) || isConstant(t.names[0]):
			return b, false
		default:
			b.name, by = t.names[0], new(big.Rat).Neg(t.coefficient)
		}
	}
	if b.name == "" {
		return b, false
	}
	b.low = by.Sign() != f.formula.below.number().Sign()
	b.at, b.closed = whole(rest.times(constant(by.Inv(by)))).read(), f.kind == atLeast
	return b, b.at != nil
}

// relationOf reads one relation, as one of a formula to zero.
func relationOf(sign, left, right string) form {
	f, minus := formulaOf(left), whole(constant(big.NewRat(-1, 1)))
	f = f.add(formulaOf(right).times(minus))
	if sign == "<" || sign == "≤" {
		f, sign = f.times(minus), map[string]string{"<": greater, "≤": atLeast}[sign]
	}
	if f == nil || len(f.names()) == 0 {
		return form{} // 3 > 2 says nothing
	}
	return form{kind: sign, formula: f}
}

// sameRelation compares relations: the same, if one formula is the other times a number, above zero where a greater one
// is another relation. That they differ is never certain.
func sameRelation(a, b form) Verdict {
	ratio := a.formula.over(b.formula)
	if a.kind != b.kind || ratio == nil {
		return Undecided
	}
	for key, t := range ratio.above { // any of them tells the number
		by := new(big.Rat)
		if u, ok := ratio.below[key]; ok {
			by.Quo(t.coefficient, u.coefficient)
		}
		if (by.Sign() > 0 || a.kind != greater && a.kind != atLeast) && same(ratio, whole(constant(by))) == Right {
			return Right
		}
		break
	}
	return Undecided
}

// asEquation is y = x + 1 as an equation.
func (f form) asEquation() form {
	if name := formulaOf(f.name); f.kind == one && f.unit == "" && !f.percent && name != nil {
		if d := f.formula.add(name.times(whole(constant(big.NewRat(-1, 1))))); d != nil {
			return form{kind: equation, formula: d}
		}
	}
	return f
}

// takeName gives a list the name of its members, where they have the same: x = 1 or x = 2 is x = 1, 2.
func (f *form) takeName() {
	if !slices.ContainsFunc(f.of, func(m form) bool { return m.name != f.of[0].name }) && len(f.of) > 0 {
		f.name = f.of[0].name
		for i := range f.of {
			f.of[i].name = ""
		}
	}
}
