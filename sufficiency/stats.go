package sufficiency

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"infnet/harness/calc"
	"infnet/metrics/infer"
)

// leastProbability replaces a probability of 0 in logarithms.
const leastProbability = 1e-12

// ClassStats makes J of the student's distribution over labels: entropy,
// normalised entropy, Gini impurity, maximum, minimum, margin of the top two,
// distance from uniform, log-odds of the top class, centred log-probabilities
// and the argmax. probs[i] is the distribution of record i, in [0,1]; it is
// divided by its sum. confidence says that β is its maximum, as it is, or put
// through a strictly increasing function: then what that determines is marked.
//
// Of p over K labels, and u = 1/K:
//
//	entropy −Σ p·ln p   normalised: /ln K   Gini 1 − Σ p²
//	margin p₁ − p₂      distance ½·Σ |p − u|   log-odds ln(p₁/(1−p₁))
//	centred ln p − mean ln p
func ClassStats(name string, probs [][]float64, confidence bool) (Set, error) {
	if len(probs) == 0 {
		return Set{}, fmt.Errorf("set %q: no records", name)
	}
	k := len(probs[0])
	if k < 2 {
		return Set{}, fmt.Errorf("set %q: %d labels; there must be two or more", name, k)
	}
	of, label := Free, Free
	ofMax := Free
	if confidence {
		ofMax = OfBeta
		if k == 2 {
			of, label = OfBeta, OfBetaClass
		}
	}
	columns := []Covariate{{Name: "entropy", Of: of}, {Name: "normalised entropy", Of: of}, {Name: "gini", Of: of},
		{Name: "max", Of: ofMax}, {Name: "min", Of: of},
		{Name: "margin", Of: of}, {Name: "distance from uniform", Of: of}, {Name: "log-odds", Of: ofMax}}
	for c := range k {
		columns = append(columns, Covariate{Name: fmt.Sprintf("centred log-probability %d", c), Of: label})
	}
	for c := range k {
		columns = append(columns, Covariate{Name: fmt.Sprintf("argmax is %d", c), Of: OfClass})
	}
	for i, p := range probs {
		if len(p) != k {
			return Set{}, fmt.Errorf("set %q, record %d: %d probabilities; record 0 has %d", name, i, len(p), k)
		}
		row, err := classRow(p)
		if err != nil {
			return Set{}, fmt.Errorf("set %q, record %d: %w", name, i, err)
		}
		for c, v := range row {
			columns[c].Values = append(columns[c].Values, v)
		}
	}
	return Set{Name: name, Columns: columns}, nil
}

// classRow is one record's statistics in the order of ClassStats.
func classRow(raw []float64) ([]float64, error) {
	k := float64(len(raw))
	sum := 0.0
	for _, v := range raw {
		if !(v >= 0) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("probability %g", v)
		}
		sum += v
	}
	if sum == 0 {
		return nil, fmt.Errorf("probabilities sum to 0")
	}
	p := make([]float64, len(raw))
	logs := make([]float64, len(raw))
	entropy, square, distance := 0.0, 0.0, 0.0
	top := 0
	for c, v := range raw {
		p[c] = v / sum
		logs[c] = calc.Log(max(p[c], leastProbability))
		entropy -= float64(p[c] * logs[c])
		square += float64(p[c] * p[c])
		distance += math.Abs(p[c] - 1/k)
		if p[c] > p[top] {
			top = c
		}
	}
	sorted := slices.Clone(p)
	slices.SortFunc(sorted, func(a, b float64) int { return cmp.Compare(b, a) })
	row := []float64{entropy, entropy / calc.Log(k), 1 - square, sorted[0], sorted[len(sorted)-1], sorted[0] - sorted[1],
		distance / 2,
		logs[top] - calc.Log(max(1-p[top], leastProbability))}
	centre := mean(logs)
	for _, l := range logs {
		row = append(row, l-centre)
	}
	for c := range p {
		is := 0.0
		if c == top {
			is = 1
		}
		row = append(row, is)
	}
	return row, nil
}

// leastLogprob replaces log-probabilities below it, −Inf included.
const leastLogprob = -100

// Quantiles are the levels at which AnswerStats takes quantiles.
var Quantiles = []float64{0, .01, .02, .03, .04, .05, .06, .07, .08, .09, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1}

// AnswerStats makes J of the log-probabilities of a generated answer's tokens:
// the statistics of the sequence confidence c = exp(mean) against 1 − c, the
// sum, the number of tokens, and quantiles of the log-probabilities (linear
// between order statistics, as numpy's default). Log-probabilities are cut off
// at −100. An answer without tokens has confidence 0 and −100 in place of
// quantiles. confidence says that β is c, or a strictly increasing function of
// it: then what that determines is marked.
func AnswerStats(name string, logprobs [][]float64, confidence bool) (Set, error) {
	if len(logprobs) == 0 {
		return Set{}, fmt.Errorf("set %q: no records", name)
	}
	of := Free
	if confidence {
		of = OfBeta
	}
	var columns []Covariate
	for _, n := range []string{"entropy", "normalised entropy", "gini", "max", "min", "margin", "distance from uniform",
		"log-odds", "mean log-probability"} {
		columns = append(columns, Covariate{Name: n, Of: of})
	}
	columns = append(columns, Covariate{Name: "sum of log-probabilities"}, Covariate{Name: "tokens"})
	for _, q := range Quantiles {
		columns = append(columns, Covariate{Name: fmt.Sprintf("quantile %g", q)})
	}
	for i, raw := range logprobs {
		l := make([]float64, len(raw))
		for t, v := range raw {
			if math.IsNaN(v) || v > 1e-6 {
				return Set{}, fmt.Errorf("set %q, record %d, token %d: log-probability %g", name, i, t, v)
			}
			l[t] = min(max(v, leastLogprob), 0)
		}
		centre, c := float64(leastLogprob), 0.0
		if len(l) > 0 {
			centre = mean(l)
			c = calc.Exp(centre)
		}
		row, err := classRow([]float64{c, 1 - c})
		if err != nil {
			return Set{}, fmt.Errorf("set %q, record %d: %w", name, i, err)
		}
		row = append(row[:8], centre, total(l), float64(len(l)))
		slices.Sort(l)
		for _, q := range Quantiles {
			v := float64(leastLogprob) // of an answer without tokens
			if len(l) > 0 {
				v = infer.Quantile(l, q)
			}
			row = append(row, v)
		}
		for k, v := range row {
			columns[k].Values = append(columns[k].Values, v)
		}
	}
	return Set{Name: name, Columns: columns}, nil
}
