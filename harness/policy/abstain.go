package policy

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/calc"
)

// Choice is what becomes of a query where a policy may abstain.
type Choice uint8

const (
	StudentAnswers Choice = iota
	MasterAnswers
	Abstains      // the student has answered, nobody else is asked
	MasterDropped // the master was asked too, and its answer is not sure enough
)

// Abstention answers, defers or abstains:
//
//	β < Low_k: no answer      Low_k ≤ β < High_k: ask the master      β ≥ High_k: the student's answer
//
// and of the master's answers it drops those whose own confidence is below Last.
//
// M. J. Zellinger and M. Thomson, "Early Abstention in LLM Cascades" (2025), §3, which abstain at any model of a
// chain by one threshold each.
type Abstention struct {
	Low, High Thresholds // Low ≤ High, by class or one for all
	Last      float64
}

// Choose says what becomes of a query of a class, by the confidences of both models.
func (a Abstention) Choose(class int, beta, master float64) Choice {
	switch {
	case a.High.Accept(class, beta):
		return StudentAnswers
	case !a.Low.Accept(class, beta):
		return Abstains
	case master >= a.Last:
		return MasterAnswers
	}
	return MasterDropped
}

// Decide chooses for each record; master is the master's confidence, nil = it has none.
func (a Abstention) Decide(r Records, master []float64) []Choice {
	out := make([]Choice, r.Len())
	for i, beta := range r.Beta {
		class, sure := 0, math.Inf(1)
		if len(a.High) > 1 {
			class = r.Class[i]
		}
		if master != nil {
			sure = master[i]
		}
		out[i] = a.Choose(class, beta, sure)
	}
	return out
}

// Losses are the prices, in the unit of costs, of an error and of a query without an answer.
type Losses struct{ Error, Abstain float64 }

// check refuses prices at which nobody would abstain, or that are none.
func (l Losses) check() error {
	if !(l.Abstain > 0) || !(l.Abstain < l.Error) || math.IsInf(l.Error, 1) {
		return fmt.Errorf("an error at %v, an abstention at %v: want 0 < abstention < error, both finite; one that costs "+
			"as much as an error never pays", l.Error, l.Abstain)
	}
	return nil
}

// FitAbstention returns the thresholds of least loss on the records, the cost of the
// deferred ones included; of several the least Last, then class by class the least Low,
// then the least High. master is the master's confidence by record; nil = it has none,
// and Last is 0. A class without records is deferred.
//
// It is exact: losses are integers in units of 2⁻³¹ of the largest, and every Last is
// tried, O(N log N). A class is a sequence of tie groups in order of confidence, to each
// of which one of three losses is due; the least over all Low ≤ High is kept in a tree of
// (min, +) products, of which a further dropped answer changes one leaf.
func FitAbstention(r Records, master []float64, l Losses, single bool) (Abstention, error) {
	err := l.check()
	if err == nil {
		err = r.Validate()
	}
	if err == nil && (r.MasterCost == nil || master != nil && len(master) != r.Len()) {
		err = fmt.Errorf("abstention needs the master's cost of every record, and its confidence of all %d or of none",
			r.Len())
	}
	if err != nil {
		return Abstention{}, err
	}
	if single || r.Class == nil {
		r.Class, r.Classes = make([]int, r.Len()), 1
	}
	f := newAbstaining(r, l)
	last := 0.0
	if master != nil {
		last = f.walk(master)
	}
	out := Abstention{Last: last}
	for k := range f.classes {
		low, high := f.classes[k].thresholds()
		out.Low, out.High = append(out.Low, low), append(out.High, high)
	}
	return out, nil
}

// FitAlone returns the bar of least loss for one model that answers alone, below which its answers are dropped; of
// several the least. What it costs is the same at every bar.
func FitAlone(beta, errs []float64, l Losses) (float64, error) {
	if err := l.check(); err != nil {
		return 0, err
	}
	order := calc.Ascending(beta)
	best, least, sum := 0.0, 0.0, 0.0 // against answering everything
	for k, i := range order {
		sum += l.Abstain - float64(l.Error*errs[i])
		if k+1 < len(order) && beta[order[k+1]] == beta[i] || sum >= least {
			continue
		}
		least, best = sum, math.Inf(1)
		if k+1 < len(order) {
			best = beta[order[k+1]]
		}
	}
	return best, nil
}

// The states that a tie group may be in, by rising confidence.
const (
	abstained = iota
	deferred
	accepted
	states
)

// abstaining are records with the losses of their three choices.
type abstaining struct {
	classes []sequence
	group   []int   // of each record, in its class
	class   []int   //
	drop    []int64 // what dropping the master's answer adds to a deferred record's loss
}

// sequence is a class: its distinct confidences, ascending, and their losses by state.
type sequence struct {
	beta []float64
	loss [][states]int64
	tree []stretch // of size leaves from size on; nil = not built
	size int
}

// stretch is a run of tie groups: its least loss where all states are from i to j.
type stretch [states][states]int64

