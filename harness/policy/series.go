package policy

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Descent is the method of more than three models in series: it starts from
// the best chain of three that they contain and improves one threshold at a
// time. It is no Method that can be asked for: FitSeries takes it where it has
// to.
const Descent Method = "coordinate-descent"

// Series are what any number of models in series did, as ChainRecords are for
// three: one entry per record in every column, all models' answers known.
type Series struct {
	Beta [][]float64 // confidences of all models but the last ∈ [0,1]
	Err  [][]float64 // errors of all ∈ [0,1]; the last nil = never errs (the oracle setting)
	Cost []float64   // mean cost of one answer of each, any unit, ≥ 0
}

// Len returns the number of records.
func (r Series) Len() int {
	if len(r.Beta) == 0 {
		return 0
	}
	return len(r.Beta[0])
}

// Validate reports the first thing wrong with the columns.
func (r Series) Validate() error {
	n := len(r.Err)
	if n < 3 || len(r.Beta) != n-1 || len(r.Cost) != n {
		return fmt.Errorf("%d models with %d confidences and %d costs: want three models or more, a confidence of all but the last and a cost of each", n, len(r.Beta), len(r.Cost))
	}
	for m, c := range r.Cost {
		if !(c >= 0) || math.IsInf(c, 1) {
			return fmt.Errorf("cost %v of model %d: want a finite number ≥ 0", c, m+1)
		}
	}
	for m := 1; m+1 < n; m++ {
		three, _ := r.three([3]int{0, m, n - 1})
		if err := three.Validate(); err != nil {
			return fmt.Errorf("models 1, %d and %d: %w", m+1, n, err)
		}
	}
	return nil
}

// Pair returns the records of the cascade of two of the models.
func (r Series) Pair(student, master int) (Records, error) {
	if student < 0 || student >= master || master >= len(r.Err) {
		return Records{}, fmt.Errorf("a pair of models %d and %d: want 0 ≤ student < master ≤ %d", student, master, len(r.Err)-1)
	}
	return Records{Beta: r.Beta[student], Student: r.Err[student], Master: r.Err[master]}, nil
}

// FitPair is ChainRecords.FitPair for any number of models.
func (r Series) FitPair(student, master int, b Budget) (Policy, error) {
	if err := r.Validate(); err != nil {
		return Policy{}, err
	}
	pair, err := r.Pair(student, master)
	if err != nil {
		return Policy{}, err
	}
	return pair.within(b)
}

// three returns the chain that stops at three of the models only: those
// between and before them are asked, paid and not trusted. theta has the
// thresholds of that, but for the three's own.
func (r Series) three(at [3]int) (ChainRecords, Thresholds) {
	var c ChainRecords
	theta := make(Thresholds, len(r.Beta))
	from := 0
	for k, m := range at {
		c.Err[k] = r.Err[m]
		if k < 2 {
			c.Beta[k] = r.Beta[m]
		}
		for ; from <= m; from++ {
			c.Cost[k] += r.Cost[from]
			if from < m {
				theta[from] = math.Inf(1)
			}
		}
	}
	return c, theta
}

// SeriesPolicy is a fitted rule for models in series: the answer of the first
// model stands whose β is at least its threshold, else the last one's.
type SeriesPolicy struct {
	Thresholds  Thresholds  `json:"thresholds"` // of all models but the last
	Setting     Setting     `json:"setting"`
	Feasible    bool        `json:"feasible"` // the budget is met
	Budget      Budget      `json:"budget"`
	FitError    Count       `json:"fit_error"`
	Asked       []int       `json:"asked"` // records each model answers; the first answers all
	Cost        float64     `json:"cost"`  // mean cost of a query
	Bound       float64     `json:"bound"` // no thresholds within the budget cost less, to a millionth of the dearest later model's cost
	N           int         `json:"n"`
	MinError    Count       `json:"min_error"`   // the least any thresholds make; of more than three models, the least that was found
	Certificate Certificate `json:"certificate"` // in millionths of the dearest later model's cost
	Warnings    []Warning   `json:"warnings,omitempty"`
}

// Stages applies the policy to records.
func (p SeriesPolicy) Stages(r Series) []int {
	out := make([]int, r.Len())
	for i := range out {
		for m, theta := range p.Thresholds {
			if r.Beta[m][i] >= theta {
				break
			}
			out[i]++
		}
	}
	return out
}

