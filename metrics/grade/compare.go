package grade

import "slices"

func (f form) isTuple() bool {
	return !slices.Contains([]string{one, set, union, said}, f.kind)
}

// compare compares two forms.
func compare(a, b form) Verdict {
	switch {
	case a.kind == "" || b.kind == "", a.name != "" && b.name != "" && a.name != b.name,
		a.kind != b.kind && (a.grouped || b.grouped):
		return Undecided
	case a.kind == one && b.kind == one:
		return compareItems(a, b)
	case a.kind == said && b.kind == said:
		if a.words == b.words && a.words != "" {
			return Right
		}
		return Undecided
	case a.kind == one && b.kind == set:
		a.name = ""
		return inAnyOrder([]form{a}, b.of)
	case a.kind == set && b.kind == one:
		return compare(b, a)
	case a.kind == set && b.kind == set, a.kind == union && b.kind == union:
		return inAnyOrder(a.of, b.of)
	case a.isTuple() && b.isTuple():
		return inOrder(a, b)
	}
	return Undecided
}

func compareItems(a, b form) Verdict {
	if a.unit != "" && b.unit != "" && a.unit != b.unit {
		return Undecided
	}
	plain := same(a.formula, b.formula)
	if a.unit != b.unit && plain == Wrong && slices.Contains(slices.Concat(a.formula.names(), b.formula.names()), "π") {
		return Undecided // 90° against π/2
	}
	if a.percent == b.percent {
		return plain
	}
	x, y, hundred := a.formula, b.formula, whole(constant(rational("100")))
	if a.percent {
		x = x.over(hundred)
	} else {
		y = y.over(hundred)
	}
	if x == nil || y == nil || plain == Right && same(x, y) != Right {
		return Undecided // 5 against 5 %
	}
	return same(x, y)
}

// inOrder compares tuples. Who writes [1, 2] may mean (1, 2).
func inOrder(a, b form) Verdict {
	if len(a.of) != len(b.of) {
		return Wrong
	}
	out := Right
	if a.kind != b.kind {
		out = Undecided
	}
	for i := range a.of {
		out = min(out, compare(a.of[i], b.of[i]))
	}
	return out
}

// inAnyOrder compares sets: right where each member of one equals one of the other, wrong where a member equals none.
// x = 1, y = 2 is a set of assignments, and 1, 2 is none.
func inAnyOrder(a, b []form) Verdict {
	unnamed := func(f form) bool { return f.name == "" }
	if all := slices.Concat(a, b); len(all) > 2 && slices.ContainsFunc(all, unnamed) &&
		slices.ContainsFunc(all, func(f form) bool { return !unnamed(f) }) {
		return Undecided
	}
	out := min(within(a, b), within(b, a))
	if out == Right && (repeats(a) || repeats(b)) {
		return Undecided // 1, 1, 2 against 1, 2, 2
	}
	return out
}

// repeats reports whether two members are equal.
func repeats(list []form) bool {
	for i, f := range list {
		if slices.ContainsFunc(list[:i], func(g form) bool { return compare(f, g) == Right }) {
			return true
		}
	}
	return false
}

// within is the least of the best verdicts that members of x have among those of y.
func within(x, y []form) Verdict {
	out := Right
	for _, f := range x {
		best := Wrong
		for _, g := range y {
			v := compare(f, g)
			if f.kind != g.kind {
				v = min(v, Undecided) // {{1}} is not {1}
			}
			best = max(best, v)
		}
		out = min(out, best)
	}
	return out
}
