package analyze

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/pool"
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
	fit, test, err := x.samples(learner)
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
		x.fit[k].Guess = joined(from, rest, fitted.OutOfFold, fitted.Applied)
		x.test[k].Guess = fitted.Applied[len(rest):]
	}
	for _, base := range r.Study.Baselines {
		if known := baseline.Of(base.Kind).Learns; known != nil && known.Learner != nil {
			if l := known.Learner(); l.Estimates {
				if err := x.estimate(ctx, string(base.Kind), l, from, rest, folds); err != nil {
					return fmt.Errorf("router, %s: %w", base.Kind, err)
				}
			}
		}
	}
	return nil
}

// estimate lets a baseline's learner estimate what every model's answers are worth and cost, from the same records.
func (x *pooled) estimate(ctx context.Context, name string, l router.Learner, from, rest []int,
	folds split.Folds) error {
	r := x.r
	fit, test, err := x.samples(l)
	if err != nil {
		return err
	}
	t, unit := router.Task{Samples: records.Pick(fit, from), Seed: r.Study.Seed, Name: r.Stream() + "/pool/" + name,
		Threads: max(1, x.in.Threads)}, 0.0
	for _, m := range r.Models {
		t.Quality = append(t.Quality, records.Pick(complement(m.Errors(r.Fit)), from))
		t.Cost = append(t.Cost, records.Pick(records.Pick(m.Costs, r.Fit), from))
		unit = max(unit, average(t.Cost[len(t.Cost)-1]))
	}
	out, applied, err := router.CrossEstimate(ctx, l, t, folds, append(records.Pick(fit, rest), test...))
	if err != nil {
		return err
	}
	guesses(x.fit, name, joined(from, rest, out, applied), unit)
	guesses(x.test, name, applied[len(rest):], unit)
	return nil
}

// samples are those of both parts for a learner.
func (x *pooled) samples(l router.Learner) (fit, test []router.Sample, err error) {
	if fit, err = samples(x.r, x.r.Fit, l, false); err == nil {
		test, err = samples(x.r, x.r.Test, l, false)
	}
	return fit, test, err
}

// joined are the values of the records that a router learned from and of the first that it was applied to, the rest.
func joined[T any](from, rest []int, learned, applied []T) []T {
	out := make([]T, len(from)+len(rest))
	for n, i := range from {
		out[i] = learned[n]
	}
	for n, i := range rest {
		out[i] = applied[n]
	}
	return out
}

func guesses(to pool.Records, name string, estimates []router.Estimate, unit float64) {
	for m := range to {
		var g pool.Guess
		for _, e := range estimates {
			if g.Right = append(g.Right, e.Quality[m]); e.Cost != nil {
				g.Cost = append(g.Cost, float64(unit*e.Cost[m]))
			}
		}
		if to[m].By == nil {
			to[m].By = map[string]pool.Guess{}
		}
		to[m].By[name] = g
	}
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