// FitSeries fits the thresholds of three models or more in series: the least
// mean cost of a query, every model that is asked being paid, with at most the
// budget's errors. Three are fitted exactly by FitChain.
//
// More are fitted by coordinate descent: it starts from the best of all chains
// that stop at three of them only, each fitted exactly; then it moves one
// threshold at a time to the best place for the others as they are, which one
// pass over the sorted records finds, until none moves. A budget that is missed
// is approached first. That is a local optimum: O(N·n) a round of n models
// after n sorts and n³/6 exact fits.
//
// The certificate's lower bound is of a relaxation: the first two models keep
// thresholds, and of what gets past them every record picks its best model by
// itself; for a multiplier λ of the errors the least of cost + λ·(errors − B)
// is found exactly in O(N log N), as FitChain does, and the best of 40
// multipliers is kept. Any λ bounds all thresholds within the budget (weak
// duality), so that the gap is honest, if often wide.
//
// Targets are FitChain's, "best" being the least of all models' errors.
func FitSeries(r Series, o Options) (SeriesPolicy, error) {
	if err := r.Validate(); err != nil {
		return SeriesPolicy{}, err
	}
	if len(r.Err) == 3 {
		c, _ := r.three([3]int{0, 1, 2})
		p, err := FitChain(c, o)
		return SeriesPolicy{
			Thresholds: p.Thresholds, Setting: p.Setting, Feasible: p.Feasible, Budget: p.Budget, FitError: p.FitError, Asked: p.Asked[:],
			Cost: p.Cost, Bound: p.Cost, N: p.N, MinError: p.MinError, Certificate: p.Certificate, Warnings: p.Warnings,
		}, err
	}
	o = o.withDefaults()
	first, _ := r.three([3]int{0, 1, len(r.Err) - 1})
	whole, err := FitChain(first, o) // checks the options
	if err != nil {
		return SeriesPolicy{}, err
	}
	d, err := newDescent(r, o)
	if err != nil {
		return SeriesPolicy{}, err
	}
	p := SeriesPolicy{Setting: whole.Setting, N: r.Len(), Budget: whole.Budget}
	p.Budget.Errors = Count{d.budget(o.Target), d.scale}
	best := d.search(p.Budget.Errors.Units, o)
	if o.Target.Equal(Min) {
		p.Budget.Errors.Units = best.e
		best = d.improve(best, best.e)
	}
	p.MinError = Count{d.search(0, o).e, d.scale}
	p.MinError.Units = min(p.MinError.Units, best.e)
	d.fill(&p, r, best)
	return p, nil
}

// descent is the search over thresholds of more than three models.
type descent struct {
	r      Series
	scale  int64
	err    [][]int64 // in units
	total  []int64
	weight []int64 // of asking each model; the first's is paid by every query and left out
	top    float64 // cost that a weight of CostScale stands for
	order  [][]int // records by confidence, for all models but the last
}

// seriesOption is a set of thresholds and what it comes to.
type seriesOption struct {
	theta    Thresholds
	value, e int64
}

func newDescent(r Series, o Options) (*descent, error) {
	n, records := len(r.Err), r.Len()
	r.Err = slices.Clone(r.Err)
	if o.Setting == Oracle || r.Err[n-1] == nil {
		r.Err[n-1] = make([]float64, records)
	}
	d := &descent{r: r, scale: 1, total: make([]int64, n), weight: make([]int64, n), top: slices.Max(r.Cost[1:])}
	for _, col := range r.Err {
		d.scale = max(d.scale, Scale(col))
	}
	for m, col := range r.Err {
		list := make([]int64, records)
		for i, v := range col {
			list[i] = Units(v, d.scale)
			d.total[m] += list[i]
		}
		d.err = append(d.err, list)
		if m > 0 {
			d.weight[m] = 1
			if d.top > 0 {
				d.weight[m] = max(1, int64(math.RoundToEven(r.Cost[m]/d.top*CostScale)))
			}
		}
	}
	for _, beta := range r.Beta {
		order := make([]int, records)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(beta[a], beta[b]) })
		d.order = append(d.order, order)
	}
	return d, nil
}

// budget is the target in units; that of "min" is found by asking for none.
func (d *descent) budget(t Target) int64 {
	switch {
	case t.Equal(Master):
		return d.total[len(d.total)-1]
	case t.Equal(Student):
		return d.total[0]
	case t.Equal(Best):
		return slices.Min(d.total)
	case t.Equal(Min):
		return 0
	}
	return NumericBudget(t, d.r.Len(), d.scale).Errors.Units
}

