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
	unknown  bool     // what the accepted thresholds make of the new answers is not known of some policy
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

// whole reports whether the test parts are the same records.
func (s *subject) whole() bool {
	return len(s.pairs) == len(s.old.test) && len(s.pairs) == len(s.now.test)
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

// quantities lists what the tables of both runs have in common, with what is to be tested of it.
func (s *subject) quantities(sameInputs bool) (out []*hypothesis) {
	for i := range s.now.m.Rows {
		now := &s.now.m.Rows[i]
		old := s.old.row(now.Policy)
		if old == nil {
			continue
		}
		r := s.rows(old, now, sameInputs)
		out = append(out, s.error(r))
		for _, metric := range s.now.m.Metrics {
			if _, ok := old.Metrics[metric]; ok {
				out = append(out, s.metric(r, metric))
			}
		}
		if !lone(now.Policy) {
			out = append(out, s.deferred(r), s.savings(old, now), s.perQuery(r))
		}
		if r.known && s.old.cascade.Unit == s.now.cascade.Unit {
			out = append(out, s.cost(r))
		}
	}
	return out
}

// lone reports whether a row asks one model alone.
func lone(policy string) bool { return policy == accept.None || policy == accept.All }

// quantity starts a quantity of a row.
func (s *subject) quantity(now *accept.Row, metric string, d Direction) *hypothesis {
	return &hypothesis{groups: s.groups, q: &Quantity{Cascade: s.now.cascade.Name, Dataset: s.now.m.Dataset,
		Policy: now.Policy, Title: now.Title, Metric: metric, Direction: d, Baseline: now.Baseline && !lone(now.Policy)}}
}

// ends sets both runs' values as their tables have them.
func (s *subject) ends(h *hypothesis, old, now accept.Estimate) {
	h.q.Old = old.Interval(s.old.run.Level, len(s.old.test))
	h.q.New = now.Interval(s.now.run.Level, len(s.now.test))
}

// rows are a row of the table in both runs, and what is tested of the new one.
type rows struct {
	old, now *accept.Row
	at       *accept.Row // the new one at the accepted thresholds; nil = as it is
	known    bool        // the decisions about all test records are known
	tested   bool        // and can be compared
}

func (s *subject) rows(old, now *accept.Row, sameInputs bool) rows {
	r := rows{old: old, now: now, known: s.old.decided(old) && s.now.decided(now) && len(s.pairs) > 0}
	r.tested = r.known
	if r.known && !sameInputs && !lone(now.Policy) {
		r.at = s.frozen(now)
		r.tested = r.at != nil
		s.unknown = s.unknown || !r.tested && !now.Baseline
	}
	return r
}

// paired keeps a column's values of the records of both test parts, where the column gives the tables' values. Decided
// by the accepted thresholds, the new ones are others, unless the policies as fitted do not differ in a record.
func (s *subject) paired(h *hypothesis, r rows, of func(a *arm, r *accept.Row) []float64) {
	if !r.tested {
		return
	}
	x, y := of(s.old, r.old), of(s.now, r.now)
	if x == nil || y == nil || !matches(mean(x), accept.Estimate{h.q.Old.Value}) ||
		!matches(mean(y), accept.Estimate{h.q.New.Value}) {
		return
	}
	h.x, h.y = s.pick(x, 0), s.pick(y, 1)
	if r.at != nil && !slices.Equal(h.x, h.y) {
		h.y = s.pick(of(s.now, r.at), 1)
		s.frozenAt(h, mean(h.y))
	}
}

// frozenAt notes the new value at the accepted thresholds.
func (s *subject) frozenAt(h *hypothesis, value float64) { h.q.AtAccepted = &value }

// pick takes the pairs' values of one side.
func (s *subject) pick(x []float64, side int) []float64 {
	out := make([]float64, len(s.pairs))
	for i, p := range s.pairs {
		out[i] = x[p[side]]
	}
	return out
}

func (s *subject) error(r rows) *hypothesis {
	h := s.quantity(r.now, errorRate, Lower)
	s.ends(h, r.old.Error, r.now.Error)
	if s.old.m.Soft == s.now.m.Soft && s.sameReference() {
		s.paired(h, r, (*arm).errors)
	}
	return h
}

func (s *subject) deferred(r rows) *hypothesis {
	h := s.quantity(r.now, deferrals, Neither)
	s.ends(h, r.old.Deferred, r.now.Deferred)
	s.paired(h, r, (*arm).deferred)
	return h
}

func (s *subject) savings(old, now *accept.Row) *hypothesis {
	h := s.quantity(now, savings, Higher)
	h.q.Unit = "%"
	s.ends(h, old.Saved, now.Saved)
	return h
}

// perQuery compares savings: a ratio of two sums, both of which may differ.
func (s *subject) perQuery(r rows) *hypothesis {
	h := s.quantity(r.now, perQuery, Higher)
	h.q.Unit = "%"
	s.ends(h, r.old.PerQuery, r.now.PerQuery)
	if !r.tested || s.measured() || s.old.cascade.CostModel != s.now.cascade.CostModel {
		return h
	}
	x, y := s.old.costs(r.old), s.now.costs(r.now)
	value := func(sums []float64) float64 { return 100 * (1 - sums[0]/sums[1]) }
	if !matches(value([]float64{mean(x), mean(s.old.master())}), r.old.PerQuery) ||
		!matches(value([]float64{mean(y), mean(s.now.master())}), r.now.PerQuery) {
		return h
	}
	x, y = s.pick(x, 0), s.pick(y, 1)
	m, w := s.pick(s.old.master(), 0), s.pick(s.now.master(), 1)
	if mean(m) == 0 || mean(w) == 0 {
		return h // nothing is saved of nothing
	}
	if r.at != nil && !(slices.Equal(x, y) && slices.Equal(m, w)) {
		y = s.pick(s.now.costs(r.at), 1)
		s.frozenAt(h, value([]float64{mean(y), mean(w)}))
	}
	h.paid = [2][]float64{slices.Clone(x), slices.Clone(y)}
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

func (s *subject) cost(r rows) *hypothesis {
	h := s.quantity(r.now, costs, Lower)
	h.q.Unit = s.now.cascade.Unit
	h.q.Old, h.q.New = s.old.measured(s.old.costs(r.old)), s.now.measured(s.now.costs(r.now))
	if !s.measured() {
		s.paired(h, r, (*arm).costs)
		h.paid = [2][]float64{h.x, h.y}
	}
	return h
}

// sameReference reports whether errors are measured against the same: the dataset's reference, or the master's answer.
func (s *subject) sameReference() bool { return s.old.cascade.Setting == s.now.cascade.Setting }

// measured reports whether costs are measured times. All records of a night share the load of its machines, so they are
// no independent evidence, and nothing about times is tested.
func (s *subject) measured() bool {
	return s.old.cascade.CostModel == latency || s.now.cascade.CostModel == latency
}

// metric compares a performance metric.
func (s *subject) metric(r rows, name string) *hypothesis {
	m, err := metrics.Get(metrics.Name(name))
	d := Higher
	if err == nil && m.Direction == metrics.LowerIsBetter {
		d = Lower
	}
	h := s.quantity(r.now, name, d)
	s.ends(h, r.old.Metrics[name], r.now.Metrics[name])
	if err != nil || !r.tested || !s.sameReference() {
		return h
	}
	switch {
	case m.Name == metrics.Accuracy:
		s.paired(h, r, func(a *arm, row *accept.Row) []float64 { return a.right(row, name) })
	case m.Counts != nil:
		s.counts(h, m, r)
	case m.Sums != nil:
		s.sums(h, m, r)
	default:
		s.paired(h, r, func(a *arm, row *accept.Row) []float64 { return a.scores(row, name) })
	}
	return h
}

// sums compares a metric of sums over records.
func (s *subject) sums(h *hypothesis, m metrics.Metric, r rows) {
	name := h.q.Metric
	x, y := s.old.sums(r.old, name), s.now.sums(r.now, name)
	if x == nil || y == nil || len(x) != len(y) || !matches(m.Value(totals(x)), r.old.Metrics[name]) ||
		!matches(m.Value(totals(y)), r.now.Metrics[name]) {
		return
	}
	same := true
	for c := range x {
		h.c, h.d = append(h.c, s.pick(x[c], 0)), append(h.d, s.pick(y[c], 1))
		same = same && slices.Equal(h.c[c], h.d[c])
	}
	h.value = m.Value
	if r.at != nil && !same {
		for c, column := range s.now.sums(r.at, name) {
			h.d[c] = s.pick(column, 1)
		}
		s.frozenAt(h, m.Value(totals(h.d)))
	}
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

// counts compares a metric of the confusion matrix.
func (s *subject) counts(h *hypothesis, m metrics.Metric, r rows) {
	value := func(cells []int, k int) float64 {
		c, places := metrics.Occupied(k, cells)
		counts := make([]float64, c.Len())
		for _, at := range places[0] {
			counts[at]++
		}
		return m.Counts(c, counts)(c, counts)
	}
	of := func(a *arm, row *accept.Row) (truth, class []int) {
		truth, class = a.said(row)
		if k := len(a.data.Labels); truth == nil || !matches(value(cells(truth, class, k), k), row.Metrics[h.q.Metric]) {
			return nil, nil
		}
		return truth, class
	}
	truthWas, was := of(s.old, r.old)
	truth, is := of(s.now, r.now)
	if was == nil || is == nil {
		return
	}
	h.metric, h.k = m, len(s.now.data.Labels)+len(s.old.data.Labels) // classes that are gone have numbers of their own
	place := func(class []int) (out []int) {
		for _, p := range s.pairs {
			out = append(out, metrics.Cell(truth[p[1]], class[p[1]], h.k))
		}
		return out
	}
	called := func(class int) int {
		if k := s.of.class[class]; k >= 0 {
			return k
		}
		return len(s.now.data.Labels) + class
	}
	for _, p := range s.pairs { // the true class, too: where the master is the reference, it is what the master said then
		h.a = append(h.a, metrics.Cell(called(truthWas[p[0]]), called(was[p[0]]), h.k))
	}
	h.b = place(is)
	if r.at != nil && !slices.Equal(h.a, h.b) {
		if _, frozen := s.now.said(r.at); frozen != nil {
			h.b = place(frozen)
			s.frozenAt(h, value(h.b, h.k))
		}
	}
}
