package fitting_test

import (
	"math"
	"math/rand/v2"
	"strconv"

	"infnet/harness/policy"
	"infnet/harness/policy/guarantee"
	"infnet/harness/pool"
)

// world is what some models do on records drawn from a law.
type world struct {
	models  pool.Records
	class   []int // the student's
	classes int   // 0 = none
	groups  []string
}

// law says how records are drawn, and what is fitted to them.
type law struct {
	name   string
	truth  string // in words, for the page
	target policy.Target
	kind   kind
	draw   func(rng *rand.Rand, n int) world
	never  bool // by construction a single model or coin of no more error is never dearer
	edge   bool // by construction its error is never below the margin
}

// kind is what is fitted.
type kind string

const (
	thresholds kind = "" // one, or one per class where there are classes
	promised   kind = "guarantee"
	series     kind = "chain"
	pooled     kind = "pool"
)

// question is what all models of a law share on one record.
type question struct {
	beta, hard float64 // uniform
	class      int
}

// answer is one model's answer: its error, cost and confidence.
type answer struct{ err, cost, beta float64 }

// each draws n questions and the answers to them, so many in a group.
func each(classes, inGroup int, of func(rng *rand.Rand, q question) []answer) func(*rand.Rand, int) world {
	return func(rng *rand.Rand, n int) world {
		w := world{classes: classes}
		var q question
		for i := range n {
			if inGroup <= 1 || i%inGroup == 0 {
				q = question{rng.Float64(), rng.Float64(), rng.IntN(max(classes, 1))}
			}
			if inGroup > 1 {
				w.groups = append(w.groups, strconv.Itoa(i/inGroup))
			}
			list := of(rng, q)
			if w.models == nil {
				w.models = make(pool.Records, len(list))
			}
			for m, a := range list {
				x := &w.models[m]
				x.Error, x.Cost, x.Beta = append(x.Error, a.err), append(x.Cost, a.cost), append(x.Beta, a.beta)
			}
			w.class = append(w.class, q.class)
		}
		return w
	}
}

func wrong(rng *rand.Rand, p float64) float64 { return indicator(rng.Float64() < p) }

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// two are a student and a master whose errors depend on the confidence: the student's falls from s·(1+a) to s·(1−a).
func two(s, a, m, cost float64) func(*rand.Rand, question) []answer {
	return func(rng *rand.Rand, q question) []answer {
		beta := rng.Float64()
		return []answer{{wrong(rng, s*(1+a*(1-2*beta))), cost, beta}, {wrong(rng, m), 1, beta}}
	}
}

// levels are two confidences, .25 and .75, the lower with probability q.
func levels(q, low, high, m, cost float64) func(*rand.Rand, question) []answer {
	return func(rng *rand.Rand, _ question) []answer {
		if rng.Float64() < q {
			return []answer{{wrong(rng, low), cost, .25}, {wrong(rng, m), 1, .25}}
		}
		return []answer{{wrong(rng, high), cost, .75}, {wrong(rng, m), 1, .75}}
	}
}

// several are models whose confidences say nothing, or as much as a says.
func several(a float64, errs, costs []float64) func(*rand.Rand, question) []answer {
	return func(rng *rand.Rand, q question) (out []answer) {
		for m := range errs {
			beta := rng.Float64()
			out = append(out, answer{wrong(rng, errs[m]*(1+a*(1-2*beta))), costs[m], beta})
		}
		return out
	}
}

func soft(of func(*rand.Rand, question) []answer) func(*rand.Rand, question) []answer {
	return func(rng *rand.Rand, q question) []answer {
		out := of(rng, q)
		for m := range out {
			out[m].err = .6*out[m].err + .2*rng.Float64()
		}
		return out
	}
}

// lognormal gives every record a length, to which all costs are proportional, and which the student is unsure about.
func lognormal(rng *rand.Rand, _ question) []answer {
	z := rng.NormFloat64()
	length := math.Exp(1.5*z - 1.125) // of mean 1
	beta := 1 / (1 + math.Exp(z+rng.NormFloat64()))
	return []answer{{wrong(rng, .3), .02 * length, beta}, {wrong(rng, .1), length, beta}}
}

func number(text string) policy.Target {
	t, err := policy.ParseTarget(text)
	if err != nil {
		panic(err)
	}
	return t
}

var ltt = &guarantee.Terms{Method: guarantee.LearnThenTest, Delta: .1, Margin: .05}