// search descends from the best start.
func (d *descent) search(budget int64, o Options) seriesOption {
	var best seriesOption
	n := len(d.r.Err)
	b := Budget{Errors: Count{budget, d.scale}, N: d.r.Len()}
	for i := range n {
		for j := i + 1; j < n; j++ {
			for k := j + 1; k < n; k++ {
				c, theta := d.r.three([3]int{i, j, k})
				p, err := FitChain(c, Options{Target: b.target()})
				if err != nil {
					panic("policy: a checked series is refused: " + err.Error())
				}
				theta[i], theta[j] = p.Thresholds[0], p.Thresholds[1]
				if x := d.outcome(theta); best.theta == nil || x.before(best, budget) {
					best = x
				}
			}
		}
	}
	return d.improve(best, budget)
}

// before orders options: first what is over the budget, then cost, then errors.
func (x seriesOption) before(y seriesOption, budget int64) bool {
	return cmp.Or(cmp.Compare(max(0, x.e-budget), max(0, y.e-budget)), cmp.Compare(x.value, y.value), cmp.Compare(x.e, y.e)) < 0
}

// outcome counts what thresholds come to.
func (d *descent) outcome(theta Thresholds) seriesOption {
	x := seriesOption{theta: theta}
	for i := range d.r.Len() {
		v, e := d.from(i, 0, theta)
		x.value, x.e = x.value+v, x.e+e
	}
	return x
}

// from is what record i comes to once it has been asked of model m.
func (d *descent) from(i, m int, theta Thresholds) (value, e int64) {
	for ; m < len(theta) && !(d.r.Beta[m][i] >= theta[m]); m++ {
		value += d.weight[m+1]
	}
	return value, d.err[m][i]
}

// improve moves one threshold at a time until none moves.
func (d *descent) improve(x seriesOption, budget int64) seriesOption {
	for moved := true; moved; {
		moved = false
		for m := range x.theta {
			if y := d.move(x, m, budget); y.before(x, budget) {
				x, moved = y, true
			}
		}
	}
	return x
}

// move returns the best place of one threshold, the others as they are.
func (d *descent) move(x seriesOption, m int, budget int64) seriesOption {
	theta := slices.Clone(x.theta)
	theta[m] = 0
	at := d.outcome(theta)
	best := seriesOption{theta, at.value, at.e}
	beta := d.r.Beta[m]
	reached := slices.DeleteFunc(slices.Clone(d.order[m]), func(i int) bool {
		for k := range m {
			if d.r.Beta[k][i] >= x.theta[k] {
				return true
			}
		}
		return false
	})
	for k := 0; k < len(reached); {
		for b := beta[reached[k]]; k < len(reached) && beta[reached[k]] == b; k++ {
			i := reached[k]
			v, e := d.from(i, m+1, x.theta)
			at.value += d.weight[m+1] + v
			at.e += e - d.err[m][i]
		}
		if at.before(best, budget) {
			best = seriesOption{slices.Clone(theta), at.value, at.e}
			best.theta[m] = math.Inf(1)
			if k < len(reached) {
				best.theta[m] = beta[reached[k]]
			}
		}
	}
	return best
}

// fill states what was found and what is proved about it.
func (d *descent) fill(p *SeriesPolicy, r Series, x seriesOption) {
	p.Thresholds, p.FitError = x.theta, Count{x.e, d.scale}
	p.Feasible = x.e <= p.Budget.Errors.Units
	p.Asked = make([]int, len(r.Err))
	for _, stage := range p.Stages(r) {
		for m := range stage + 1 {
			p.Asked[m]++
		}
	}
	for m, asked := range p.Asked {
		p.Cost += float64(r.Cost[m]*float64(asked)) / float64(p.N)
	}
	c := Certificate{Method: Descent, Value: x.value}
	if p.Feasible {
		c.LowerBound = min(x.value, d.lower(p.Budget.Errors.Units))
	} else {
		p.Warnings = append(p.Warnings, Warning{Infeasible, -1, fmt.Sprintf("no thresholds were found that make at most %s: the least found is %s, and its thresholds were taken", p.Budget, p.FitError)})
	}
	c.Gap = c.Value - c.LowerBound
	c.Optimal = p.Feasible && c.Gap == 0
	p.Certificate = c
	p.Bound = p.Cost - float64(d.top*float64(c.Gap))/(CostScale*float64(p.N))
}
