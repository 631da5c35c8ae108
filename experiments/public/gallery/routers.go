package gallery

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/seed"
	"infnet/metrics/infer"
)

// RouteLLM's two models, by the names that the paper gives them.
const (
	weak   = "Mixtral 8x7B"
	strong = "GPT-4"
)

// drawn is how often the random router is drawn, and steps how often its share
// of calls is looked at: at 0, 10, …, 100 %, as the authors' program does.
const (
	drawn = 1000
	steps = 10
)

// Routed measures routers between two models that are asked once each. The
// definitions are those of RouteLLM (arXiv 2406.18665, section 3.2): the
// performance gap recovered (PGR) at a share of calls to the strong model, the
// share at which it first reaches x % (CPT), and its average over the shares
// (APGR).
type Routed struct {
	name         string
	weak, strong []bool
	all          []int
	gain         []float64 // by question: 1 where only the strong model is right, −1 where only the weak one
	gap          float64   // right answers of the strong model less those of the weak one
	runs         map[string][]float64
}

// NewRouted prepares the comparison of routers on a set.
func NewRouted(s *Set) (*Routed, error) {
	r := &Routed{name: s.Name, weak: s.model(weak).Correct, strong: s.model(strong).Correct, all: s.Test}
	if len(r.weak) != len(r.strong) || len(r.weak) == 0 {
		return nil, fmt.Errorf("%s: %d grades of %s, %d of %s", s.Name, len(r.weak), weak, len(r.strong), strong)
	}
	for i := range r.weak {
		r.gain = append(r.gain, number(r.strong[i])-number(r.weak[i]))
		r.gap += r.gain[i]
	}
	if r.gap <= 0 {
		return nil, fmt.Errorf("%s: %s is no better than %s, so there is no gap to recover", s.Name, strong, weak)
	}
	r.draw()
	return r, nil
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// recovered is the PGR at 0, 10, …, 100 % of calls to the strong model, for
// queries that are passed to it in this order.
func (r *Routed) recovered(order []int) []float64 {
	out := make([]float64, steps+1)
	sum, n, passed := 0.0, len(order), 0
	for s := 1; s <= steps; s++ {
		for ; passed < n*s/steps; passed++ {
			sum += r.gain[order[passed]]
		}
		out[s] = sum / r.gap
	}
	return out
}

// reach is the least share of calls, in percent, at which the PGR is x: on the
// straight lines between the steps.
func reach(pgr []float64, x float64) float64 {
	for s := 1; s < len(pgr); s++ {
		if pgr[s] >= x {
			return 100 / float64(steps) * (float64(s-1) + (x-pgr[s-1])/(pgr[s]-pgr[s-1]))
		}
	}
	return 100
}

// average is the APGR: the area under the straight lines between the steps.
func average(pgr []float64) float64 {
	area := 0.0
	for s := 1; s < len(pgr); s++ {
		area += (pgr[s-1] + pgr[s]) / 2 / float64(steps)
	}
	return area
}

// draw draws the random router, always alike.
func (r *Routed) draw() {
	r.runs = map[string][]float64{}
	rng := seed.Stream(1, "gallery", "random router", r.name)
	order := slices.Clone(r.all)
	for range drawn {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for q, v := range metrics(r.recovered(order)) {
			r.runs[q] = append(r.runs[q], v)
		}
	}
	for q := range r.runs {
		slices.Sort(r.runs[q])
	}
}

func metrics(pgr []float64) map[string]float64 {
	return map[string]float64{"cpt50_pct": reach(pgr, 0.5), "cpt80_pct": reach(pgr, 0.8), "apgr": average(pgr)}
}

// oracle is the order of a router that knows both grades: first the queries that
// only the strong model answers, last those that only the weak one does.
func (r *Routed) oracle() []int {
	order := slices.Clone(r.all)
	slices.SortStableFunc(order, func(i, j int) int { return int(r.gain[j] - r.gain[i]) })
	return order
}

// compare is our value of a line about RouteLLM.
func (r *Routed) compare(l Line) (Ours, error) {
	same := fmt.Sprintf("the authors' grades of %d questions", len(r.all))
	alone := func(v float64, reason string) (Ours, error) { return Ours{v, math.NaN(), math.NaN(), reason}, nil }
	low, _ := share(r.weak, r.all, "")
	high, _ := share(r.strong, r.all, "")
	half := (low.Value + high.Value) / 2
	switch l.Row + "/" + l.Quantity {
	case "all/records":
		return alone(float64(len(r.all)), "the records there are")
	case strong + "/correct_pct":
		return share(r.strong, r.all, same)
	case weak + "/correct_pct":
		return share(r.weak, r.all, same+"; the paper has it in figures only")
	case "half of the gap/correct_pct":
		return alone(half, fmt.Sprintf("midway between %.2f and %.2f, which is %.1f %% of the latter; %s would be %.1f %%",
			low.Value, high.Value, 100*half/high.Value, l.Value.Text, 100*l.Value.Value/high.Value))
	case "half of the gap/of_master_pct":
		return alone(100*half/high.Value, fmt.Sprintf("%.2f of %.2f", half, high.Value))
	case "Oracle/correct_pct":
		either := make([]bool, len(r.weak))
		for i := range either {
			either[i] = r.weak[i] || r.strong[i]
		}
		return share(either, r.all, "right where either model is; the authors' program draws this curve, the paper does not")
	case "Oracle/cpt50_pct", "Oracle/cpt80_pct", "Oracle/apgr":
		return alone(metrics(r.recovered(r.oracle()))[l.Quantity], "calls the strong model first where it alone is right, "+
			"last where it alone is wrong")
	case "Random/cpt50_pct", "Random/cpt80_pct", "Random/apgr":
		return r.random(l.Quantity), nil
	}
	return Ours{}, fmt.Errorf("nothing is known of the %s of %q", l.Quantity, l.Row)
}

// random is what the random router does: its expectation, which is a straight
// line, and the interval of one run.
func (r *Routed) random(quantity string) Ours {
	// PGR(c) = c in expectation, so CPT(x) = x and APGR = 1/2
	expected := map[string]float64{"cpt50_pct": 50, "cpt80_pct": 80, "apgr": 0.5}[quantity]
	reason := fmt.Sprintf("exact expectation; interval: one run of %d drawn. The printed margin is of several runs, "+
		"whose number the paper does not say", drawn)
	if quantity == "apgr" {
		reason += ". Area by trapezoids, as in the authors' program: the sum of ten that section 3.2 prints would give 0.55"
	}
	runs := r.runs[quantity]
	return Ours{expected, infer.Quantile(runs, (1-confidence)/2), infer.Quantile(runs, (1+confidence)/2), reason}
}
