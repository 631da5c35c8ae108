package doubt

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/calc"
	"infnet/metrics/infer"
)

// Answers are one model's answers. Slices have one entry per record, all of the
// same records in the same order; nil = not known.
type Answers struct {
	Model string
	Beta  []float64 // confidence
	Right []bool
	Class []int                   // that it chose
	Text  func(record int) string // asked for few records as a rule; texts are long
	Given bool                    // the confidence is a column of a file, not computed from the model's probabilities
}

// Pair checks two models of a cascade, the student first. gold are the
// reference classes, nil where the task has none; labels name them.
func Pair(student, master Answers, gold []int, labels []string) (out []Doubt) {
	add := func(d Doubt, found bool) bool {
		if found {
			out = append(out, d)
		}
		return found
	}
	first, second := add(permuted(student, gold, labels)), add(permuted(master, gold, labels))
	if !first && !second {
		add(reversed(student))
		add(reversed(master))
		add(swapped(student, master))
	}
	add(same(student, master))
	return out
}

// permuted checks whether a model's classes are those of the data in another order. It looks for a cycle of classes in
// which the model avoids each class where it is the reference, and prefers the next one. Both are judged by Fisher's
// exact test of the 2×2 table of "is the reference" and "is chosen": the first at Level, the second at Level divided
// by the number of pairs of classes. A cycle takes two such findings of k(k−1) possible ones, so chance alone produces
// one with probability Level at most. A model that always names one class, or guesses, has no association and raises
// no question, however few it gets right.
func permuted(a Answers, gold []int, labels []string) (Doubt, bool) {
	k := len(labels)
	if gold == nil || a.Class == nil || k < 2 {
		return Doubt{}, false
	}
	table, row, column, n := make([][]int, k), make([]int, k), make([]int, k), 0
	for i := range table {
		table[i] = make([]int, k)
	}
	for i, g := range gold {
		if c := a.Class[i]; g >= 0 && g < k && c >= 0 && c < k {
			table[g][c]++
			row[g]++
			column[c]++
			n++
		}
	}
	said := make([]int, k) // by reference class, what the model seems to call it
	for g := range said {
		said[g] = g
		p := func(c int, tail func(a, b, c, d int) float64) float64 {
			x := table[g][c]
			return tail(x, row[g]-x, column[c]-x, n-row[g]-column[c]+x)
		}
		if p(g, lower) >= Level {
			continue
		}
		best, most := g, 0.0
		for c := range k {
			if excess := float64(table[g][c]) - float64(row[g])*float64(column[c])/float64(max(n, 1)); excess > most {
				best, most = c, excess
			}
		}
		if p(best, upper) < 2*Level/float64(k*(k-1)) {
			said[g] = best
		}
	}
	order := cycles(said)
	if order == nil {
		return Doubt{}, false
	}
	right, would := 0, 0
	var moved []string
	for g, c := range order {
		right += table[g][g]
		would += table[g][c]
		if g != c {
			moved = append(moved, fmt.Sprintf("where the data say %q it says %q", labels[g], labels[c]))
		}
	}
	how := "in another order"
	if k == 2 {
		how = "in reverse order"
	}
	named := make([]string, k)
	for g, c := range order {
		named[g] = fmt.Sprintf("%q", labels[c])
	}
	return Doubt{Kind: "labels", Text: fmt.Sprintf("Labels %s? %s is right on %d of %d records; %s, and with labels = "+
		"[%s] it would be right on %d.",
		how, a.Model, right, n, strings.Join(moved, ", "), strings.Join(named, ", "), would)}, true
}

// cycles returns the cycles of length two or more of a map from class to class; nil if it has none.
func cycles(next []int) []int {
	out := make([]int, len(next))
	found := false
	for i, at := range next {
		for range next {
			if at == i {
				break
			}
			at = next[at]
		}
		if out[i] = i; at == i && next[i] != i {
			out[i], found = next[i], true
		}
	}
	if !found {
		return nil
	}
	return out
}

// reversed checks whether a confidence is reversed: records at or above its median are right less often than those
// below, by Fisher's exact test at Level, and a right answer ranks below a wrong one more often than not.
func reversed(a Answers) (Doubt, bool) {
	if a.Beta == nil || a.Right == nil || len(a.Beta) == 0 {
		return Doubt{}, false
	}
	median := slices.Sorted(slices.Values(a.Beta))[len(a.Beta)/2]
	var t [4]int // high and right, high and wrong, low and right, low and wrong
	for i, b := range a.Beta {
		at := 0
		if b < median {
			at = 2
		}
		if !a.Right[i] {
			at++
		}
		t[at]++
	}
	p := lower(t[0], t[1], t[2], t[3])
	if p >= Level {
		return Doubt{}, false
	}
	area := calc.AUROC(a.Beta, func(i int) bool { return a.Right[i] })
	if !(area < 0.5) { // NaN: all are right, or all wrong
		return Doubt{}, false
	}
	question := fmt.Sprintf("The confidence of %s points the wrong way", a.Model)
	if a.Given {
		question = fmt.Sprintf("Is the confidence of %s an uncertainty, a loss, or 1 − confidence", a.Model)
	}
	return Doubt{Kind: "reversed", Text: fmt.Sprintf("%s? Its AUROC is %.2f: of the %d surer records %d are right, of "+
		"the %d others %d (p %.2g).", question, area, t[0]+t[1], t[0], t[2]+t[3], t[2], p)}, true
}

// swapped checks whether student and master are swapped: the student is right where the master is wrong more often
// than the reverse, by the exact sign test (McNemar's) at Level.
func swapped(student, master Answers) (Doubt, bool) {
	if student.Right == nil || master.Right == nil {
		return Doubt{}, false
	}
	only, other := infer.Discordant(student.Right, master.Right)
	p := infer.SignTest(only, only+other)
	if only <= other || p >= Level {
		return Doubt{}, false
	}
	return Doubt{Kind: "swapped", Text: fmt.Sprintf("Swapped? Of %d records the student %s alone is right on %d, the "+
		"master %s alone on %d (p %.2g). Models are listed cheapest first.", len(student.Right), student.Model, only,
		master.Model, other, p)}, true
}

// fewestSame is the number of records from which equal answers are not chance.
const fewestSame = 10

// same checks whether two models are really one: all answers and confidences are equal, and not all confidences are 0
// or 1. Answers without confidences prove nothing and are not checked.
func same(student, master Answers) (Doubt, bool) {
	n := len(student.Beta)
	classes := student.Class != nil && master.Class != nil
	if n < fewestSame || len(master.Beta) != n || classes && !slices.Equal(student.Class, master.Class) {
		return Doubt{}, false
	}
	inside, texts := false, student.Text != nil && master.Text != nil
	for i, b := range student.Beta {
		if b != master.Beta[i] || texts && student.Text(i) != master.Text(i) {
			return Doubt{}, false
		}
		inside = inside || b > 0 && b < 1
	}
	if !inside {
		return Doubt{}, false
	}
	return Doubt{Kind: "same", Text: fmt.Sprintf("Are %s and %s the same weights? On all %d records their answers and "+
		"confidences are equal.", student.Model, master.Model, n)}, true
}
