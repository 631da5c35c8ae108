package compare

import (
	"slices"
	"strconv"

	"infnet/harness/accept"
	"infnet/metrics"
)

// The quantities that are no performance metrics.
const (
	errorRate = "error"
	deferrals = "deferred"
	costs     = "cost"            // of a query, mean
	savings   = "saved_pct"       // from the models' cost constants: moves with them, and is not tested
	perQuery  = "saved_query_pct" // from every record's own cost
)

// latency is the cost model whose costs are measured times.
const latency = "latency"

// subject is a cascade's dataset in both runs.
type subject struct {
	old, now *arm
	of       *match
	pairs    [][2]int // places in the two test parts that are one record
	groups   []string // of the pairs; nil = every record is alone
}

func newSubject(old, now *arm, of *match) *subject {
	s := &subject{old: old, now: now, of: of}
	at := map[int]int{}
	for n, i := range old.test {
		at[i] = n
	}
	for n, i := range now.test {
		if k := of.of[i]; k >= 0 {
			if there, ok := at[k]; ok {
				s.pairs = append(s.pairs, [2]int{there, n})
			}
		}
	}
	s.groups = s.clusters()
	return s
}

// clusters are the groups of the pairs, where any has two records.
func (s *subject) clusters() []string {
	if s.now.data.Group == nil {
		return nil
	}
	seen, several := map[int]bool{}, false
	var out []string
	for _, p := range s.pairs {
		g := s.now.data.Group[s.now.test[p[1]]]
		several = several || g >= 0 && seen[g]
		seen[g] = true
		if g < 0 {
			out = append(out, "")
			continue
		}
		out = append(out, strconv.Itoa(g))
	}
	if !several {
		return nil
	}
	return out
}

// whole reports whether both test parts are the same records.
func (s *subject) whole() bool {
	return len(s.pairs) == len(s.old.test) && len(s.pairs) == len(s.now.test)
}

// quantities lists what the tables of both runs have in common, with what is to be tested of it.
func (s *subject) quantities() (out []*hypothesis) {
	for i := range s.now.m.Rows {
		now := &s.now.m.Rows[i]
		old := s.old.row(now.Policy)
		if old == nil {
			continue
		}
		decided := s.old.decided(old) && s.now.decided(now) && len(s.pairs) > 0
		model := now.Policy == accept.None || now.Policy == accept.All
		out = append(out, s.error(old, now, decided))
		for _, metric := range s.now.m.Metrics {
			if _, ok := old.Metrics[metric]; ok {
				out = append(out, s.metric(old, now, metric, decided))
			}
		}
		if !model {
			out = append(out, s.deferred(old, now, decided), s.savings(old, now), s.perQuery(old, now, decided))
		}
		if decided && s.old.cascade.Unit == s.now.cascade.Unit {
			out = append(out, s.cost(old, now))
		}
	}
	return out
}

// quantity starts a quantity of a row.
func (s *subject) quantity(now *accept.Row, metric string, d Direction) *hypothesis {
	return &hypothesis{groups: s.groups, q: &Quantity{Cascade: s.now.cascade.Name, Dataset: s.now.m.Dataset,
		Policy: now.Policy, Metric: metric, Direction: d}}
}

// ends sets both runs' values as their tables have them.
func (s *subject) ends(h *hypothesis, old, now accept.Estimate) {
	h.q.Old = old.Interval(s.old.run.Level, len(s.old.test))
	h.q.New = now.Interval(s.now.run.Level, len(s.now.test))
}

// paired keeps the columns of the records of both test parts, if they give the tables' values.
func (s *subject) paired(h *hypothesis, x, y []float64) {
	if x == nil || y == nil || !matches(mean(x), accept.Estimate{h.q.Old.Value}) ||
		!matches(mean(y), accept.Estimate{h.q.New.Value}) {
		return
	}
	h.x, h.y = s.pick(x, 0), s.pick(y, 1)
}

// pick takes the pairs' values of one side.
func (s *subject) pick(x []float64, side int) []float64 {
	out := make([]float64, len(s.pairs))
	for i, p := range s.pairs {
		out[i] = x[p[side]]
	}
	return out
}

func (s *subject) error(old, now *accept.Row, decided bool) *hypothesis {
	h := s.quantity(now, errorRate, Lower)
	s.ends(h, old.Error, now.Error)
	if decided && s.old.m.Soft == s.now.m.Soft {
		s.paired(h, s.old.errors(old), s.now.errors(now))
	}
	return h
}

func (s *subject) deferred(old, now *accept.Row, decided bool) *hypothesis {
	h := s.quantity(now, deferrals, Neither)
	s.ends(h, old.Deferred, now.Deferred)
	if decided {
		s.paired(h, s.old.deferred(old), s.now.deferred(now))
	}
	return h
}

func (s *subject) savings(old, now *accept.Row) *hypothesis {
	h := s.quantity(now, savings, Higher)
	h.q.Unit = "%"
	s.ends(h, old.Saved, now.Saved)
	return h
}

