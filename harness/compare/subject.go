package compare

import (
	"slices"
	"strconv"

	"infnet/harness/accept"
)

// subject is a cascade's dataset in both runs.
type subject struct {
	old, now *arm
	of       *match
	pairs    [][2]int // places in the two test parts that are one record
	groups   []string // of the pairs; nil = every record is alone
	models   []int    // places of the models whose answers to the dataset no subject before has
	unknown  bool     // what the accepted thresholds make of the new answers is not known of some policy
}

func newSubject(old, now *arm, of *match) *subject {
	s := &subject{old: old, now: now, of: of}
	k := len(now.data.Labels) + len(old.data.Labels) // classes that are gone have numbers of their own
	old.k, now.k = k, k
	for c := range now.data.Labels {
		now.codes = append(now.codes, c)
	}
	for c, is := range of.class {
		if is < 0 {
			is = len(now.data.Labels) + c
		}
		old.codes = append(old.codes, is)
	}
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
	s.cluster()
	return s
}

// incomplete reports whether answers are missing in either run, beyond what the study allows.
func (s *subject) incomplete() bool { return s.old.cascade.Incomplete || s.now.cascade.Incomplete }

// whole reports whether the test parts are the same records.
func (s *subject) whole() bool {
	return len(s.pairs) == len(s.old.test) && len(s.pairs) == len(s.now.test)
}

// cluster names the groups of the pairs, where any has two records.
func (s *subject) cluster() {
	if s.now.data.Group == nil {
		return
	}
	seen, several := map[int]bool{}, false
	groups := make([]string, len(s.pairs))
	for i, p := range s.pairs {
		if g := s.now.data.Group[s.now.test[p[1]]]; g >= 0 {
			several, seen[g], groups[i] = several || seen[g], true, strconv.Itoa(g)
		}
	}
	if several {
		s.groups = groups
	}
}

// lone reports whether a row asks one model alone.
func lone(policy string) bool { return policy == accept.None || policy == accept.All }

// sameReference reports whether errors are measured against the same: the dataset's reference, or the master's answer.
func (s *subject) sameReference() bool { return s.old.cascade.Setting == s.now.cascade.Setting }

// measured reports whether costs are measured times. All records of a night share the load of its machines, so they are
// no independent evidence, and nothing about times is tested.
func (s *subject) measured() bool {
	return s.old.cascade.CostModel == latency || s.now.cascade.CostModel == latency
}

// rows are a row of the table in both runs, and what is tested of the new one.
type rows struct {
	old, now *accept.Row
	at       *accept.Row // the new one at the accepted thresholds; nil = as it is
	known    bool        // the decisions about all test records are known
	tested   bool        // and can be compared
}

// quantities lists what the tables of both runs have in common, with what is to be tested of it.
func (s *subject) quantities(sameInputs bool) (out []*hypothesis) {
	for i := range s.now.m.Rows {
		now := &s.now.m.Rows[i]
		old := rowOf(s.old.m, now.Policy)
		if old == nil {
			continue
		}
		r := rows{old: old, now: now, known: s.old.decided(old) && s.now.decided(now) && len(s.pairs) > 0}
		r.tested = r.known
		if r.known && !sameInputs && !lone(now.Policy) {
			r.at = s.frozen(now)
			r.tested = r.at != nil
			s.unknown = s.unknown || !r.tested && !now.Baseline
		}
		for _, n := range s.numbers(r) {
			out = append(out, s.hypothesis(n, r))
		}
	}
	return out
}

// hypothesis is a number of a row in both runs. It keeps the values of the records of both test parts, where the
// columns give the tables' numbers: where they do not, it is not known how the number came about, and it is not tested.
// Decided by the accepted thresholds the new values are others, unless the policies as fitted differ in no record.
func (s *subject) hypothesis(n number, r rows) *hypothesis {
	h := &hypothesis{number: n, groups: s.groups, q: &Quantity{Cascade: s.now.cascade.Name, Dataset: s.now.m.Dataset,
		Policy: r.now.Policy, Title: r.now.Title, Metric: n.metric, Unit: n.unit, Direction: n.direction,
		Baseline: r.now.Baseline && !lone(r.now.Policy)}}
	if n.metric == costs {
		h.q.Old, h.q.New = s.old.measured(s.old.costs(r.old)), s.now.measured(s.now.costs(r.now))
	} else {
		h.q.Old = r.old.Values[n.metric].Interval(s.old.run.Level, len(s.old.test))
		h.q.New = r.now.Values[n.metric].Interval(s.now.run.Level, len(s.now.test))
	}
	if !r.tested || n.columns == nil {
		return h
	}
	value := n.value
	if value == nil {
		value = func(_ *arm, c [][]float64) float64 { return average(c[0]) }
	}
	x, y := n.columns(s.old, r.old), n.columns(s.now, r.now)
	if x == nil || y == nil || len(x) != len(y) || !matches(value(s.old, x), h.q.Old.Value) ||
		!matches(value(s.now, y), h.q.New.Value) {
		return h
	}
	x, y = s.pick(x, 0), s.pick(y, 1)
	if n.metric == accept.PerQuery && (average(x[1]) == 0 || average(y[1]) == 0) {
		return h // nothing is saved of nothing
	}
	h.x, h.y, h.k = x, y, s.now.k
	if r.at != nil && h.differs() {
		if at := n.columns(s.now, r.at); at != nil {
			y = s.pick(at, 1)
			h.y = y
			v := value(s.now, y)
			h.q.AtAccepted = &v
		}
	}
	if n.paid {
		h.costs = [2][]float64{h.x[0], h.y[0]}
	}
	if n.metric == accept.PerQuery && slices.Equal(x[1], y[1]) { // of one sum: every record saves its share of the mean
		h.sums = nil
		h.x, h.y = [][]float64{shares(x)}, [][]float64{shares(y)}
	}
	return h
}

// shares are what every query saves of what the master costs in the mean.
func shares(columns [][]float64) []float64 {
	out, of := make([]float64, len(columns[0])), average(columns[1])
	for i, x := range columns[0] {
		out[i] = 100 * (1 - x/of)
	}
	return out
}

// pick takes the pairs' values of one side.
func (s *subject) pick(columns [][]float64, side int) [][]float64 {
	out := make([][]float64, len(columns))
	for c := range out {
		out[c] = make([]float64, len(s.pairs))
		for i, p := range s.pairs {
			out[c][i] = columns[c][p[side]]
		}
	}
	return out
}