func newAbstaining(r Records, l Losses) *abstaining {
	n := r.Len()
	f := &abstaining{classes: make([]sequence, max(1, r.Classes)), group: make([]int, n), class: r.Class,
		drop: make([]int64, n)}
	_, top := math.Frexp(r.topCost() + l.Error)
	units := func(loss float64) int64 { return int64(math.RoundToEven(math.Ldexp(loss, 31-top))) }
	members := make([][]int, len(f.classes))
	for i, k := range r.Class {
		members[k] = append(members[k], i)
	}
	for k, list := range members {
		s := &f.classes[k]
		beta := make([]float64, len(list))
		for j, i := range list {
			beta[j] = r.Beta[i]
		}
		for tie := range calc.Ties(beta) {
			s.beta = append(s.beta, beta[tie[0]])
			var sum [states]int64
			for _, j := range tie {
				i := list[j]
				f.group[i] = len(s.loss)
				answered := float64(l.Error * r.MasterError(i))
				sum[abstained] += units(l.Abstain)
				sum[deferred] += units(r.MasterCost[i] + answered)
				sum[accepted] += units(float64(l.Error * r.Student[i]))
				f.drop[i] = units(r.MasterCost[i]+l.Abstain) - units(r.MasterCost[i]+answered)
			}
			s.loss = append(s.loss, sum)
		}
	}
	return f
}

// walk raises the bar of the master's confidence over all values and returns the best;
// the losses of deferred records are then those at this bar.
func (f *abstaining) walk(master []float64) (best float64) {
	total := int64(0)
	for k := range f.classes {
		f.classes[k].build()
		total += f.classes[k].least()
	}
	var order [][]int
	least, kept := total, 0
	for tie := range calc.Ties(master) {
		order = append(order, slices.Clone(tie))
		for _, i := range tie {
			s := &f.classes[f.class[i]]
			total -= s.least()
			s.add(f.group[i], f.drop[i])
			total += s.least()
		}
		if total < least {
			least, kept = total, len(order)
		}
	}
	for _, tie := range order[kept:] { // back to the best
		for _, i := range tie {
			f.classes[f.class[i]].loss[f.group[i]][deferred] -= f.drop[i]
		}
	}
	switch {
	case kept == 0:
		return 0
	case kept == len(order):
		return math.Inf(1)
	}
	return master[order[kept][0]]
}

func (s *sequence) build() {
	s.size = 1
	for s.size < len(s.loss) {
		s.size *= 2
	}
	s.tree = make([]stretch, 2*s.size) // of nothing the loss is 0
	for g := range s.loss {
		s.tree[s.size+g] = leaf(s.loss[g])
	}
	for at := s.size - 1; at > 0; at-- {
		s.tree[at] = joined(&s.tree[2*at], &s.tree[2*at+1])
	}
}

// least is the least loss of the class.
func (s *sequence) least() int64 { return s.tree[1][abstained][accepted] }

// add changes the loss of deferring a tie group.
func (s *sequence) add(group int, loss int64) {
	s.loss[group][deferred] += loss
	at := s.size + group
	s.tree[at] = leaf(s.loss[group])
	for at /= 2; at > 0; at /= 2 {
		s.tree[at] = joined(&s.tree[2*at], &s.tree[2*at+1])
	}
}

func leaf(loss [states]int64) (out stretch) {
	for i := range states {
		for j := i; j < states; j++ {
			out[i][j] = slices.Min(loss[i : j+1])
		}
	}
	return out
}

func joined(a, b *stretch) (out stretch) {
	for i := range states {
		for j := i; j < states; j++ {
			out[i][j] = a[i][i] + b[i][j]
			for k := i + 1; k <= j; k++ {
				out[i][j] = min(out[i][j], a[i][k]+b[k][j])
			}
		}
	}
	return out
}

// thresholds returns those of least loss: the least low, then the least high.
func (s *sequence) thresholds() (low, high float64) {
	if len(s.beta) == 0 {
		return 0, math.Inf(1)
	}
	// With sums over the groups below: loss = Σ accepted + to(high)[deferred − accepted] + to(low)[abstained − deferred].
	type cut struct {
		loss int64
		at   int
	}
	var lowest, best cut
	bestLow, below, above := 0, int64(0), int64(0)
	for g := range s.loss {
		below += s.loss[g][abstained] - s.loss[g][deferred]
		above += s.loss[g][deferred] - s.loss[g][accepted]
		if below < lowest.loss {
			lowest = cut{below, g + 1}
		}
		if loss := above + lowest.loss; loss < best.loss || loss == best.loss && lowest.at < bestLow {
			best, bestLow = cut{loss, g + 1}, lowest.at
		}
	}
	return s.bar(bestLow), s.bar(best.at)
}

// bar is the threshold that leaves so many groups below it.
func (s *sequence) bar(groups int) float64 {
	switch groups {
	case 0:
		return 0
	case len(s.beta):
		return math.Inf(1)
	}
	return s.beta[groups]
}
