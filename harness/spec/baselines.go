package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/choice"
	"infnet/harness/spec/place"
)

// checkBaselines checks the baselines of a study, adds those that every study
// has, and puts them in the order of package baseline's table.
func checkBaselines(f *file, raw []rawBaseline, instead replacements) []Baseline {
	out := []Baseline{}
	seen := map[string]int{}
	written := map[baseline.Kind]bool{}
	for i, r := range raw {
		at := place.Element("baselines", i)
		if r.Kind == nil {
			f.missing(at, "kind", "want one of "+choice.List(baseline.Kinds()))
			continue
		}
		b, before := Baseline{Kind: *r.Kind}, len(f.problems)
		checkOptions(f, at, r)
		written[b.Kind] = true
		switch known := baseline.Of(b.Kind); {
		case b.Kind == baseline.Fixed && r.Threshold == nil:
			f.missing(at, "threshold", "the confidence from which the student's answer is taken, such as 0.85")
		case b.Kind == baseline.Fixed:
			b.Threshold = *r.Threshold
		case known.Coin:
			checkCoin(f, at, r, &b)
		case known.Learns != nil:
			checkLearned(f, at, r, &b, instead)
		}
		if len(f.problems) > before || f.faulty(at) {
			continue
		}
		alike := b // rows are told apart by the programs' names
		alike.Command = []string{b.Program()}
		row := fmt.Sprintf("%+v", alike)
		if j, again := seen[row]; again {
			f.wrong(at+".kind", fmt.Sprintf("the same baseline as baselines[%d]", j), "name it once")
			continue
		}
		seen[row] = i
		out = append(out, b)
	}
	for _, known := range baseline.Table() {
		if known.Always && !written[known.Kind] {
			b := Baseline{Kind: known.Kind}
			if known.Coin {
				b.P, b.Draws = defaultP, defaultDraws
			}
			out = append(out, b)
		}
	}
	slices.SortStableFunc(out, func(a, b Baseline) int {
		return cmp.Compare(baseline.Place(a.Kind), baseline.Place(b.Kind))
	})
	return out
}

// checkOptions reports options that are for another kind of baseline.
func checkOptions(f *file, at string, r rawBaseline) {
	coin := r.P != nil || r.RNG != nil
	taught := r.Learner != nil || r.Command != nil || r.Compat != nil
	k := *r.Kind
	if r.Threshold != nil && k != baseline.Fixed {
		f.wrong(at+".threshold", fmt.Sprintf("baseline %s has no such option", k), "threshold is for fixed")
	}
	wrongly := taught && !slices.Contains(baseline.Taught(), k)
	if coin && !baseline.Of(k).Coin || wrongly || r.Delta != nil && !k.Learns() {
		hint := "p and rng are for " + choice.And(baseline.Coins())
		switch {
		case wrongly:
			hint = "learner, command and compat are for " + choice.And(baseline.Taught())
		case !coin:
			hint = "delta is for " + choice.And(baseline.Droppers())
		}
		f.wrong(at+".kind", fmt.Sprintf("baseline %s has no such options", k), hint)
	}
}

func checkCoin(f *file, at string, r rawBaseline, b *Baseline) {
	b.P = or(r.P, defaultP)
	b.Draws = defaultDraws
	rng := or(r.RNG, "seed")
	if rng == "seed" {
		return
	}
	digits, ok := strings.CutPrefix(rng, "numpy:")
	n, err := strconv.ParseUint(digits, 10, 64)
	if !ok || err != nil {
		f.wrong(at+".rng", fmt.Sprintf("unknown generator %q", rng), "want seed, or numpy:42 for numpy's default_rng(42)")
		return
	}
	b.Numpy, b.NumpySeed, b.Draws = true, n, 1
}
