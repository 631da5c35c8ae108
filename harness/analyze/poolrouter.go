package analyze

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"infnet/harness/records"
	"infnet/harness/result/note"
	"infnet/harness/router"
	"infnet/harness/seed"
	"infnet/harness/split"
	"infnet/metrics/infer"
)

// guess learns from the queries' texts how likely each model is right, out of fold on
// the fit part.
func (x *pooled) guess(ctx context.Context) error {
	r := x.r
	if r.Roles.Learned.Of == nil {
		x.out.Notes = append(x.out.Notes, untrained(r, "the router"))
		return nil
	}
	learner := router.NewLight()
	fit, err := samples(r, r.Fit, learner, false)
	if err != nil {
		return err
	}
	test, err := samples(r, r.Test, learner, false)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(fit, func(s router.Sample) bool { return strings.TrimSpace(s.Query) != "" }) {
		x.out.Notes = append(x.out.Notes, note.Say("no-texts", "No router: it reads the queries' texts, and there are none. "+
			"The prompt of the dataset would name their column."))
		return nil
	}
	from, rest := routerPart(fit, seed.Stream(r.Study.Seed, "pool-router", r.Stream()))
	if len(rest) > 0 {
		x.out.Notes = append(x.out.Notes, note.Say("router-part", "The router learned from %d of the %d fit records, drawn "+
			"at random.", len(from), len(fit)))
	}
	folds := split.Folds{K: r.Roles.Learned.K, Of: records.Pick(r.Roles.Learned.Of, from)}
	learn := router.Counted(records.Pick(fit, from), false, max(1, x.in.Threads))
	apply := router.Counted(append(records.Pick(fit, rest), test...), false, max(1, x.in.Threads))
	for k := range r.Models {
		t := router.Task{Samples: learn, Classes: len(r.Dataset.Labels), Seed: r.Study.Seed,
			Name: r.Stream() + "/pool/" + r.Cascade.Models[k], Threads: max(1, x.in.Threads),
			Labels: indicators(records.Pick(r.Models[k].Right(r.Fit), from))}
		fitted, err := router.CrossFit(ctx, learner, t, folds, apply)
		if err != nil {
			return fmt.Errorf("router, %s: %w", r.Cascade.Models[k], err)
		}
		x.fit[k].Guess = make([]float64, len(fit))
		for n, i := range from {
			x.fit[k].Guess[i] = fitted.OutOfFold[n]
		}
		for n, i := range rest {
			x.fit[k].Guess[i] = fitted.Applied[n]
		}
		x.test[k].Guess = fitted.Applied[len(rest):]
	}
	return nil
}

// mostRouted bounds the fit records that a pool's router learns from: it is fitted
// once for every model and fold.
const mostRouted = 2000

// routerPart divides fit records into those that the router learns from, about
// mostRouted, and the rest, positions ascending. Groups stay whole.
func routerPart(fit []router.Sample, rng *rand.Rand) (from, rest []int) {
	var groups []string
	for _, s := range fit {
		groups = append(groups, s.Group)
	}
	unit, count := infer.Units(groups, len(fit))
	units := make([][]int, count)
	for i, u := range unit {
		units[u] = append(units[u], i)
	}
	if len(fit) > mostRouted {
		rng.Shuffle(count, func(i, j int) { units[i], units[j] = units[j], units[i] })
	}
	for _, members := range units {
		if len(from) < mostRouted {
			from = append(from, members...)
		} else {
			rest = append(rest, members...)
		}
	}
	slices.Sort(from)
	slices.Sort(rest)
	return from, rest
}
