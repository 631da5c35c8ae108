package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/cost"
	"infnet/harness/spec/place"
)

// checkBaselines checks the rows of the tables and puts them in order: none, all, the random ones,
// those that learn, the oracle router.
func checkBaselines(f *file, raw []rawBaseline, c Cost, instead replacements) []Baseline {
	random, learned := []Baseline{}, []Baseline{}
	seen := map[Baseline]int{}
	written := false
	kinds := make([]string, len(BaselineKinds()))
	for i, k := range BaselineKinds() {
		kinds[i] = string(k)
	}
	for i, r := range raw {
		at := place.Element("baselines", i)
		if r.Kind == nil {
			f.missing(at, "kind", "want one of "+strings.Join(kinds, ", "))
			continue
		}
		b, before := Baseline{Kind: *r.Kind}, len(f.problems)
		checkOptions(f, at, r)
		switch {
		case b.Kind == Random:
			written = true
			checkRandom(f, at, r, &b)
		case b.Kind.Learns():
			checkLearned(f, at, r, &b, instead)
		}
		if len(f.problems) > before {
			continue
		}
		if j, again := seen[b]; again {
			f.wrong(at+".kind", fmt.Sprintf("the same baseline as baselines[%d]", j), "name it once")
			continue
		}
		seen[b] = i
		switch {
		case b.Kind == Random:
			random = append(random, b)
		case b.Kind.Learns():
			learned = append(learned, b)
		}
	}
	for i, b := range raw {
		if b.LearnerCost != nil && c.Model == cost.TFLOPs {
			f.wrong(place.Element("baselines", i)+".learner_cost", "costs are operations, and the learner's own are counted", "leave learner_cost out; it is for the cost models price, tokens, latency and fixed")
		}
	}
	slices.SortStableFunc(learned, func(a, b Baseline) int { return cmp.Compare(a.Kind, b.Kind) }) // FrugalGPT first, as in the paper
	if !written {
		random = append(random, Baseline{Kind: Random, P: defaultP, Draws: defaultDraws})
	}
	out := []Baseline{{Kind: NoneDeferred}, {Kind: AllDeferred}}
	out = append(append(out, random...), learned...)
	return append(out, Baseline{Kind: OracleRouter})
}

// checkOptions reports options that are for another kind of baseline.
func checkOptions(f *file, at string, r rawBaseline) {
	coin := r.P != nil || r.Draws != nil || r.RNG != nil
	learns := r.Learner != nil || r.Encoder != nil || r.Delta != nil || r.DeltaKind != nil || r.Compat != nil || r.LearnerCost != nil
	if k := *r.Kind; coin && k != Random || learns && !k.Learns() {
		hint := "p, draws and rng are for random"
		if learns {
			hint = "learner, encoder, delta, delta_kind and compat are for frugalgpt and hybridllm"
		}
		f.wrong(at+".kind", fmt.Sprintf("baseline %s has no such options", k), hint)
	}
}

func checkRandom(f *file, at string, r rawBaseline, b *Baseline) {
	b.P = f.share(at+".p", r.P, defaultP)
	b.Draws = int(f.whole(at+".draws", r.Draws, defaultDraws, 1, 100_000))
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
	if r.Draws != nil {
		f.wrong(at+".draws", fmt.Sprintf("%s is one draw, the published one", rng), "leave draws out, or use rng = \"seed\"")
	}
}