// laws in which a cascade is worth nothing, or exactly at the edge of it, and then laws in which it is worth it.
func laws() []law {
	six, costs := []float64{.30, .27, .24, .22, .21, .20}, []float64{.02, .05, .1, .3, .6, 1}
	pass := func(rng *rand.Rand, q question) []answer { // the confidence is noise within a class too
		beta := rng.Float64()
		return []answer{{wrong(rng, .2), .1, beta}, {wrong(rng, .2), 1, beta}}
	}
	byClass := func(rng *rand.Rand, q question) []answer {
		beta := rng.Float64()
		return []answer{{wrong(rng, .2*float64(q.class%3)*(1+.9*(1-2*beta))), .05, beta}, {wrong(rng, .15), 1, beta}}
	}
	together := func(rng *rand.Rand, q question) []answer { // a group's records are alike
		return []answer{{wrong(rng, .4*q.hard), .1, q.beta}, {wrong(rng, .4*q.hard), 1, q.beta}}
	}
	alike := func(s, m, cost float64) func(*rand.Rand, question) []answer { // both err on the hard, four times in five
		return func(rng *rand.Rand, q question) []answer {
			beta, again := rng.Float64(), q.hard
			if rng.Float64() < .2 {
				again = rng.Float64()
			}
			return []answer{{indicator(q.hard < s*(1+.96*(1-2*beta))), cost, beta}, {indicator(again < m), 1, beta}}
		}
	}
	informed := alike(.3, .2, .05)
	return []law{
		{name: "confidence is noise", truth: "errors .3 and .1, costs .02 : 1; a coin is cheaper", target: number("0.8"),
			never: true, draw: each(0, 0, two(.3, 0, .1, .02))},
		{name: "two equally good models", truth: "errors .2 and .2, costs .1 : 1; the student alone does as well",
			target: policy.Best, never: true, draw: each(0, 0, two(.2, 0, .2, .1))},
		{name: "price ratio near 1", truth: "errors .3 and .15, costs .95 : 1, a good confidence; the master is cheaper",
			target: policy.Best, never: true, draw: each(0, 0, two(.3, .9, .15, .95))},
		{name: "student better than master", truth: "errors .1 and .2, costs .1 : 1; the student is better and cheaper",
			target: policy.Best, never: true, draw: each(0, 0, two(.1, .3, .2, .1))},
		{name: "advantage exactly 0", truth: "two confidences; the coin that errs 2 points more costs the same",
			target: number("0.8"), draw: each(0, 0, levels(.4, .354, .264, .1, .02))},
		{name: "as good, advantage exactly 0", truth: "errs as the master; the coin that errs 2 points more costs the same",
			target: policy.Best, draw: each(0, 0, levels(.882, .3268, .1, .1, .02))},
		{name: "error exactly at the margin",
			truth:  "two confidences; errs 2 points more than the master at a fifth of its cost",
			target: number("0.88"), edge: true, draw: each(0, 0, levels(.2, .9, .125, .1, .02))},
		{name: "ties", truth: "equally good models, one of five confidences, all noise", target: policy.Best, never: true,
			draw: each(0, 0, func(rng *rand.Rand, _ question) []answer {
				beta := float64(1+rng.IntN(5)) / 5
				return []answer{{wrong(rng, .2), .1, beta}, {wrong(rng, .2), 1, beta}}
			})},
		{name: "groups of 5 alike", truth: "equally good models; questions come in fives", target: policy.Best, never: true,
			draw: each(0, 5, together)},
		{name: "rare errors", truth: "errors .02 and .02, costs .1 : 1, confidence is noise", target: policy.Best,
			never: true, draw: each(0, 0, two(.02, 0, .02, .1))},
		{name: "lognormal costs", truth: "long questions are deferred and no harder; a coin is cheaper by far",
			target: number("0.8"), never: true, draw: each(0, 0, lognormal)},
		{name: "soft errors", truth: "equally good models, mean error .22", target: policy.Best, never: true,
			draw: each(0, 0, soft(two(.2, 0, .2, .1)))},
		{name: "77 classes", truth: "equally good models; a threshold per class fits noise", target: policy.Best, never: true,
			draw: each(77, 0, pass)},
		{name: "77 classes, one confidence-blind master", truth: "errors .3 and .1, costs .02 : 1, confidence is noise",
			target: number("0.8"), never: true, draw: each(77, 0, two(.3, 0, .1, .02))},
		{name: "nearly the same model", truth: "the master differs from the student on 1 % of the records, at random",
			target: policy.Best, never: true, draw: each(0, 0, func(rng *rand.Rand, _ question) []answer {
				e, beta := wrong(rng, .2), rng.Float64()
				f := e
				if rng.Float64() < .01 {
					f = wrong(rng, .2)
				}
				return []answer{{e, .1, beta}, {f, 1, beta}}
			})},
		{name: "guarantee, noise", truth: "equally good models; half of the fit part proposes, half tests",
			target: policy.Master, kind: promised, never: true, draw: each(0, 0, two(.2, 0, .2, .1))},
		{name: "chain, noise", truth: "three equally good models", target: policy.Best, kind: series, never: true,
			draw: each(0, 0, several(0, []float64{.2, .2, .2}, []float64{.1, .4, 1}))},
		{name: "pool, noise", truth: "six models, each better and dearer; confidences are noise", kind: pooled, never: true,
			draw: each(0, 0, several(0, six, costs))},
		{name: "pool, equals", truth: "six equally good models at costs from .02 to 1", kind: pooled, never: true,
			draw: each(0, 0, several(0, []float64{.2, .2, .2, .2, .2, .2}, costs))},

		{name: "informative confidence", truth: "errors .3 and .2, costs .05 : 1, the student's error falls from .59 to .01",
			target: policy.Best, draw: each(0, 0, informed)},
		{name: "master far better", truth: "errors .25 and .1, costs .02 : 1, the student's error falls from .49 to .01",
			target: policy.Best, draw: each(0, 0, alike(.25, .1, .02))},
		{name: "informative, 20 classes", truth: "a third of the classes easy, a third hard", target: policy.Best,
			draw: each(20, 0, byClass)},
		{name: "informative, guarantee", truth: "as the first of these; the error may be 5 points above the master's",
			target: policy.Master, kind: promised, draw: each(0, 0, informed)},
		{name: "informative chain", truth: "three models, errors .35, .3, .2, costs .02, .2, 1", target: policy.Best,
			kind: series,
			draw: each(0, 0, several(.95, []float64{.35, .3, .2}, []float64{.02, .2, 1}))},
		{name: "informative pool", truth: "six models, each better and dearer", kind: pooled,
			draw: each(0, 0, several(.95, six, costs))},
	}
}