// perQuery compares savings: a ratio of two sums, both of which may differ.
func (s *subject) perQuery(old, now *accept.Row, decided bool) *hypothesis {
	h := s.quantity(now, perQuery, Higher)
	h.q.Unit = "%"
	s.ends(h, old.PerQuery, now.PerQuery)
	if !decided || s.measured() {
		return h
	}
	x, y := s.old.costs(old), s.now.costs(now)
	value := func(sums []float64) float64 { return 100 * (1 - sums[0]/sums[1]) }
	if !matches(value([]float64{mean(x), mean(s.old.master())}), old.PerQuery) ||
		!matches(value([]float64{mean(y), mean(s.now.master())}), now.PerQuery) {
		return h
	}
	x, y = s.pick(x, 0), s.pick(y, 1)
	m, w := s.pick(s.old.master(), 0), s.pick(s.now.master(), 1)
	if slices.Equal(m, w) {
		of := mean(m)
		for i := range x {
			x[i], y[i] = 100*(1-x[i]/of), 100*(1-y[i]/of)
		}
		h.x, h.y = x, y
		return h
	}
	h.c, h.d, h.value = [][]float64{x, m}, [][]float64{y, w}, value
	return h
}

func (s *subject) cost(old, now *accept.Row) *hypothesis {
	h := s.quantity(now, costs, Lower)
	h.q.Unit = s.now.cascade.Unit
	x, y := s.old.costs(old), s.now.costs(now)
	h.q.Old, h.q.New = s.old.measured(x), s.now.measured(y)
	if !s.measured() {
		h.x, h.y = s.pick(x, 0), s.pick(y, 1)
	}
	return h
}

// measured reports whether costs are measured times. All records of a night share the load of its machines, so they are
// no independent evidence, and nothing about times is tested.
func (s *subject) measured() bool {
	return s.old.cascade.CostModel == latency || s.now.cascade.CostModel == latency
}

// metric compares a performance metric.
func (s *subject) metric(old, now *accept.Row, name string, decided bool) *hypothesis {
	m, err := metrics.Get(metrics.Name(name))
	d := Higher
	if err == nil && m.Direction == metrics.LowerIsBetter {
		d = Lower
	}
	h := s.quantity(now, name, d)
	s.ends(h, old.Metrics[name], now.Metrics[name])
	if err != nil || !decided {
		return h
	}
	switch {
	case m.Name == metrics.Accuracy:
		s.accuracy(h, old, now)
	case m.Counts != nil:
		s.counts(h, m, old, now)
	case m.Sums != nil:
		x, y := s.old.sums(old, name), s.now.sums(now, name)
		if x == nil || y == nil || len(x) != len(y) || !matches(m.Value(totals(x)), old.Metrics[name]) ||
			!matches(m.Value(totals(y)), now.Metrics[name]) {
			return h
		}
		for c := range x {
			h.c, h.d = append(h.c, s.pick(x[c], 0)), append(h.d, s.pick(y[c], 1))
		}
		h.value = m.Value
	default:
		s.paired(h, s.old.scores(old, name), s.now.scores(now, name))
	}
	return h
}

func totals(columns [][]float64) []float64 {
	out := make([]float64, len(columns))
	for c, x := range columns {
		for _, v := range x {
			out[c] += v
		}
	}
	return out
}

// accuracy compares shares of right classes; where grades are recorded, of right answers.
func (s *subject) accuracy(h *hypothesis, old, now *accept.Row) {
	of := func(a *arm, r *accept.Row) []float64 {
		if truth, class := a.said(r); truth != nil {
			x := a.column(func(n int) float64 { return indicator(truth[n] == class[n]) })
			if matches(mean(x), r.Metrics[h.q.Metric]) {
				return x
			}
		}
		return a.column(func(n int) float64 { return indicator(a.m.Models[a.final(r, n)].Right[a.test[n]]) })
	}
	s.paired(h, of(s.old, old), of(s.now, now))
}

// counts compares a metric of the confusion matrix.
func (s *subject) counts(h *hypothesis, m metrics.Metric, old, now *accept.Row) {
	of := func(a *arm, r *accept.Row) (truth, class []int) {
		truth, class = a.said(r)
		if truth == nil {
			return nil, nil
		}
		k := len(a.data.Labels)
		c, places := metrics.Occupied(k, cells(truth, class, k))
		counts := tallied(places[0], c.Len())
		if !matches(m.Counts(c, counts)(c, counts), r.Metrics[h.q.Metric]) {
			return nil, nil
		}
		return truth, class
	}
	_, was := of(s.old, old)
	truth, is := of(s.now, now)
	if was == nil || is == nil {
		return
	}
	h.metric, h.k = m, len(s.now.data.Labels)+len(s.old.data.Labels) // classes that are gone have numbers of their own
	for _, p := range s.pairs {
		class := s.of.class[was[p[0]]]
		if class < 0 {
			class = len(s.now.data.Labels) + was[p[0]]
		}
		h.a = append(h.a, metrics.Cell(truth[p[1]], class, h.k))
		h.b = append(h.b, metrics.Cell(truth[p[1]], is[p[1]], h.k))
	}
}
